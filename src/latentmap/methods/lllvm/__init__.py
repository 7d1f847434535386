"""The locally linear latent variable model (Park et al. 2015), by variational EM."""
