"""Bounds of models whose latents are Gaussian rows under structured priors, by numpy. Writes ../structuredLatents.json.

The collapsed bound of Titsias & Lawrence (2010) with dense Psi statistics, and E[log p(Z)] + entropy with the dense precision of each prior; gradients by
complex steps, which have no rounding error.
"""
import json
import pathlib

import numpy as np

random = np.random.default_rng(40)
N, D, q, M = 8, 3, 2, 5
t = np.round(np.linspace(0, 2, N), 6)[:, None]
Y = np.round(np.hstack([np.cos(2 * t), np.sin(2 * t), t - 1]) + 0.1 * random.normal(size=(N, D)), 6)
Y = np.round(Y - Y.mean(0), 6)
Y[-1] -= Y.sum(0)
around = np.round(random.normal(size=(N, q)), 6)
edges = [[0, 1], [0, 3], [1, 2], [2, 3], [2, 6], [3, 4], [4, 5], [5, 6], [6, 7]]
JITTER = 1e-8


def rbf(A, B, variance, lengthscale):
    gaps = (A[:, None] - B[None]) / lengthscale
    return variance * np.exp(-0.5 * (gaps**2).sum(-1))


def logdet(A):
    return np.log(np.linalg.det(A))


def bound(v):
    m, s, Z = v["z.posterior.mean"], v["z.posterior.variance"], v["y.inducing"]
    variance, l, noise = v["y.kernel.rbf.variance"], v["y.kernel.rbf.lengthscale"], v["y.noise"]
    psi1 = variance * np.prod(
        np.exp(-0.5 * (m[:, None] - Z[None]) ** 2 / (l**2 + s)[:, None]) / np.sqrt(1 + s / l**2)[:, None], axis=2
    )
    middle = (Z[:, None] + Z[None]) / 2
    between = np.exp(-(((Z[:, None] - Z[None]) / l) ** 2).sum(-1) / 4)
    psi2 = 0
    for n in range(N):
        own = np.exp(-((m[n] - middle) ** 2) / (l**2 + 2 * s[n])) / np.sqrt(1 + 2 * s[n] / l**2)
        psi2 = psi2 + variance**2 * between * own.prod(-1)
    K = rbf(Z, Z, variance, l) + JITTER * variance * np.eye(M)
    A = K + psi2 / noise
    explained = psi1.T @ Y
    return (
        -N * D / 2 * np.log(2 * np.pi * noise)
        + D / 2 * (logdet(K) - logdet(A))
        - (Y**2).sum() / (2 * noise)
        + (explained * np.linalg.solve(A, explained)).sum() / (2 * noise**2)
        - D / (2 * noise) * (N * variance - np.trace(np.linalg.solve(K, psi2)))
    )


def gaussian(m, s, Q, mean=0):
    gaps = m - mean
    energy = (gaps * (Q @ gaps)).sum() + (np.diag(Q) * s.sum(1)).sum()
    return -0.5 * energy + q / 2 * logdet(Q) - N * q / 2 * np.log(2 * np.pi)


def correlated(v, Q):
    """Rows N(m_d, (Q + diag lambda_d)^-1): the bound at their variances, their expected log density under N(0, Q^-1), and their entropy."""
    m = v["z.posterior.mean"]
    S = [np.linalg.inv(Q + np.diag(own)) for own in v["z.posterior.precision"].T]
    energy = (m * (Q @ m)).sum() + sum(np.trace(Q @ own) for own in S)
    prior = -0.5 * energy + q / 2 * logdet(Q) - N * q / 2 * np.log(2 * np.pi)
    entropy = sum(0.5 * logdet(2 * np.pi * np.e * own) for own in S)
    return bound({**v, "z.posterior.variance": np.array([np.diag(own) for own in S]).T}), prior, entropy


def laplacian(w):
    L = np.zeros((N, N), dtype=complex)
    for (i, j), weight in zip(edges, w):
        L[i, i] += weight
        L[j, j] += weight
        L[i, j] -= weight
        L[j, i] -= weight
    return L


def walk(v):
    a, s = v["z.coefficient"], v["z.variance"]
    step = np.eye(N, k=0) - a * np.eye(N, k=-1)
    weights = np.concatenate([[1], np.full(N - 1, 1 / s)])
    return (step.T * weights) @ step


def timed(v):
    K = rbf(t, t, v["z.kernel.rbf.variance"], v["z.kernel.rbf.lengthscale"]) + v["z.noise"] * np.eye(N)
    return np.linalg.inv(K)


precisions = {
    "timed": timed,
    "alongGraph": lambda v: v["z.strength"] * (laplacian(np.ones(len(edges))) + v["z.offset"] * np.eye(N)),
    "walking": walk,
    "learned": lambda v: laplacian(v["z.near"]) + 0.3 * np.eye(N),
}
priors = {
    name: lambda v, of=of: gaussian(v["z.posterior.mean"], v["z.posterior.variance"], of(v)) for name, of in precisions.items()
} | {
    "around": lambda v: gaussian(v["z.posterior.mean"], v["z.posterior.variance"], np.eye(N) / v["z.noise"], around)
}
own = {
    "timed": {"z.kernel.rbf.variance": 0.9, "z.kernel.rbf.lengthscale": 0.7, "z.noise": 0.05},
    "around": {"z.noise": 0.4},
    "alongGraph": {"z.strength": 1.2, "z.offset": 0.5},
    "walking": {"z.coefficient": 0.9, "z.variance": 0.2},
    "learned": {"z.near": np.round(random.uniform(0.1, 2, len(edges)), 6)},
}
shared = {
    "z.posterior.mean": np.round(random.normal(size=(N, q)), 6),
    "z.posterior.variance": np.round(random.uniform(0.1, 0.6, (N, q)), 6),
    "y.inducing": np.round(random.normal(size=(M, q)), 6),
    "y.kernel.rbf.variance": 1.3,
    "y.kernel.rbf.lengthscale": np.array([0.8, 1.4]),
    "y.noise": 0.1,
}


def gradient(f, v, path):
    """By complex steps: Im f(x + ih)/h."""
    start = np.asarray(v[path], dtype=complex)
    result = np.zeros(start.shape)
    for index in np.ndindex(start.shape):
        moved = start.copy()
        moved[index] += 1e-30j
        result[index] = f({**v, path: moved[()] if start.ndim == 0 else moved}).imag / 1e-30
    return result


def entropy(v):
    return 0.5 * np.log(2 * np.pi * np.e * v["z.posterior.variance"]).sum()


models = {}
for name, prior in priors.items():
    v = {**shared, **own[name]}
    objective = lambda v, prior=prior: bound(v) + prior(v) + entropy(v)
    models[name] = {
        "values": {path: np.asarray(value).tolist() for path, value in v.items()},
        "terms": {"y": float(np.real(bound(v))), "z": float(np.real(prior(v))), "z.entropy": float(entropy(v))},
        "gradients": {path: gradient(objective, v, path).tolist() for path in v},
    }

# The same priors with rows that are correlated as they have it.
lambdas = np.round(random.uniform(0.2, 3, (N, q)), 6)
for name, precision in precisions.items():
    v = {**{path: value for path, value in shared.items() if path != "z.posterior.variance"}, "z.posterior.precision": lambdas, **own[name]}
    objective = lambda v, precision=precision: sum(correlated(v, precision(v)))
    y, z, rows = correlated(v, precision(v))
    models[f"{name}, correlated"] = {
        "values": {path: np.asarray(value).tolist() for path, value in v.items()},
        "terms": {"y": float(np.real(y)), "z": float(np.real(z)), "z.entropy": float(np.real(rows))},
        "gradients": {path: gradient(objective, v, path).tolist() for path in v},
    }

# A process of latents that are N(0, I) and of the batch that each row is of: the covariance is an rbf of the latents plus a linear one of the batches.
batch = np.array([[1, 0]] * 3 + [[0, 1]] * 5, dtype=float)


def besideBatches(v):
    m, s, Z = v["z.posterior.mean"], v["z.posterior.variance"], v["y.inducing"]
    variance, l, noise = v["y.kernel.rbf.variance"], v["y.kernel.rbf.lengthscale"], v["y.noise"]
    effects = v["y.kernel.linear.variance"]
    X, B = Z[:, :q], Z[:, q:]
    psi1 = variance * np.prod(
        np.exp(-0.5 * (m[:, None] - X[None]) ** 2 / (l**2 + s)[:, None]) / np.sqrt(1 + s / l**2)[:, None], axis=2
    )
    linear = (batch * effects) @ B.T
    middle = (X[:, None] + X[None]) / 2
    between = np.exp(-(((X[:, None] - X[None]) / l) ** 2).sum(-1) / 4)
    psi2 = 0
    for n in range(N):
        own = np.exp(-((m[n] - middle) ** 2) / (l**2 + 2 * s[n])) / np.sqrt(1 + 2 * s[n] / l**2)
        cross = np.outer(psi1[n], linear[n])
        psi2 = psi2 + variance**2 * between * own.prod(-1) + cross + cross.T + np.outer(linear[n], linear[n])
    K = rbf(X, X, variance, l) + (B * effects) @ B.T
    K = K + JITTER * np.trace(K) / M * np.eye(M)
    A = K + psi2 / noise
    explained = (psi1 + linear).T @ Y
    prior = -0.5 * (m**2 + s).sum() - N * q / 2 * np.log(2 * np.pi)
    fits = (
        -N * D / 2 * np.log(2 * np.pi * noise)
        + D / 2 * (logdet(K) - logdet(A))
        - (Y**2).sum() / (2 * noise)
        + (explained * np.linalg.solve(A, explained)).sum() / (2 * noise**2)
        - D / (2 * noise) * (N * variance + (batch**2 * effects).sum() - np.trace(np.linalg.solve(K, psi2)))
    )
    return fits, prior


v = {
    **shared,
    "y.kernel.linear.variance": 0.7,
    "y.inducing": np.hstack([shared["y.inducing"], np.round(random.uniform(0, 1, (M, 2)), 6)]),
}
fits, prior = besideBatches(v)
models["besideBatches"] = {
    "values": {path: np.asarray(value).tolist() for path, value in v.items()},
    "terms": {"y": float(np.real(fits)), "z": float(np.real(prior)), "z.entropy": float(entropy(v))},
    "gradients": {path: gradient(lambda v: sum(besideBatches(v)) + entropy(v), v, path).tolist() for path in v},
}

# Moments of the latents at new times, given the Gaussian rows in the place of observations.
v = {**shared, **own["timed"]}
new = np.array([[0.35], [2.2]])
K = rbf(t, t, v["z.kernel.rbf.variance"], v["z.kernel.rbf.lengthscale"]) + v["z.noise"] * np.eye(N)
B = np.linalg.solve(K, rbf(t, new, v["z.kernel.rbf.variance"], v["z.kernel.rbf.lengthscale"])).T
cross = rbf(new, t, v["z.kernel.rbf.variance"], v["z.kernel.rbf.lengthscale"])
variance = (v["z.kernel.rbf.variance"] - (B * cross).sum(1))[:, None] + B**2 @ v["z.posterior.variance"]
S = [np.linalg.inv(np.linalg.inv(K) + np.diag(own)) for own in lambdas.T]
jointly = np.array([np.diag(B @ own @ B.T) for own in S]).T + (v["z.kernel.rbf.variance"] - (B * cross).sum(1))[:, None]
forecast = {"times": new.tolist(), "mean": (B @ v["z.posterior.mean"]).tolist(), "variance": variance.tolist(), "jointly": jointly.tolist()}

path = pathlib.Path(__file__).parent.parent / "structuredLatents.json"
data = {"t": t.tolist(), "batch": batch.tolist(), "Y": Y.tolist(), "around": around.tolist(), "edges": edges}
path.write_text(json.dumps({"data": data, "models": models, "forecast": forecast}, indent=1) + "\n")
