"""
Tables: filling in what is missing
==================================

A table of people, with categories, numbers and empty cells. The example makes the table itself, so that what is missing
is known. It learns the rows, fills in the empty cells several times, and compares the fills with the cells that were
taken out. It takes about half a minute.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch

import noisekernel as nk

torch.set_num_threads(1)  # the network is small: a second thread would only get in the way

# %%
# The data
# --------
# Pay depends on age and school, and who is married on age. Nearly half of the people work 40 hours. Of each column but
# the first, a tenth of the cells is taken out.

draw = np.random.default_rng(0)
number = 3000
school = draw.choice(["none", "school", "university"], number, p=[0.2, 0.5, 0.3])
age = draw.integers(20, 70, number)
more = np.select([school == "school", school == "university"], [0.4, 0.9])
pay = np.round(np.exp(9.6 + more + 0.02 * (age - 20) + 0.2 * draw.normal(size=number)), -2)
hours = np.where(draw.random(number) < 0.45, 40, draw.integers(10, 60, number))
married = np.where(draw.random(number) < (age - 15) / 60, "yes", "no")
whole = [
    {"age": int(a), "school": str(s), "pay": float(p), "hours": int(h), "married": str(m)}
    for a, s, p, h, m in zip(age, school, pay, hours, married, strict=True)
]
people = [
    {name: None if name != "age" and draw.random() < 0.1 else cell for name, cell in row.items()} for row in whole
]

# %%
# Training
# --------
# A list of mappings, a DataFrame or a CSV file with cells that are no numbers is recognised as a table. The defaults
# would train a larger network, and for longer.

model = nk.fit(
    people,
    settings={
        "network.width": 48,
        "network.depth": 2,
        "training.images": 100_000,
        "training.batch": 128,
        "training.warmup": 4_000,
    },
    progress=False,
)
print(model)

# %%
# New rows
# --------
# New rows have the values of the data, and as many empty cells: "missing" is a value like others there.

new = model.draw(model.sample(500, steps=25))
print(*new[:3], sep="\n")
forty = [sum(row["hours"] == 40 for row in rows) / len(rows) for rows in (people, new)]
print(f"40 hours: {forty[0]:.0%} of the people and {forty[1]:.0%} of the new rows")

# %%
# What is missing
# ---------------
# Without a mask, the empty cells are filled in, here in 19 ways each. All other cells are kept. The summary says how
# sure these fills are: categories with their probabilities, and of numbers the median and an interval, which is to hold
# the pay that was taken out in about nine of ten rows.

both = [(row, truth) for row, truth in zip(people, whole, strict=True) if row["pay"] is None][:150]
holes = [row for row, _ in both]
summary = model.summarise(model.fill(holes, n=19, steps=25), of=holes)
print(summary)
pays = [summary.of(i, "pay") for i in range(len(holes))]
ends = np.array([[cell.low, cell.high] for cell in pays])
true = np.array([truth["pay"] for _, truth in both])
within = (ends[:, 0] <= true) & (true <= ends[:, 1])
print(f"the pay that was taken out is in the interval in {within.mean():.0%} of {len(holes)} rows")

# %%
# What if?
# --------
# Hold some cells, change one, and fill in the rest: how do hours and pay go with school, for a person of 50?

for level in ("none", "school", "university"):
    person = {"age": 50, "school": level, "pay": None, "hours": None, "married": None}
    likely = model.summarise(model.fill(person, n=99, steps=25), of=person).of(0, "pay")
    print(f"{level}: pay {likely.value:,.0f}, nine times in ten from {likely.low:,.0f} to {likely.high:,.0f}")

figure, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="tight")
colours = {"none": "#c98b1f", "school": "#3b5ba5", "university": "#4e9a3a", None: "#999999"}
for row in new:
    if row["age"] is not None and row["pay"] is not None:
        axes[0].scatter(row["age"], row["pay"] / 1000, s=10, alpha=0.7, color=colours[row["school"]])
axes[0].set(xlabel="age", ylabel="pay in thousands", title="new rows, by school")
order = np.argsort(true)
for place, i in enumerate(order):
    axes[1].plot([place] * 2, ends[i] / 1000, color="#3b5ba5" if within[i] else "#c2452d", alpha=0.6)
axes[1].plot(true[order] / 1000, ".", color="black", markersize=4)
axes[1].set(xlabel="rows by their pay", ylabel="pay in thousands", title="pay taken out, and its interval")
plt.show()
