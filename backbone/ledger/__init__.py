"""The ledger: an append-only event store per session, in Postgres; the only truth there is (invariant I1)."""
