"""Tiny pipelines of diffusers, as `save_pretrained` writes them."""

import diffusers
import torch

SETTINGS = {
    "sample_size": 8,
    "block_out_channels": [8, 16],
    "down_block_types": ["DownBlock2D", "AttnDownBlock2D"],
    "up_block_types": ["AttnUpBlock2D", "UpBlock2D"],
    "layers_per_block": 1,
    "norm_num_groups": 4,
    "attention_head_dim": 4,
}


def network(seed=0, **changes):
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return diffusers.UNet2DModel(**{**SETTINGS, **changes}).eval()


def pipeline(scheduler=None, **changes):
    scheduler = diffusers.DDPMScheduler() if scheduler is None else scheduler
    return diffusers.DDPMPipeline(network(**changes), scheduler)


def pictures(n=12, channels=3, side=8):
    """Light from one side, at random: bytes of shape (n, side, side, channels)."""
    generator = torch.Generator().manual_seed(5)
    slope = torch.rand(n, 1, 1, channels, generator=generator) * torch.linspace(0, 1, side)[:, None]
    noise = 0.1 * torch.rand(n, side, side, channels, generator=generator)
    return (200 * slope + 255 * noise).to(torch.uint8).numpy()
