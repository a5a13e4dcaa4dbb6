"""Ids of designs, rounds, nodes and jobs: names that nobody has, or can guess."""

import secrets

#: What an id looks like, as a regular expression.
PATTERN = "^[0-9a-f]{16}$"


def new_id() -> str:
    return secrets.token_hex(8)
