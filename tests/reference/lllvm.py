"""Park et al. (2015), with all matrices and Kronecker products written out."""

import numpy as np

LOG2PI = np.log(2 * np.pi)


class Model:
    """The model of rows ``y`` (n, d_y) with a dense adjacency ``G``; C is (d_y, n d_x), x is (n d_x)."""

    def __init__(self, y, G, d_x, epsilon):
        self.y, self.G, self.d_x, self.epsilon = y, G, d_x, epsilon
        self.n, self.d_y = y.shape
        self.L = np.diag(G @ np.ones(self.n)) - G
        self.inverse_omega = np.kron(2 * self.L, np.eye(d_x))

    def block(self, i):
        return slice(i * self.d_x, (i + 1) * self.d_x)

    def q_x(self, mu_c, sigma_c, alpha, gamma):
        """(51)-(57), and (57) with the trace of the unit matrix that (72) has."""
        n, d_x, G, y = self.n, self.d_x, self.G, self.y
        C = [mu_c[:, self.block(i)] for i in range(n)]
        b = np.zeros(n * d_x)
        for i in range(n):
            for j in range(n):
                b[self.block(i)] += gamma * G[i, j] * (C[j].T @ (y[i] - y[j]) - C[i].T @ (y[j] - y[i]))
        A = self.a(self.d_y * sigma_c + mu_c.T @ mu_c, gamma)
        sigma = np.linalg.inv(A + alpha * np.eye(n * d_x) + self.inverse_omega)
        return sigma @ b, sigma

    def a(self, CC, gamma):
        """(44), of the expected C' C, (n d_x, n d_x)."""
        n, G = self.n, self.G
        own = [CC[self.block(i), self.block(i)] for i in range(n)]
        A = np.zeros_like(CC)
        for i in range(n):
            for j in range(n):
                delta = float(i == j)
                around = sum(G[i, k] * (own[k] + own[i]) for k in range(n))
                A[self.block(i), self.block(j)] = gamma * ((delta - 1) * G[i, j] * (own[i] + own[j]) + delta * around)
        return A

    def q_c(self, mu_x, sigma_x, beta, gamma):
        """(65)-(70), and (11) with the covariance of vec(C)."""
        Gamma, H = self.gamma_and_h(mu_x, sigma_x, gamma)
        inverse = np.kron(Gamma, np.eye(self.d_y)) + np.kron(self.prior_of_maps(), beta * np.eye(self.d_y))
        sigma = np.linalg.inv(inverse)
        mu = sigma @ (gamma * H).ravel(order="F")
        return mu.reshape(H.shape, order="F"), sigma[:: self.d_y, :: self.d_y], sigma

    def prior_of_maps(self):
        """The precision in (19)."""
        return self.epsilon * np.eye(self.n * self.d_x) + self.inverse_omega

    def gamma_and_h(self, mu_x, sigma_x, gamma):
        """(67), with gamma, and (69)."""
        n, d_x, G, y = self.n, self.d_x, self.G, self.y
        X, H = mu_x.reshape(n, d_x), np.zeros((self.d_y, n * d_x))
        for i in range(n):
            for j in range(n):
                H[:, self.block(i)] += G[i, j] * np.outer(y[j] - y[i], X[j] - X[i])
        return self.big_gamma(sigma_x + np.outer(mu_x, mu_x), gamma), H

    def big_gamma(self, xx, gamma):
        """(67)-(68) with gamma, of the expected x x', (n d_x, n d_x)."""
        n, Gamma = self.n, np.zeros_like(xx)
        for i in range(n):
            for j in range(n):
                ways = ((1, j, j), (-1, j, i), (-1, i, j), (1, i, i))
                Gamma[self.block(i), self.block(i)] += (
                    gamma * self.G[i, j] * sum(sign * xx[self.block(a), self.block(b)] for sign, a, b in ways)
                )
        return Gamma

    def log_joint(self, x, C, alpha, beta, gamma):
        """(13), (20) and (23), term by term, of one x and one C."""
        n, d_x, d_y, G = self.n, self.d_x, self.d_y, self.G
        X = x.reshape(n, d_x)
        maps = [C[:, self.block(i)] for i in range(n)]
        unit = np.eye(n * d_x)
        pi = np.linalg.inv(alpha * unit + self.inverse_omega)
        cov_c = np.kron(np.linalg.inv(self.prior_of_maps()), np.eye(d_y) / beta)
        total = -0.5 * sum(np.linalg.slogdet(2 * np.pi * matrix)[1] for matrix in (pi, cov_c))
        for i in range(n):
            total -= 0.5 * alpha * X[i] @ X[i] + 0.5 * beta * self.epsilon * np.sum(maps[i] ** 2)
            for j in range(n):
                total -= 0.5 * G[i, j] * np.sum((X[i] - X[j]) ** 2)
                total -= 0.5 * G[i, j] * beta * np.sum((maps[i] - maps[j]) ** 2)
        return total + self.log_likelihood(self.y, X, maps, gamma)

    def log_likelihood(self, y, X, maps, gamma):
        """(23), with the constant (31)."""
        precision = np.kron(self.epsilon * np.eye(self.n) + 2 * gamma * self.L, np.eye(self.d_y))
        total = 0.5 * np.linalg.slogdet(precision / (2 * np.pi))[1]
        for i in range(self.n):
            total -= 0.5 * self.epsilon * y[i] @ y[i]
            for j in range(self.n):
                away = y[j] - y[i] - maps[i] @ (X[j] - X[i])
                total -= 0.5 * self.G[i, j] * gamma * away @ away
        return total

    def bound(self, mu_x, sigma_x, mu_c, sigma_c, alpha, beta, gamma):
        """(37): the expected log joint and the entropies.

        The log joint is quadratic in x for each C and the other way round, so its expectation over q is exact by a
        cubature that takes each principal direction of x and of vec(C) by itself, and all pairs of them.
        """
        big = np.kron(sigma_c, np.eye(self.d_y))
        ways_x = np.linalg.cholesky(sigma_x)
        ways_c = np.linalg.cholesky(big)

        def at(x, c):
            return self.log_joint(x, c.reshape(mu_c.shape, order="F"), alpha, beta, gamma)

        c0 = mu_c.ravel(order="F")
        expected = middle = at(mu_x, c0)
        # E f = f + 1/2 sum f_xx + 1/2 sum f_cc + 1/4 sum f_xxcc along the columns of the Cholesky factors.
        for a in ways_x.T:
            expected += 0.5 * (at(mu_x + a, c0) + at(mu_x - a, c0) - 2 * middle)
        for c in ways_c.T:
            bent = at(mu_x, c0 + c) + at(mu_x, c0 - c) - 2 * middle
            expected += 0.5 * bent
            for a in ways_x.T:
                there = sum(
                    at(mu_x + s * a, c0 + c) + at(mu_x + s * a, c0 - c) - 2 * at(mu_x + s * a, c0) for s in (1, -1)
                )
                expected += 0.25 * (there - 2 * bent)
        entropy = 0.5 * sum(np.linalg.slogdet(2 * np.pi * np.e * matrix)[1] for matrix in (sigma_x, big))
        return expected + entropy


class Normalised(Model):
    """The same with the Gaussian (29)-(31), in which epsilon holds the mean of all rows alone."""

    def precision(self, gamma):
        """(32), of one column."""
        return self.epsilon * np.ones((self.n, self.n)) + 2 * gamma * self.L

    def factors(self, gamma):
        """What is the factor of C_a x_p in row i of (27), as an array [i, a, p]."""
        T = np.zeros((self.n, self.n, self.n))
        for i in range(self.n):
            for j in range(self.n):
                for a in (i, j):
                    T[i, a, j] -= gamma * self.G[j, i]
                    T[i, a, i] += gamma * self.G[j, i]
        return T

    def a(self, CC, gamma):
        """e' Sigma_y e, expected over C, as a form of x."""
        blocks, T = CC.reshape(self.n, self.d_x, self.n, self.d_x), self.factors(gamma)
        sigma = np.linalg.inv(self.precision(gamma))
        return np.einsum("ij,iap,jbq,arbs->prqs", sigma, T, T, blocks, optimize=True).reshape(CC.shape)

    def big_gamma(self, xx, gamma):
        """e' Sigma_y e, expected over x, as a form of each row of C."""
        blocks, T = xx.reshape(self.n, self.d_x, self.n, self.d_x), self.factors(gamma)
        sigma = np.linalg.inv(self.precision(gamma))
        return np.einsum("ij,iap,jbq,prqs->arbs", sigma, T, T, blocks, optimize=True).reshape(xx.shape)

    def log_likelihood(self, y, X, maps, gamma):
        """(29)-(31) with (27) and (32), as the density of a normal distribution."""
        e = np.zeros_like(y)
        for i in range(self.n):
            for j in range(self.n):
                e[i] -= self.G[j, i] * gamma * (maps[j] + maps[i]) @ (X[j] - X[i])
        precision = np.kron(self.precision(gamma), np.eye(self.d_y))
        away = y.ravel() - np.linalg.solve(precision, e.ravel())
        return 0.5 * (np.linalg.slogdet(precision / (2 * np.pi))[1] - away @ precision @ away)


class Programs(Normalised):
    """The model of the authors' programs, in which epsilon holds the mean of all C alone too."""

    def prior_of_maps(self):
        J = np.kron(np.ones((self.n, 1)), np.eye(self.d_x))
        return 1e-3 * J @ J.T + self.inverse_omega
