"""The collapsed bound of a Bayesian GPLVM with an rbf (one lengthscale a dimension) and its gradient, by numpy and its BLAS.

  bayesianGplvm.py FILE SECONDS    times it at the values in FILE, prints {"ms", "value", "gradient"}

FILE holds doubles: N, D, M, q, the variance of the rbf, the noise, the jitter, then Y, means, variances, inducing inputs, lengthscales. Chunks of points
go through one matrix product each: Psi_2 and its gradients are products with all pairs of inducing inputs.
"""
import json
import sys
import time

import numpy as np
from scipy.linalg import cho_solve, cholesky

CHUNK = 256


def pairs(Z):
    middle = (0.5 * (Z[:, None, :] + Z[None, :, :])).reshape(-1, Z.shape[1])
    return middle, (Z[:, None, :] - Z[None, :, :]).reshape(-1, Z.shape[1])


def psi1(mean, variance, Z, v, l2):
    spread = l2 + variance
    w = 1 / spread
    log = -0.5 * ((mean**2 * w).sum(1)[:, None] - 2 * (mean * w) @ Z.T + w @ (Z**2).T)
    return v * np.exp(log - 0.5 * np.log(spread / l2).sum(1)[:, None]), w


def chunks(n):
    return [slice(k, min(n, k + CHUNK)) for k in range(0, n, CHUNK)]


def products(mean, variance, middle, v, l2):
    """Psi_2 of the points of a chunk before what depends on pairs alone, points x pairs."""
    spread = l2 + 2 * variance
    w = 1 / spread
    log = -((mean**2 * w).sum(1)[:, None] - 2 * (mean * w) @ middle.T + w @ (middle**2).T)
    return v * v * np.exp(log - 0.5 * np.log(spread / l2).sum(1)[:, None]), w


def bound(Y, mean, variance, Z, lengthscale, v, noise, jitter):
    N, D = Y.shape
    M, q = Z.shape
    l2 = lengthscale**2
    middle, apart = pairs(Z)
    between = np.exp(-(apart**2 / (4 * l2)).sum(1))
    Psi1, w1 = psi1(mean, variance, Z, v, l2)
    total = np.zeros(M * M)
    kept = []
    for own in chunks(N):
        part, w = products(mean[own], variance[own], middle, v, l2)
        kept.append((own, part, w))
        total += part.sum(0)
    Psi2 = (total * between).reshape(M, M)
    smooth = v * np.exp(-(apart**2 / (2 * l2)).sum(1)).reshape(M, M)
    K = smooth + jitter * np.eye(M)
    C = K + Psi2 / noise
    LK, LC = cholesky(K, lower=True), cholesky(C, lower=True)
    KI, CI = cho_solve((LK, True), np.eye(M)), cho_solve((LC, True), np.eye(M))
    P = Psi1.T @ Y
    u = CI @ P
    energy = (Y * Y).sum()
    psi0 = N * v
    trace = (KI * Psi2).sum()
    kl = 0.5 * (mean**2 + variance - np.log(variance) - 1).sum()
    value = (
        -0.5 * N * D * np.log(2 * np.pi * noise)
        - D * (np.log(np.diag(LC)).sum() - np.log(np.diag(LK)).sum())
        - energy / (2 * noise)
        + 0.5 * (P * u).sum() / noise**2
        - 0.5 * D * (psi0 - trace) / noise
        - kl
    )

    uu = u @ u.T
    dPsi1 = Y @ u.T / noise**2
    dPsi2 = (-0.5 * D * CI / noise - 0.5 * uu / noise**3 + 0.5 * D * KI / noise).reshape(-1)
    dK = -0.5 * D * CI + 0.5 * D * KI - 0.5 * uu / noise**2 - 0.5 * D * KI @ Psi2 @ KI / noise
    dNoise = (
        -0.5 * N * D / noise
        + 0.5 * energy / noise**2
        + 0.5 * D * (CI * Psi2).sum() / noise**2
        - (P * u).sum() / noise**3
        + 0.5 * (uu * Psi2).sum() / noise**4
        + 0.5 * D * (psi0 - trace) / noise**2
    )
    dMean, dVariance = -mean, -0.5 * (1 - 1 / variance)
    dZ, dL2 = np.zeros_like(Z), np.zeros(q)

    E = dPsi1 * Psi1
    sums, first, second = E.sum(1)[:, None], E @ Z, E @ Z**2
    squares = mean**2 * sums - 2 * mean * first + second
    dMean += -w1 * (mean * sums - first)
    dSpread = 0.5 * w1**2 * squares - 0.5 * w1 * sums
    dVariance += dSpread
    dL2 += (dSpread + 0.5 * sums / l2).sum(0)
    dZ += E.T @ (w1 * mean) - (E.T @ w1) * Z

    dMiddle = np.zeros_like(middle)
    weight = dPsi2 * between
    perPair = np.zeros(M * M)
    for own, part, w in kept:
        E = part * weight
        m = mean[own]
        sums, first, second = E.sum(1)[:, None], E @ middle, E @ middle**2
        squares = m**2 * sums - 2 * m * first + second
        dMean[own] += -2 * w * (m * sums - first)
        dSpread = w**2 * squares - 0.5 * w * sums
        dVariance[own] += 2 * dSpread
        dL2 += (dSpread + 0.5 * sums / l2).sum(0)
        dMiddle += 2 * (E.T @ (w * m) - (E.T @ w) * middle)
        perPair += E.sum(0)
    dApart = -perPair[:, None] * apart / (2 * l2)
    dL2 += (perPair[:, None] * apart**2).sum(0) / (4 * l2**2)
    kernel = (dK * smooth).reshape(-1)[:, None]
    dApart += -kernel * apart / l2
    dL2 += (kernel * apart**2).sum(0) / (2 * l2**2)
    dMiddle, dApart = dMiddle.reshape(M, M, q), dApart.reshape(M, M, q)
    dZ += 0.5 * (dMiddle.sum(0) + dMiddle.sum(1)) + dApart.sum(1) - dApart.sum(0)
    return value, [dMean, dVariance, dZ, 2 * lengthscale * dL2, np.array([dNoise])]


def main(file, seconds):
    numbers = np.fromfile(file)
    N, D, M, q = (int(entry) for entry in numbers[:4])
    v, noise, jitter = numbers[4:7]
    parts, at = [], 7
    for rows, columns in ((N, D), (N, q), (N, q), (M, q), (1, q)):
        parts.append(numbers[at : at + rows * columns].reshape(rows, columns))
        at += rows * columns
    Y, mean, variance, Z, lengthscale = parts
    value, gradient = bound(Y, mean, variance, Z, lengthscale[0], v, noise, jitter)
    times = []
    end = time.perf_counter() + float(seconds)
    while len(times) < 3 or (time.perf_counter() < end and len(times) < 60):
        start = time.perf_counter()
        bound(Y, mean * (1 + 1e-6 * len(times)), variance, Z, lengthscale[0], v, noise, jitter)
        times.append(time.perf_counter() - start)
    norms = [float(np.abs(part).max()) for part in gradient]
    print(json.dumps({"ms": 1000 * float(np.median(times)), "value": float(value), "gradient": norms}))


if __name__ == "__main__":
    main(*sys.argv[1:3])
