"""Rivals, one per file, each with its own objective and the samplers of its own library or paper."""
