"""Cholesky factors, inverses, log determinants, eigenvalues and Gaussian log densities with 60 digits (mpmath), rounded once.

Run: python3 test/reference/scripts/linalg.py > test/reference/linalg.json
"""
import json

import mpmath as mp
import numpy as np

mp.mp.dps = 60


def rounded(matrix):
    return [[float(matrix[i, j]) for j in range(matrix.cols)] for i in range(matrix.rows)]


def case(name, A, Y):
    n, d = len(A), len(Y[0])
    a, y = mp.matrix(A), mp.matrix(Y)
    factor = mp.cholesky(a)
    inverse = a**-1
    log_determinant = 2 * sum(mp.log(factor[i, i]) for i in range(n))
    weights = inverse * y
    quadratic = sum(y[i, j] * weights[i, j] for i in range(n) for j in range(d))
    density = -(d * n * mp.log(2 * mp.pi) + d * log_determinant + quadratic) / 2
    values, vectors = mp.eigsy(a)
    for j in range(n):
        largest = max(range(n), key=lambda i: abs(vectors[i, j]))
        if vectors[largest, j] < 0:
            for i in range(n):
                vectors[i, j] = -vectors[i, j]
    return {
        "name": name,
        "A": rounded(a),
        "Y": rounded(y),
        "cholesky": rounded(factor),
        "inverse": rounded(inverse),
        "logDeterminant": float(log_determinant),
        "solution": rounded(weights),
        "logDensity": float(density),
        "gradient": rounded((weights * weights.T - d * inverse) / 2),
        "eigenvalues": [float(v) for v in values],
        "eigenvectors": rounded(vectors),
    }


rng = np.random.default_rng(1)
B = np.round(rng.normal(size=(6, 6)), 3)
X = rng.normal(size=(8, 2))
squares = ((X[:, None, :] - X[None, :, :]) ** 2).sum(-1)
cases = [
    case("well conditioned", (B @ B.T + 2 * np.eye(6)).tolist(), np.round(rng.normal(size=(6, 3)), 3).tolist()),
    case("squared exponential", (np.exp(-0.5 * squares) + 0.01 * np.eye(8)).tolist(), rng.normal(size=(8, 2)).tolist()),
    case(
        "Hilbert matrix, condition 1.5e10",
        [[1.0 / (i + j + 1) for j in range(8)] for i in range(8)],
        [[1.0 / (i + 1)] for i in range(8)],
    ),
]
print(
    json.dumps(
        {
            "description": "A symmetric positive definite, Y, and what follows from them; G is the gradient of the log density in A, "
            "eigenvectors in columns with the entry of largest modulus positive. Made by scripts/linalg.py.",
            "cases": cases,
        }
    )
)
