"""Means, and variances where there are any, of missing entries: five nearest neighbors and iterated Bayesian
regressions (scikit-learn) of standardized columns, and the factor analysis of mixed data of Pages (2004) as
probabilistic principal components in two dimensions (Tipping & Bishop 1999, EM with missing entries)."""
import json
import sys
import warnings

import numpy as np
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer

warnings.filterwarnings("ignore")
given = json.load(sys.stdin)
Y = np.array([[np.nan if y is None else y for y in row] for row in given["observations"]])
mean, deviation = np.nanmean(Y, 0), np.nanstd(Y, 0)
Z = (Y - mean) / deviation
result = {
    "neighbors": {"mean": (KNNImputer(n_neighbors=5).fit_transform(Z) * deviation + mean).tolist()},
    "iterated": {
        "mean": (IterativeImputer(random_state=0, max_iter=20).fit_transform(Z) * deviation + mean).tolist()
    },
}

# Levels are divided by the square roots of their shares, numbers by their deviations.
scale = deviation.copy()
for positions in given["groups"]:
    if len(positions) > 1:
        scale[positions] = np.sqrt(mean[positions])
Z = (Y - mean) / scale
seen = ~np.isnan(Z)
q = 2
N, D = Z.shape
_, _, V = np.linalg.svd(np.where(seen, Z, 0), full_matrices=False)
W, mu, noise = V[:q].T.copy(), np.zeros(D), 0.5
filled = np.where(seen, Z, 0)
for _ in range(200):
    gram = np.einsum("nd,di,dj->nij", seen, W, W) + noise * np.eye(q)
    S = noise * np.linalg.inv(gram)
    X = np.einsum("nij,dj,nd->ni", S, W, filled - seen * mu) / noise
    total = 0
    for d in range(D):
        rows = seen[:, d]
        A = np.c_[X[rows], np.ones(rows.sum())]
        products = A.T @ A
        products[:q, :q] += S[rows].sum(0)
        own = np.linalg.solve(products + 1e-9 * np.eye(q + 1), A.T @ Z[rows, d])
        W[d], mu[d] = own[:q], own[q]
        total += ((Z[rows, d] - A @ own) ** 2).sum() + np.einsum("i,nij,j->", W[d], S[rows], W[d])
    noise = max(total / seen.sum(), 1e-6)
variance = np.einsum("di,nij,dj->nd", W, S, W) + noise
result["famd"] = {"mean": ((X @ W.T + mu) * scale + mean).tolist(), "variance": (variance * scale**2).tolist()}
print(json.dumps(result))
