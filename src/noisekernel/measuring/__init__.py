"""Measures of how good samples and chains are."""
