"""Pointwise and overall scores of embeddings by whole N×N matrices in numpy, after the definitions of ZADU and of Lee & Verleysen. Writes ../localScores.json."""
import json
import pathlib

import numpy as np

random = np.random.default_rng(38)


def squared(A):
    """Σ_d (a_id − a_jd)², added in the order of the coordinates."""
    total = np.zeros((len(A), len(A)))
    for column in A.T:
        total += (column[:, None] - column[None, :]) ** 2
    return total


def ranks_of(S, T):
    """rank[i, j] of j among the neighbors of i, from 1, and the lists of neighbors; equals are ordered as in T, then by number."""
    n = len(S)
    rank = np.zeros((n, n), int)
    order = np.zeros((n, n - 1), int)
    for i in range(n):
        others = np.array([j for j in range(n) if j != i])
        order[i] = others[np.lexsort((others, T[i, others], S[i, others]))]
        rank[i, order[i]] = np.arange(1, n)
    return rank, order


def scores(Y, X, labels, k):
    n = len(Y)
    SY, SX = squared(Y), squared(X)
    (RY, OY), (RX, OX) = ranks_of(SY, SX), ranks_of(SX, SY)
    DY, DX = np.sqrt(SY), np.sqrt(SX)
    local = {name: [] for name in ("trustworthiness", "continuity", "relativeRankFalse", "relativeRankMissing", "overlap", "neighborhoodHit", "neighborDistance", "scaledStress")}
    c = sum(abs(n - 2 * r + 1) / r for r in range(1, k + 1))
    w = 2 / (k * (2 * n - 3 * k - 1))
    alpha = (DY * DX).sum() / (DX**2).sum()
    for i in range(n):
        y, x = set(OY[i, :k]), set(OX[i, :k])
        local["trustworthiness"].append(1 - w * sum(RY[i, j] - k for j in x - y))
        local["continuity"].append(1 - w * sum(RX[i, j] - k for j in y - x))
        local["relativeRankFalse"].append(1 - sum(abs(RY[i, j] - RX[i, j]) / RX[i, j] for j in OX[i, :k]) / c)
        local["relativeRankMissing"].append(1 - sum(abs(RY[i, j] - RX[i, j]) / RY[i, j] for j in OY[i, :k]) / c)
        local["overlap"].append(len(x & y) / k)
        reach = SX[i, OX[i, k - 1]]
        hits = lambda points: [float(labels[j] == labels[i]) for j in points]
        inside = [j for j in OX[i] if SX[i, j] < reach]
        tied = [j for j in OX[i] if SX[i, j] == reach]
        local["neighborhoodHit"].append(float(sum(hits(inside)) + (k - len(inside)) * np.mean(hits(tied))) / k)
        local["neighborDistance"].append(DY[i, OX[i, :k]].mean() / DY[i, OX[i]].mean())
        local["scaledStress"].append(np.sqrt(((DY[i] - alpha * DX[i]) ** 2).sum() / SY[i].sum()))
    Q = np.zeros((n - 1, n - 1))
    off = ~np.eye(n, dtype=bool)
    np.add.at(Q, (RY[off] - 1, RX[off] - 1), 1)
    K = np.arange(1, n)
    agreement = np.array([Q[:m, :m].sum() / (m * n) for m in K])
    rescaled = ((n - 1) * agreement[:-1] - K[:-1]) / (n - 1 - K[:-1])
    split = int(np.argmax(agreement - K / (n - 1))) + 1
    far = off & (RX > (n - 1) // 2)
    return {
        "k": k,
        "overall": {
            **{name: float(np.mean(values)) for name, values in local.items() if name != "scaledStress"},
            "stress": float(np.sqrt(((DY - DX) ** 2).sum() / SY.sum())),
            "scaledStress": float(np.sqrt(((DY - alpha * DX) ** 2).sum() / SY.sum())),
        },
        "pointwise": {name: [float(v) for v in values] for name, values in local.items()},
        "matrix": Q[:12, :12].tolist(),
        "agreement": agreement.tolist(),
        "rescaled": rescaled.tolist(),
        "area": float((rescaled / K[:-1]).sum() / (1 / K[:-1]).sum()),
        "splitAt": split,
        "local": float(agreement[:split].mean()),
        "global": float(agreement[split - 1 :].mean()),
        "correlation": float(np.corrcoef(DY[off], DX[off])[0, 1]),
        "farCorrelation": float(np.corrcoef(DY[far], DX[far])[0, 1]),
    }


def case(name, Y, X, labels, ks):
    return {"name": name, "Y": Y.tolist(), "X": X.tolist(), "labels": labels.tolist(), "scores": [scores(Y, X, labels, k) for k in ks]}


noisy = random.normal(size=(60, 12)) * np.array([3, 2] + [1] * 10) + 50
grid = random.integers(0, 4, size=(48, 9)).astype(float)
wide = random.normal(size=(40, 3))
wide[0] *= 1e9
content = {
    "description": "Trustworthiness, continuity, relative rank errors, neighborhood hit, stress as ZADU defines them, pointwise and overall; co-ranking matrix with Q_NX, R_NX after Lee & Verleysen",
    "versions": {"numpy": np.__version__},
    "cases": [
        case("two of twelve directions", noisy, noisy[:, :2] + 0.5 * random.normal(size=(60, 2)), random.integers(0, 3, 60), [1, 7, 29]),
        case("many equal distances and equal points", grid, grid[:, :2], random.integers(0, 2, 48), [3, 10]),
        case("a point very far from all others", wide, wide[:, :1], random.integers(0, 2, 40), [5]),
    ],
}
target = pathlib.Path(__file__).parent.parent / "localScores.json"
target.write_text(json.dumps(content, indent=None) + "\n")
