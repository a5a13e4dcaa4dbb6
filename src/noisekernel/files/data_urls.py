"""Files inside a page or an answer, as data URLs."""

import base64


def data_url(content: bytes, media_type: str) -> str:
    """A file's content as an address that holds it.

    >>> data_url(b"hello", "text/plain")
    'data:text/plain;base64,aGVsbG8='
    """
    return f"data:{media_type};base64,{base64.b64encode(content).decode()}"
