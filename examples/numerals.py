"""
Strings: Roman numerals
=======================

Strings of different lengths, a category per character. The model sees 3,000 of the 3,999 Roman numerals and no rule. A
numeral is easy to check, so the example counts how many of its new strings are numerals. It takes about half a minute.
"""

import random

import matplotlib.pyplot as plt
import torch

import noisekernel as nk

torch.set_num_threads(1)  # the network is tiny: a second thread would only get in the way

# %%
# The data
# --------

VALUES = {"M": 1000, "CM": 900, "D": 500, "CD": 400, "C": 100, "XC": 90, "L": 50, "XL": 40, "X": 10, "IX": 9, "V": 5}
VALUES |= {"IV": 4, "I": 1}


def numeral(number: int) -> str:
    text = ""
    for letters, value in VALUES.items():
        text += letters * (number // value)
        number %= value
    return text


numerals = {numeral(number) for number in range(1, 4000)}
seen = random.Random(0).sample(sorted(numerals), 3000)

# %%
# Training
# --------
# A list of strings is recognised as tokens. The alphabet and the longest length are those of the data. The defaults
# would train a larger transformer, and for longer.

model = nk.fit(
    seen,
    settings={
        "network.width": 48,
        "network.depth": 2,
        "training.images": 45_000,
        "training.batch": 32,
        "training.rate": 3e-3,
        "training.warmup": 2_000,
    },
    progress=False,
)
print(model)

# %%
# New strings
# -----------
# For comparison, the same strings with their letters shuffled: of those, few are numerals.

new = model.draw(model.sample(200))
shuffled = ["".join(random.Random(i).sample(text, len(text))) for i, text in enumerate(new)]
print(f"numerals: {sum(text in numerals for text in new)} of {len(new)} new strings,")
print(f"of which {len(set(new) & numerals - set(seen))} are numerals that the model had not seen;")
print(f"shuffled, {sum(text in numerals for text in shuffled)} are")

# %%
# Variants and endings
# --------------------
# Variants of MCMLXXIV at two strengths, and ways to go on after "MDC". In a mask, an underscore stands for one
# character to fill in and a star for all that follows. Numerals are green, other strings grey.

start = "MCMLXXIV"
table = {
    "new": new[:12],
    "strength 0.2": model.draw(model.vary([start], n=12, strength=0.2)),
    "strength 0.5": model.draw(model.vary([start], n=12, strength=0.5)),
    "MDC*": model.draw(model.fill(["MDC"], "MDC*", 12)),
}

figure, axis = plt.subplots(figsize=(9, 4.6), layout="tight")
axis.axis("off")
for x, (title, texts) in enumerate(table.items()):
    axis.text(x, 0, title, weight="bold")
    for y, text in enumerate(texts, start=1):
        axis.text(x, y, text, family="monospace", color="#2c7a2c" if text in numerals else "#9aa0a6")
axis.set(xlim=(0, len(table)), ylim=(12.5, -0.5))
plt.show()
