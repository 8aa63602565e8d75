"""The models of test/model/language/ownDensities.test.ts by numpy: log densities and their gradients. Writes ../ownDensities.json.

Every log density is written from its formula with dense matrices, and differentiated by complex steps, which have no rounding error.
"""
import json
import math
import pathlib

import numpy as np

random = np.random.default_rng(5)
N, D = 8, 3
lgamma = np.vectorize(math.lgamma)
exposure = 2.0 + np.arange(N)[:, None] % 4
counts = random.poisson(exposure * np.exp(0.5 * random.normal(size=(N, D)))) * (random.uniform(size=(N, D)) > 0.3)
pose = np.round(random.normal(size=(N, 2)), 6)
sound = np.round(random.normal(size=(N, D)), 6)
sound[3:5] = np.nan


def standard(x):
    return -0.5 * (x * x).sum() - x.size / 2 * np.log(2 * np.pi)


def normal(x, m, variance):
    return -0.5 * (x - m) ** 2 / variance - 0.5 * np.log(2 * np.pi * variance)


def columns(Y, K):
    """Columns that are normal with covariance K."""
    n, q = Y.shape
    return -0.5 * (Y * np.linalg.solve(K, Y)).sum() - q / 2 * np.log(np.linalg.det(K)) - n * q / 2 * np.log(2 * np.pi)


def process(Y, X, v):
    gaps = (X[:, None] - X[None]) / v["lengthscale"]
    K = v["variance"] * np.exp(-0.5 * (gaps**2).sum(-1)) + v["noise"] * np.eye(len(X))
    return columns(Y - Y.mean(0), K)


def kernel(v, name):
    return {
        "variance": v[f"{name}.kernel.rbf.variance"],
        "lengthscale": v[f"{name}.kernel.rbf.lengthscale"],
        "noise": v[f"{name}.noise"],
    }


def zeros(v):
    """p(0) = g + (1 − g)·exp(−m), p(y) = (1 − g)·Poisson(y; m), m = exposure·exp(f), g = 1/(1 + exp(−gate))."""
    hidden = np.tanh(v["z"] @ v["f.layer1.weights"] + v["f.layer1.bias"])
    f = hidden @ v["f.layer2.weights"] + v["f.layer2.bias"]
    m, g = exposure * np.exp(f[:, :D]), 1 / (1 + np.exp(-f[:, D:]))
    seen = (1 - g) * np.exp(counts * np.log(m) - m - lgamma(counts + 1.0))
    return {"z": standard(v["z"]), "counts": np.log(np.where(counts == 0, g, 0) + seen).sum()}


def swinging(v):
    """x_n = 2r·cos(w)·x_{n−1} − r²·x_{n−2} + N(0, 0.3²), seen by a process and by a line, which lacks two rows."""
    x, r, w = v["x"], v["x.decay"], v["x.turn"]
    mean = 2 * r * np.cos(w) * x[1:-1] - r * r * x[:-2]
    seen = ~np.isnan(sound)
    line = normal(np.nan_to_num(sound), x @ v["line.weights"], v["sound.noise"])
    chain = standard(x[:2]) + normal(x[2:], mean, 0.09).sum()
    return {"x": chain, "pose": process(pose, x, kernel(v, "pose")), "sound": line[seen].sum()}


def bends(v):
    """Latents of precision I/2 + Σ w_k·a_k·a_kᵀ, a_k a second difference."""
    Q = 0.5 * np.eye(N) + 0 * v["z.bend"].sum()
    for k in range(N - 2):
        a = np.zeros(N)
        a[k : k + 3] = [1, -2, 1]
        Q = Q + v["z.bend"][k] * np.outer(a, a)
    return {"z": columns(v["z"], np.linalg.inv(Q)), "y": process(pose, v["z"], kernel(v, "y"))}


def entries(*shape):
    return random.normal(size=shape)


models = {
    zeros: {
        "z": entries(N, 2),
        "f.layer1.weights": entries(2, 4),
        "f.layer1.bias": entries(4),
        "f.layer2.weights": entries(4, 2 * D),
        "f.layer2.bias": entries(2 * D),
    },
    swinging: {
        "x": entries(N, 2),
        "x.decay": 0.8,
        "x.turn": 0.6,
        "pose.kernel.rbf.variance": 1.2,
        "pose.kernel.rbf.lengthscale": 0.9,
        "pose.noise": 0.2,
        "line.weights": entries(2, D),
        "sound.noise": 0.3,
    },
    bends: {
        "z": entries(N, 2),
        "z.bend": 0.1 + random.uniform(size=N - 2),
        "y.kernel.rbf.variance": 1.2,
        "y.kernel.rbf.lengthscale": 0.9,
        "y.noise": 0.2,
    },
}


def gradient(f, v, path):
    """By complex steps: Im f(x + ih)/h."""
    start = np.asarray(v[path], dtype=complex)
    result = np.zeros(start.shape)
    for index in np.ndindex(start.shape):
        moved = start.copy()
        moved[index] += 1e-30j
        result[index] = sum(f({**v, path: moved}).values()).imag / 1e-30
    return result.tolist()


def evaluated(f, v):
    v = {path: np.round(value, 6) for path, value in v.items()}
    return {
        "values": {path: value.tolist() for path, value in v.items()},
        "terms": {name: float(np.real(term)) for name, term in f(v).items()},
        "gradients": {path: gradient(f, v, path) for path in v},
    }


plain = lambda rows: [[None if np.isnan(entry) else entry for entry in row] for row in rows.tolist()]
result = {
    "data": {"counts": counts.tolist(), "exposure": exposure.tolist(), "pose": pose.tolist(), "sound": plain(sound)},
    "models": {f.__name__: evaluated(f, v) for f, v in models.items()},
}
out = pathlib.Path(__file__).resolve().parent.parent / "ownDensities.json"
out.write_text(json.dumps(result, indent=1) + "\n")
