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
        """(51)-(57), and (57) with the trace of the unit matrix that it leaves out."""
        n, d_x, G, y = self.n, self.d_x, self.G, self.y
        C = [mu_c[:, self.block(i)] for i in range(n)]
        CC = [self.d_y * sigma_c[self.block(i), self.block(i)] + C[i].T @ C[i] for i in range(n)]
        A, b = np.zeros((n * d_x, n * d_x)), np.zeros(n * d_x)
        for i in range(n):
            for j in range(n):
                delta = float(i == j)
                own = sum(G[i, k] * (CC[k] + CC[i]) for k in range(n))
                A[self.block(i), self.block(j)] = gamma * ((delta - 1) * G[i, j] * (CC[i] + CC[j]) + delta * own)
                b[self.block(i)] += gamma * G[i, j] * (C[j].T @ (y[i] - y[j]) - C[i].T @ (y[j] - y[i]))
        sigma = np.linalg.inv(A + alpha * np.eye(n * d_x) + self.inverse_omega)
        return sigma @ b, sigma

    def q_c(self, mu_x, sigma_x, beta, gamma):
        """(65)-(70), and (11) with the covariance of vec(C)."""
        Gamma, H = self.gamma_and_h(mu_x, sigma_x)
        unit = np.eye(self.n * self.d_x)
        inverse = np.kron(Gamma, gamma * np.eye(self.d_y)) + np.kron(
            self.epsilon * unit + self.inverse_omega, beta * np.eye(self.d_y)
        )
        sigma = np.linalg.inv(inverse)
        mu = sigma @ (gamma * H).ravel(order="F")
        return mu.reshape(H.shape, order="F"), sigma[:: self.d_y, :: self.d_y], sigma

    def gamma_and_h(self, mu_x, sigma_x):
        """(67)-(70)."""
        n, d_x, G, y = self.n, self.d_x, self.G, self.y
        X = mu_x.reshape(n, d_x)

        def xx(i, j):
            return sigma_x[self.block(i), self.block(j)] + np.outer(X[i], X[j])

        Gamma, H = np.zeros((n * d_x, n * d_x)), np.zeros((self.d_y, n * d_x))
        for i in range(n):
            for j in range(n):
                Gamma[self.block(i), self.block(i)] += G[i, j] * (xx(j, j) - xx(j, i) - xx(i, j) + xx(i, i))
                H[:, self.block(i)] += G[i, j] * np.outer(y[j] - y[i], X[j] - X[i])
        return Gamma, H

    def log_joint(self, x, C, alpha, beta, gamma):
        """(13), (20) and (23), term by term, of one x and one C."""
        n, d_x, d_y, G = self.n, self.d_x, self.d_y, self.G
        X = x.reshape(n, d_x)
        maps = [C[:, self.block(i)] for i in range(n)]
        unit = np.eye(n * d_x)
        sigma_y = np.linalg.inv(self.epsilon * np.eye(n * d_y) + np.kron(2 * self.L, gamma * np.eye(d_y)))
        pi = np.linalg.inv(alpha * unit + self.inverse_omega)
        cov_c = np.kron(np.linalg.inv(self.epsilon * unit + self.inverse_omega), np.eye(d_y) / beta)
        total = -0.5 * sum(np.linalg.slogdet(2 * np.pi * matrix)[1] for matrix in (sigma_y, pi, cov_c))
        for i in range(n):
            total -= 0.5 * self.epsilon * self.y[i] @ self.y[i]
            total -= 0.5 * alpha * X[i] @ X[i] + 0.5 * beta * self.epsilon * np.sum(maps[i] ** 2)
            for j in range(n):
                away = self.y[j] - self.y[i] - maps[i] @ (X[j] - X[i])
                total -= 0.5 * G[i, j] * gamma * away @ away
                total -= 0.5 * G[i, j] * np.sum((X[i] - X[j]) ** 2)
                total -= 0.5 * G[i, j] * beta * np.sum((maps[i] - maps[j]) ** 2)
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
