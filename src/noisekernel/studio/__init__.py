"""The studio: a person and the chain design together, in the browser.

`store` keeps designs. `rounds` holds the tasks, a file each, and `work` runs their rounds on one queue. `design_file`
and `replay` take designs away and compute them again. `web` speaks HTTP, and `page/` is what the browser runs. The
studio asks `tasks` for everything it draws, and the model's kind of data (`Kind.on_page`) for what a browser shows and
sends.
"""
