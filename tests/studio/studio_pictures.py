"""Pictures and masks to send to a studio, and pictures that came from one."""

import base64
from io import BytesIO

import numpy as np
from PIL import Image
from studio_client import ok

#: A mask of the digits' size: the right half is to be redone.
RIGHT_HALF = np.zeros((8, 8), np.uint8)
RIGHT_HALF[:, 4:] = 255


def png(picture):
    """A picture, or an array of one, as the bytes of a PNG file."""
    image = Image.fromarray(picture) if isinstance(picture, np.ndarray) else picture
    content = BytesIO()
    image.save(content, "PNG")
    return content.getvalue()


def in_base64(picture):
    """The same in base64, as masks are sent."""
    return base64.b64encode(png(picture)).decode()


def picture(width=40, height=30):
    """A picture that is no digit, as a PNG file."""
    return png((np.arange(width * height * 3) % 255).astype(np.uint8).reshape(height, width, 3))


def example(api, design, index=3):
    """The id of a node that is an example of the data."""
    return ok(api.post(f"/api/designs/{design}/origins/example", json={"example": index}))["id"]


def pixels(api, node):
    """The pixels of a node's picture."""
    return np.asarray(Image.open(BytesIO(api.get(f"/api/nodes/{node}/show").content)))
