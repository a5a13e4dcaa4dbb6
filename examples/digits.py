"""
Digits: new samples, variants, missing parts
============================================

The package comes with a model trained on the 8 x 8 digits of scikit-learn. This example uses it for three jobs: to draw
new digits, to make variants of real ones, and to fill in hidden parts. It takes a few seconds.
"""

import matplotlib.pyplot as plt
import torch
from sklearn.datasets import load_digits
from torch import Tensor
from torch.nn.functional import pad

import noisekernel as nk

model = nk.load("digits", device="cpu")
print(model)

# %%
# The model's data are numbers from -1 (black) to 1 (white), of shape (batch, 1, 8, 8).

real = torch.tensor(load_digits().images, dtype=torch.float32)[:, None] / 8 - 1


def sheet(z: Tensor) -> Tensor:
    """Pictures (rows, columns, 1, height, width) as one, with lines between them."""
    framed = pad(z.squeeze(2), (0, 1, 0, 1), value=-0.2)
    return framed.transpose(1, 2).flatten(2).flatten(0, 1)


def show(z: Tensor, title: str) -> None:
    _, axis = plt.subplots(figsize=(8, 8 * z.shape[0] / z.shape[1] + 0.4), layout="tight")
    axis.imshow(sheet(z).numpy(), cmap="gray", vmin=-1, vmax=1, interpolation="nearest")
    axis.set_title(title)
    axis.axis("off")
    plt.show()


# %%
# New digits
# ----------
# New samples are annealed from pure noise. A model that learned classes can be asked for one of them.

new = nk.synthesize(model, 32)
threes = nk.synthesize(model, 16, label=model.label(["3"], 16))
drawn = torch.cat((new, threes)).unflatten(0, (3, 16))
show(drawn, "two rows of new digits, and a row of new threes")

# %%
# Variants
# --------
# A variant keeps the coarse noise that a picture is made of and redraws the fine noise. The strength says how
# far that takes it: 0 gives the picture again, 1 an unrelated one.

some = real[[3, 8, 25]]
near = nk.vary(model, some, 11, strength=0.2)
show(torch.cat((some[:, None], near), dim=1), "real digits on the left, near variants")

# %%
far = nk.vary(model, some, 11, strength=0.6)
show(torch.cat((some[:, None], far), dim=1), "real digits on the left, variants that go further")

# %%
# Missing parts
# -------------
# The mask is 1 where a picture is to be filled in. Elements where it is 0 come back bit by bit. The right half of each
# digit is hidden, and filled in eight times.

mask = torch.zeros(1, 8, 8)
mask[..., 4:] = 1
filled = nk.fill(model, some, mask, 8)
hidden = torch.where(mask.bool(), torch.tensor(-0.2), some)
rows = torch.cat((some[:, None], hidden[:, None], filled), dim=1)
show(rows, "real digit, what was shown, eight ways to fill it in")
