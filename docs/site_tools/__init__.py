"""Helpers of conf.py: docstrings to reStructuredText, the pages of the reference, the order of the gallery."""
