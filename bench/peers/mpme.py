#!/usr/bin/python3
"""MPME by SciPy's L-BFGS-B, for side-by-side benchmarks.

  mpme.py N D COPIES BASE_PRECISION < observations

Reads N x D doubles by rows, takes squared Euclidean distances of all pairs, and maximizes
log|L(w) + lambda I| - (1/c) sum_e w_e phi_e over w >= 0 in variables scaled by c/phi, with the constant vector deflated.
The c largest eigenpairs of the centered covariance are the embedding, which the seconds include.
Prints one JSON line: {"n", "seconds", "cpu", "value", "evaluations", "kkt", "edges"}. Threads: OPENBLAS_NUM_THREADS.
"""
import json
import sys
import time

import numpy as np
import scipy.linalg as sl
import scipy.optimize as so


def distances(Y):
    n = len(Y)
    I, J = np.triu_indices(n, 1)
    phi = np.concatenate([((Y[i + 1:] - Y[i]) ** 2).sum(1) for i in range(n - 1)])
    return I, J, phi


def objective(n, I, J, phi, base, c):
    scale = c / phi

    def negative(v):
        w = v * scale
        L = np.zeros((n, n))
        L[I, J] = -w
        L[J, I] = -w
        L.flat[:: n + 1] -= L.sum(1)
        shift = np.trace(L) / n + base
        Q = L + shift / n
        Q.flat[:: n + 1] += base
        factor, failed = sl.lapack.dpotrf(Q, lower=1)
        if failed:
            return 1e300, np.zeros_like(v)
        U, _ = sl.lapack.dpotri(factor, lower=1)
        U = np.tril(U) + np.tril(U, -1).T
        d = np.diag(U)
        value = 2 * np.log(np.diag(factor)).sum() - np.log((base + shift) / base) - (w * phi).sum() / c
        return -value, -(d[I] + d[J] - 2 * U[I, J] - phi / c) * scale

    return negative


def embedding(n, I, J, w, base, q):
    L = np.zeros((n, n))
    L[I, J] = -w
    L[J, I] = -w
    L.flat[:: n + 1] = base - L.sum(1)
    U = np.linalg.inv(L) - 1 / (base * n)
    values, vectors = sl.eigh(U, subset_by_index=[n - q, n - 1])
    return vectors * np.sqrt(values)


def main(n, columns, c, base):
    Y = np.frombuffer(sys.stdin.buffer.read(), dtype='<f8').reshape(n, columns)
    began, cpu = time.perf_counter(), time.process_time()
    I, J, phi = distances(Y)
    negative = objective(n, I, J, phi, base, c)
    start = np.full(len(I), 1e-3)
    r = so.minimize(negative, start, jac=True, method='L-BFGS-B', bounds=[(0, None)] * len(I),
                    options=dict(maxiter=5000, maxfun=10000, gtol=1e-4, ftol=0))
    embedding(n, I, J, r.x * c / phi, base, int(c))
    out = dict(seconds=time.perf_counter() - began, cpu=time.process_time() - cpu)
    # In scaled variables the gradient is the relative violation.
    g = -r.jac
    kkt = float(np.where(r.x > 0, np.abs(g), np.maximum(g, 0)).max())
    print(json.dumps(dict(n=n, value=-r.fun, evaluations=r.nfev, kkt=kkt, edges=int((r.x > 0).sum()), **out)))


if __name__ == '__main__':
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
