"""Readers: from files and other places to sources of examples."""
