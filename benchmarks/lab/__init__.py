"""The harness: same data, same U-Net, same optimiser, same budget, same judge, several seeds; results arm by arm."""
