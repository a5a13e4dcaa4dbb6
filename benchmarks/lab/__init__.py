"""The harness: all arms have the same data, U-Net, optimiser, budget and scorer, and several seeds."""
