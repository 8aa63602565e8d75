"""The models of test/model/language/twelveModels.ts by numpy: log densities and their gradients. Writes ../languageModels.json.

Every log density is written from its formula with dense matrices, and differentiated by complex steps, which have no rounding error: nothing is shared with
the library's own formulas, graphs or automatic differentiation. Entry (2, 1) of the observations is missing where a model takes missing entries.
"""
import json
import pathlib

import numpy as np
from scipy.special import loggamma

random = np.random.default_rng(34)
N, D = 7, 3
t = np.linspace(0, 1, N)[:, None]
Y = np.round(np.hstack([np.cos(4 * t), np.sin(4 * t), t]) + 0.1 * random.normal(size=(N, D)), 6)
holed = Y.copy()
holed[2, 1] = np.nan
inputs = np.round(random.normal(size=(N, 4)), 6)
# The orders in which seven rows take eight shares of the normal distribution, a row for each draw: as seededRandom(1) shuffles them, which the test compares.
ORDERS = [
    [0, 2, 0, 3, 6, 4, 4],
    [6, 7, 6, 4, 7, 7, 5],
    [4, 5, 4, 2, 2, 3, 0],
    [7, 1, 3, 1, 4, 5, 2],
    [1, 4, 1, 6, 1, 1, 7],
    [5, 6, 2, 0, 3, 2, 3],
    [3, 0, 5, 5, 5, 0, 6],
    [2, 3, 7, 7, 0, 6, 1],
]


def normal(x, m, s):
    return -0.5 * ((x - m) / s) ** 2 - np.log(s) - 0.5 * np.log(2 * np.pi)


def rbf(A, B, variance, lengthscale):
    gaps = (A[:, None] - B[None]) / lengthscale
    return variance * np.exp(-0.5 * (gaps**2).sum(-1))


def gaussian(y, K):
    return -0.5 * y @ np.linalg.solve(K, y) - 0.5 * np.log(np.linalg.det(K)) - len(y) / 2 * np.log(2 * np.pi)


def process(Y, X, variance, lengthscale, noise):
    """Columns are draws of one process, each at the rows at which it is observed."""
    total = 0
    for column in Y.T:
        seen = ~np.isnan(column.real)
        K = rbf(X[seen], X[seen], variance, lengthscale) + noise * np.eye(seen.sum())
        total = total + gaussian(column[seen], K)
    return total


def centered(Y):
    return Y - np.nanmean(Y, 0)


def network(v, z, at="f"):
    units = np.tanh(z @ v[f"{at}.layer1.weights"] + v[f"{at}.layer1.bias"])
    return units @ v[f"{at}.layer2.weights"] + v[f"{at}.layer2.bias"]


def weights(q, hidden, columns, at="f"):
    return {
        f"{at}.layer1.weights": random.normal(size=(q, hidden)),
        f"{at}.layer1.bias": random.normal(size=hidden),
        f"{at}.layer2.weights": 0.5 * random.normal(size=(hidden, columns)),
        f"{at}.layer2.bias": 0.3 * random.normal(size=columns),
    }


def latent(q, rows=N):
    return random.normal(size=(rows, q))


def ofProcess(lengthscale):
    return {"y.kernel.rbf.variance": 1.3, "y.kernel.rbf.lengthscale": lengthscale, "y.noise": 0.2}


def y_process(v, X, Y=holed):
    lengthscale = v["y.kernel.rbf.lengthscale"]
    return process(centered(Y), X, v["y.kernel.rbf.variance"], lengthscale, v["y.noise"])


def robust(v):
    r = holed - network(v, v["z"])
    s, nu = v["y.scale"], 4
    constant = loggamma((nu + 1) / 2) - loggamma(nu / 2) - 0.5 * np.log(nu * np.pi)
    tails = constant - np.log(s) - (nu + 1) / 2 * np.log(1 + r**2 / (nu * s**2))
    return {"z": normal(v["z"], 0, 1).sum(), "y": tails[~np.isnan(holed)].sum()}


def heteroscedastic(v):
    f = network(v, v["z"])
    entries = normal(holed, f[:, :D], np.exp(f[:, D:]))
    return {"z": normal(v["z"], 0, 1).sum(), "y": entries[~np.isnan(holed)].sum()}


def grouped(v):
    parts = [np.exp(normal(v["z"], v[f"z.{name}"], 0.5).sum(1)) for name in ("first", "second")]
    return {"z": np.log(0.5 * parts[0] + 0.5 * parts[1]).sum(), "y": y_process(v, v["z"])}


def deep(v):
    h = process(v["h"], v["z"], 1, v["h.kernel.rbf.lengthscale"], 0.01)
    return {"z": normal(v["z"], 0, 1).sum(), "h": h, "y": y_process(v, v["h"])}


def neighbors(k):
    W = np.zeros((N, N))
    d = ((Y[:, None] - Y[None]) ** 2).sum(-1)
    for i in range(N):
        for j in sorted((j for j in range(N) if j != i), key=lambda j: (d[i, j], j))[:k]:
            W[i, j] = W[j, i] = 1
    return W


def alongGraph(v):
    z, W = v["z"], neighbors(3)
    steps = sum(W[i, j] * ((z[i] - z[j]) ** 2).sum() for i in range(N) for j in range(i))
    return {
        "z": normal(z, 0, 1).sum(),
        "z.laplacian": -0.5 * 0.5 * steps,
        "y": normal(Y, network(v, z), np.sqrt(v["y.noise"])).sum(),
    }


def autoencoder(v):
    encoded = network(v, Y, "z.posterior")
    m, s = encoded[:, :1], np.exp(encoded[:, 1:])
    nodes, weights = np.polynomial.hermite_e.hermegauss(10)
    weights = weights / weights.sum()
    entries = sum(
        w * normal(Y, network(v, m + np.sqrt(s) * x), np.sqrt(v["y.noise"])) for x, w in zip(nodes, weights)
    )
    return {
        "z": (normal(m, 0, 1) - 0.5 * s).sum(),
        "z.entropy": (0.5 * np.log(2 * np.pi * np.e * s)).sum(),
        "y": entries.sum(),
    }


def secondOrder(v):
    z = v["z"]
    steps = normal(z[2:], 2 * z[1:-1] - z[:-2], 0.2).sum()
    return {"z": steps + normal(z[:2], 0, 1).sum(), "y": y_process(v, z)}


def onCircle(v):
    a = v["angle"]
    return {"y": y_process(v, np.hstack([np.cos(a), np.sin(a)]))}


def onSphere(v):
    V = v["v"]
    return {"v": normal(V, 0, 1).sum(), "y": y_process(v, V / np.sqrt((V**2).sum(1, keepdims=True)))}


def timed(v):
    return {"z": normal(v["z"], 0, 1).sum(), "y": y_process(v, np.hstack([v["z"], t]))}


def outputs(v):
    K = np.kron(rbf(v["z"], v["z"], 1, 1), rbf(v["h"], v["h"], 1, 1)) + v["y.noise"] * np.eye(N * D)
    return {
        "z": normal(v["z"], 0, 1).sum(),
        "h": normal(v["h"], 0, 1).sum(),
        "y": gaussian(centered(Y).reshape(-1), K),
    }


def horseshoe(v):
    scales = np.exp(v["l"])
    # Of λ = exp(l), with the slope of the change of variables.
    cauchy = np.log(2 / np.pi) - np.log(1 + scales**2) + v["l"]
    entries = normal(holed, inputs @ v["w"].T, np.sqrt(v["y.noise"]))
    return {
        "l": cauchy.sum(),
        "w": normal(v["w"], 0, 0.1 * scales).sum(),
        "y": entries[~np.isnan(holed)].sum(),
    }


def bent(v):
    W = neighbors(3)
    edges = [(i, j) for i in range(N) for j in range(i + 1, N) if W[i, j]]
    Q = 0.5 * np.eye(N) + 0j
    for w, (i, j) in zip(v["y.near"], edges):
        step = np.eye(N)[i] - np.eye(N)[j]
        Q = Q + w * np.outer(step, step)
    for w, i in zip(v["y.bend"], range(N - 2)):
        bend = np.eye(N)[i] - 2 * np.eye(N)[i + 1] + np.eye(N)[i + 2]
        Q = Q + w * np.outer(bend, bend)
    return {"y": sum(gaussian(column, np.linalg.inv(Q)) for column in centered(Y).T)}


models = {
    robust: {"z": latent(2), **weights(2, 4, D), "y.scale": 0.4},
    heteroscedastic: {"z": latent(1), **weights(1, 3, 2 * D)},
    grouped: {"z": latent(2), "z.first": np.array([-0.8, 0.3]), "z.second": np.array([1.1, -0.2]), **ofProcess(0.9)},
    deep: {"z": latent(1), "h": latent(2), "h.kernel.rbf.lengthscale": 0.7, **ofProcess(0.9)},
    alongGraph: {"z": latent(2), **weights(2, 4, D), "y.noise": 0.3},
    autoencoder: {
        **weights(D, 3, 2, "z.posterior"),
        **weights(1, 3, D),
        "y.noise": 0.3,
    },
    secondOrder: {"z": latent(2), **ofProcess(0.9)},
    onCircle: {"angle": latent(1), **ofProcess(0.9)},
    onSphere: {"v": latent(3), **ofProcess(0.9)},
    timed: {"z": latent(1), **ofProcess(np.array([1.2, 0.6]))},
    outputs: {"z": latent(1), "h": latent(2, D), "y.noise": 0.3},
    horseshoe: {"l": latent(4, D), "w": 0.3 * latent(4, D), "y.noise": 0.3},
    bent: {
        "y.near": 0.1 + random.uniform(size=int(neighbors(3).sum()) // 2),
        "y.bend": 0.1 + random.uniform(size=N - 2),
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


result = {
    "data": {"Y": Y.tolist(), "t": t.tolist(), "inputs": inputs.tolist(), "missing": [2, 1]},
    "orders": ORDERS,
    "models": {f.__name__: evaluated(f, v) for f, v in models.items()},
}
out = pathlib.Path(__file__).resolve().parent.parent / "languageModels.json"
out.write_text(json.dumps(result, indent=1) + "\n")
