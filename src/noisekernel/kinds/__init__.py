"""Kinds of data: pictures, and whatever else is plugged in here."""
