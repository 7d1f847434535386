"""EM, Saul (5)-(21) and SI (43), on dense n x n matrices, for the paper's Gaussian latents and for finite dof.

mu is (n, d), var holds sigma_i^2 as (n,). S, D, delta2 and Delta2 are (n, n); entry [i, j] belongs to the ordered
pair (x_i, x_j), whose experiment draws h around mu_i and h' around mu_j. A pair counts where its weight is not zero;
elsewhere delta2 and Delta2 may hold anything, nan included.

Finite dof, alpha = dof / 2. An experiment first draws tau ~ Gamma(alpha, rate alpha), of mean 1; then
h ~ N(mu_i, sigma_i^2 / tau), h' ~ N(mu_j, sigma_j^2 / tau), P(c = 1 | h, h', tau) = exp(-tau |h - h'|^2 / (2 delta^2)).
Let v = delta^2 + sigma_i^2 + sigma_j^2 and r^2 = |mu_i - mu_j|^2.

Given tau this is the paper's model with every variance and squared length scale divided by tau, so P(c = 1 | tau) =
(delta^2 / v)^(d/2) exp(-tau r^2 / (2 v)). Its mean over tau takes the place of (5); and tau | c = 1 is Gamma(alpha,
rate alpha + r^2 / (2 v)), of mean omega = 1 / (1 + r^2 / (2 alpha v)).

The M-steps maximise means of log N(h; mu_i, sigma_i^2 / tau), which is linear in tau h, tau |h|^2 and tau. So where
the paper has E[h | c], E[|h - mu_i|^2 | c] and 1, finite dof has E[tau h | c], E[tau |h - mu_i|^2 | c] and E[tau | c].
For c = 1 they follow from (10) and (16) given tau, where E[h | c = 1, tau] does not depend on tau. For c = 0 they
follow as in SI (22) and (24): prior mean = P(c = 0) E[. | c = 0] + P(c = 1) E[. | c = 1], that is,
E[. | c = 0] = (1 + nu) (prior mean) - nu E[. | c = 1], the prior means being mu_i, d sigma_i^2 and 1.
"""

from math import inf

import numpy as np


def log_likelihood(mu, var, S, D, delta2, Delta2, dof=inf):
    log_near = log_probability(mu, var, _where_weighted(delta2, S), dof)
    log_coincide = log_probability(mu, var, _where_weighted(Delta2, D), dof)
    return (S * log_near + D * np.log(-np.expm1(log_coincide))).sum()  # Saul (6)


def em_step(mu, var, S, D, delta2, Delta2, dof=inf, *, previous_mu=None, momentum=0.0, tied=False):
    """mu^(t+1) from mu^(t), then sigma^2 from mu^(t+1)."""
    new_mu = update_means(mu, var, S, D, delta2, Delta2, dof)
    if previous_mu is not None:
        new_mu = new_mu + momentum * (mu - previous_mu)  # SI (43)
    return new_mu, update_variances(new_mu, var, S, D, delta2, Delta2, dof, tied=tied)


def update_means(mu, var, S, D, delta2, Delta2, dof=inf):
    Delta2 = _where_weighted(Delta2, D)
    L = system_matrix(mu, var, S, D, delta2, Delta2, dof)
    h, h_prime = posterior_means_dissimilar(mu, var, Delta2, dof)
    total = D[:, :, None] * h + (D[:, :, None] * h_prime).swapaxes(0, 1)
    return np.linalg.solve(L, total.sum(axis=1) / var[:, None])  # Saul (20)


def update_variances(mu, var, S, D, delta2, Delta2, dof=inf, *, tied=False):
    """The maximiser of the lower bound SI (39).

    Tied: with sigma_i = sigma for all i the bound is
    -sum_ij (S_ij + D_ij) 2 d log sigma - sum_ij (S_ij (phi + phi')_ij + D_ij (psi + psi')_ij) / (2 sigma^2) + const,
    whose maximiser is the mean of the sigma_i^2 of (21), weighted by the denominators of (21). It never lowers the
    likelihood of variances that were equal before.
    """
    d = mu.shape[1]
    phi, phi_prime = second_moments_similar(mu, var, _where_weighted(delta2, S), dof)
    psi, psi_prime = second_moments_dissimilar(mu, var, _where_weighted(Delta2, D), dof)
    squares = (S * phi + (S * phi_prime).T + D * psi + (D * psi_prime).T).sum(axis=1)
    weights = (S + S.T + D + D.T).sum(axis=1)
    if tied:
        return np.full_like(var, squares.sum() / (d * weights.sum()))
    return squares / (d * weights)  # Saul (21)


def joint_step(mu, var, S, D, delta2, Delta2):
    """mu^(t+1) and sigma^2 at once, for the paper's Gaussian: the maximiser of one lower bound on both.

    By Jensen's inequality over all pairs, similar ones too, the bound is, up to a constant,
    -sum_ij w_ij (d log sigma_i + d log sigma_j + E[|h - mu_i|^2 | c] / (2 sigma_i^2) + E[|h' - mu_j|^2 | c] /
    (2 sigma_j^2)), w = S where c = 1 and D where c = 0. So each mu_i is the mean of what is expected of its latent
    variables, and each sigma_i^2 the mean of their squared distances from that mu_i, by dimension.
    """
    n, d = mu.shape
    delta2, Delta2 = _where_weighted(delta2, S), _where_weighted(Delta2, D)
    near, near_prime = posterior_means_similar(mu, var, delta2)
    apart, apart_prime = posterior_means_dissimilar(mu, var, Delta2)
    phi, phi_prime = second_moments_similar(mu, var, delta2)
    psi, psi_prime = second_moments_dissimilar(mu, var, Delta2)
    new_mu, new_var = np.empty_like(mu), np.empty_like(var)
    for i in range(n):
        # Weight, E[h | c], and E[|h - mu_i|^2 | c] about the old mu_i, of all latent variables drawn around mu_i.
        drawn = [
            *((S[i, j], near[i, j], phi[i, j]) for j in range(n)),
            *((S[j, i], near_prime[j, i], phi_prime[j, i]) for j in range(n)),
            *((D[i, j], apart[i, j], psi[i, j]) for j in range(n)),
            *((D[j, i], apart_prime[j, i], psi_prime[j, i]) for j in range(n)),
        ]
        total = sum(w for w, _, _ in drawn)
        new_mu[i] = sum(w * h for w, h, _ in drawn) / total
        shift = new_mu[i] - mu[i]
        # E|h - new|^2 = E|h - old|^2 - 2 (E[h] - old) . (new - old) + |new - old|^2
        squares = sum(w * (square - 2 * (h - mu[i]) @ shift + shift @ shift) for w, h, square in drawn)
        new_var[i] = squares / (d * total)
    return new_mu, new_var


def forces(mu, var, S, D, delta2, Delta2, dof=inf):
    """The gradient of the log-likelihood by mu, (n, d), from SI (5): sigma_i^2 d log P / d mu_i = E[h - mu_i | c]."""
    delta2, Delta2 = _where_weighted(delta2, S), _where_weighted(Delta2, D)
    mu_i, mu_j = mu[:, None, :], mu[None, :, :]
    near, near_prime = posterior_means_similar(mu, var, delta2, dof)
    apart, apart_prime = posterior_means_dissimilar(mu, var, Delta2, dof)
    omega = precision_similar(mu, var, delta2, dof)[:, :, None]
    precision = precision_dissimilar(mu, var, Delta2, dof)[:, :, None]
    on_h = S[:, :, None] * (near - omega * mu_i) + D[:, :, None] * (apart - precision * mu_i)
    on_h_prime = S[:, :, None] * (near_prime - omega * mu_j) + D[:, :, None] * (apart_prime - precision * mu_j)
    return (on_h.sum(axis=1) + on_h_prime.sum(axis=0)) / var[:, None]


def variance_forces(mu, var, S, D, delta2, Delta2, dof=inf):
    """The gradient of the log-likelihood by sigma^2, (n,): zero where (21) no longer moves.

    The mean of d log N(h; mu_i, sigma_i^2 / tau) / d sigma_i^2 is
    (E[tau |h - mu_i|^2 | c] - d sigma_i^2) / (2 sigma_i^4).
    """
    d = mu.shape[1]
    phi, phi_prime = second_moments_similar(mu, var, _where_weighted(delta2, S), dof)
    psi, psi_prime = second_moments_dissimilar(mu, var, _where_weighted(Delta2, D), dof)
    on_h = S * (phi - d * var[:, None]) + D * (psi - d * var[:, None])
    on_h_prime = S * (phi_prime - d * var[None, :]) + D * (psi_prime - d * var[None, :])
    return (on_h.sum(axis=1) + on_h_prime.sum(axis=0)) / (2 * var**2)


def system_matrix(mu, var, S, D, delta2, Delta2, dof=inf):
    """L, (n, n).

    Similar pairs, finite dof: log P(c = 1) = -alpha log(1 + r^2 / (2 alpha v)) + const is convex in r^2, so its tangent
    -omega r^2 / (2 v) + const is a lower bound, which takes the place of SI (31).
    """
    delta2, Delta2 = _where_weighted(delta2, S), _where_weighted(Delta2, D)
    _, _, v = _pairs(mu, var, delta2)
    stiffness = S * precision_similar(mu, var, delta2, dof) / v
    W = stiffness + stiffness.T  # Saul (18)
    anchors = D * precision_dissimilar(mu, var, Delta2, dof)
    return np.diag(W.sum(axis=1) + (anchors + anchors.T).sum(axis=1) / var) - W  # Saul (19)


def log_probability(mu, var, scale2, dof=inf):
    """log P(c = 1 | x_i, x_j), (n, n), for scale2 = delta^2 or Delta^2."""
    d = mu.shape[1]
    _, r2, v = _pairs(mu, var, scale2)
    log_ratio = -np.log1p((var[:, None] + var[None, :]) / scale2)  # log(delta^2 / v)
    if dof == inf:
        return d / 2 * log_ratio - r2 / (2 * v)  # Saul (5)
    alpha = dof / 2
    return d / 2 * log_ratio - alpha * np.log1p(r2 / (2 * alpha * v))


def odds(mu, var, Delta2, dof=inf):
    """nu_ij, (n, n)."""
    log_p = log_probability(mu, var, Delta2, dof)
    return np.exp(log_p) / -np.expm1(log_p)  # Saul (9)


def precision_similar(mu, var, scale2, dof=inf):
    """omega = E[tau | c = 1], (n, n): 1 in the paper."""
    _, r2, v = _pairs(mu, var, scale2)
    return 1 / (1 + r2 / (dof * v))


def precision_dissimilar(mu, var, Delta2, dof=inf):
    """E[tau | c = 0] = (1 + nu) - nu omega, (n, n): 1 in the paper."""
    return 1 + odds(mu, var, Delta2, dof) * (1 - precision_similar(mu, var, Delta2, dof))


def posterior_means_similar(mu, var, delta2, dof=inf):
    """E[tau h | c = 1] and E[tau h' | c = 1], (n, n, d) each."""
    difference, _, v = _pairs(mu, var, delta2)
    omega = precision_similar(mu, var, delta2, dof)[:, :, None]
    h = mu[:, None, :] - (var[:, None] / v)[:, :, None] * difference  # Saul (10)
    h_prime = mu[None, :, :] + (var[None, :] / v)[:, :, None] * difference  # Table S1
    return omega * h, omega * h_prime


def posterior_means_dissimilar(mu, var, Delta2, dof=inf):
    """E[tau h | c = 0] and E[tau h' | c = 0], (n, n, d) each.

    (1 + nu) mu_i - nu omega (mu_i - (sigma_i^2 / v) (mu_i - mu_j)), sorted by mu_i and mu_i - mu_j: the prior mean
    of (11) gets the factor E[tau | c = 0], and its correction the factor omega.
    """
    difference, _, v = _pairs(mu, var, Delta2)
    nu, omega = odds(mu, var, Delta2, dof), precision_similar(mu, var, Delta2, dof)
    precision = precision_dissimilar(mu, var, Delta2, dof)[:, :, None]
    h = precision * mu[:, None, :] + (nu * omega * var[:, None] / v)[:, :, None] * difference  # Saul (11)
    h_prime = precision * mu[None, :, :] - (nu * omega * var[None, :] / v)[:, :, None] * difference  # Table S1
    return h, h_prime


def second_moments_similar(mu, var, delta2, dof=inf):
    """phi = E[tau |h - mu_i|^2 | c = 1] and phi' = E[tau |h' - mu_j|^2 | c = 1], (n, n) each: Saul (12)-(13)."""
    bracket = _excess_square(mu, var, delta2, dof)
    var_i, var_j = var[:, None], var[None, :]
    phi = var_i * (mu.shape[1] + var_i * bracket)  # Saul (16)
    phi_prime = var_j * (mu.shape[1] + var_j * bracket)  # Table S1
    return phi, phi_prime


def second_moments_dissimilar(mu, var, Delta2, dof=inf):
    """psi = E[tau |h - mu_i|^2 | c = 0] and psi' = E[tau |h' - mu_j|^2 | c = 0], (n, n) each: Saul (14)-(15).

    By SI (24) it is (1 + nu) d sigma_i^2 - nu phi, with phi at the length scale Delta.
    """
    bracket = odds(mu, var, Delta2, dof) * _excess_square(mu, var, Delta2, dof)
    var_i, var_j = var[:, None], var[None, :]
    psi = var_i * (mu.shape[1] - var_i * bracket)  # Saul (17)
    psi_prime = var_j * (mu.shape[1] - var_j * bracket)  # Table S1
    return psi, psi_prime


def _excess_square(mu, var, scale2, dof):
    """(omega r^2 / v - d) / v."""
    _, r2, v = _pairs(mu, var, scale2)
    return (precision_similar(mu, var, scale2, dof) * r2 / v - mu.shape[1]) / v


def _pairs(mu, var, scale2):
    """mu_i - mu_j, its square r^2, and v."""
    difference = mu[:, None, :] - mu[None, :, :]
    return difference, (difference**2).sum(axis=-1), scale2 + var[:, None] + var[None, :]


def _where_weighted(scale2, weight):
    """Any finite length will do for a pair that does not count; nan or 0 would spoil the sums."""
    return np.where(weight != 0, scale2, 1.0)
