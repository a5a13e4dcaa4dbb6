"""The studio: a person and the chain design together, in the browser.

`store` keeps designs, `rounds` says what a round is, `queue` and `jobs` run it, `server` speaks HTTP, `page/` is what
the browser shows. The studio asks `tasks` for everything it draws.
"""
