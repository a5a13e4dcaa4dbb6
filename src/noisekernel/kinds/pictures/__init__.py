"""Pictures as a kind of data."""
