"""`python -m noisekernel` is `nk`, for `torchrun -m noisekernel` and its like."""

from noisekernel.cli.main import main

if __name__ == "__main__":
    main()
