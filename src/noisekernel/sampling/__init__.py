"""From a denoiser to samples: models, schedules, samplers, the chain, and the noise that a sample is made of."""
