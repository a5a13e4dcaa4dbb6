"""The studio's queue and the jobs in it."""
