"""The studio's HTTP interface."""
