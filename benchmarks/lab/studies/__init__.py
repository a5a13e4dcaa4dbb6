"""The studies: one file each, with its arms, the units that it asks for and the tables made of its results.

The results of a study are in `results/bench/<STUDY>.jsonl`. Studies share results: what another study has measured is
not measured again. `lab.programme` puts the studies in order.
"""
