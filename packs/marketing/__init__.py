"""The marketing pack: customer reviews in, a report with charts out. See README.md."""
