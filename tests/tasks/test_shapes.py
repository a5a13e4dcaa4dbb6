"""The shapes written in annotations are true: the package runs with every one of them checked at run time.

In a process of its own, for the checker would also catch what other tests give on purpose.
"""

import os
import subprocess
import sys
import textwrap

EXERCISE = """
    from jaxtyping import install_import_hook
    with install_import_hook("noisekernel", "beartype.beartype"):
        import noisekernel as nk
        from noisekernel import chain, networks, sampling, tasks
    import torch

    def model(kernel, head, net, shape):
        return nk.NoiseModel(kernel, nk.Denoiser(net, head), shape)

    three, plain = nk.CategoricalKernel(classes=3), nk.PlainGaussian(1)
    gaussian, categorical = nk.PreconditionedGaussian(1, 0.0, 1.0), nk.CategoricalHead(3, None)
    models = [
        (model(nk.GaussianKernel(), gaussian, networks.UNet(1, 2, 8, (1, 2), 1), (1, 5, 4)), torch.randn(3, 1, 5, 4)),
        (model(nk.GaussianKernel(), plain, networks.PaperUNet(1, 2, 8, (1, 2)), (1, 5, 4)), torch.randn(3, 1, 5, 4)),
        (model(three, categorical, networks.Transformer(4, 3, 16, 1, 2), (7,)), torch.randint(3, (3, 7))),
    ]
    for m, z in models:
        for objective in (nk.ContrastiveAdjustment(), nk.KL(), nk.Reconstruction(), nk.Anchored(control=0.5)):
            loss, info = objective(m.kernel, m.denoiser, z, nk.Streams.of(0, range(3)))
            loss.backward()
        nk.synthesize(m, 2, steps=3)
        nk.equilibrate(m, z, 2, steps=2, readout=1)
        nk.vary(m, z, 2, below=0.5, steps=2)
        next(iter(nk.walk(m, z, steps=2)))
        nk.fill(m, z, torch.ones_like(z, dtype=torch.bool), steps=2, equilibrium=1)
        nk.steer(m, z, lambda clean: clean.float().flatten(1).mean(1), beta=0.2, steps=2, readout=1)
    finite = nk.FiniteKernel(4)
    nk.contrastive_adjustment(finite.transition, torch.tensor([0, 3]), torch.Generator())
    finite.adjust(torch.tensor([0, 3]), 0.1, torch.Generator())
    finite.balance_gap(finite.stationary())
    finite.expected_loss(finite.stationary())

    try:  # the wrong twin: the checker does check
        nk.distributions.sum_elements(torch.zeros(2, 3, dtype=torch.int64))
    except Exception as error:
        assert "sum_elements" in str(error), error
    else:
        raise SystemExit("a wrong dtype was not noticed")
    print("all shapes hold")
"""


def test_annotated_shapes_hold():
    command, one_thread = [sys.executable, "-c", textwrap.dedent(EXERCISE)], {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=one_thread)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "all shapes hold" in done.stdout
