"""The addresses of the studio's HTTP interface, by subject."""
