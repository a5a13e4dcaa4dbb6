"""New rows against real ones: columns, pairs of columns, a classifier, the nearest real row.

Everything here is of `Rows`, columns of numbers and categories, which a kind of data gives (`Kind.rows`).

The shapes of columns alone are hollow: rows whose columns are drawn independently of each other have them all. So each
figure stands between two others that are measured on the same data: that of real rows in the place of the new ones, and
that of real rows each of whose columns was shuffled by itself.
"""
