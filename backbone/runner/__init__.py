"""The consume loop, ours and in one place: fetch, one transaction for the whole fetch, settle."""
