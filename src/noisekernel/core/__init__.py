"""The ground that everything else stands on: errors, checks, random numbers, distributions, noise levels."""
