"""Priors on latents and on parameters, and neighborhood graphs, by numpy and scipy. Writes ../priors.json.

Latents X, observations Y and labels are drawn; every entry of `latents` is log p(X) of one prior at the options beside it, by dense
matrices and explicit loops: nothing is shared with the library's own formulas (class sums, edge lists, log determinants of q×q).
`parameters` are log densities by scipy.stats.
"""
import json
import pathlib

import numpy as np
import scipy
from scipy import optimize, stats

random = np.random.default_rng(11)
N, q, D = 18, 2, 4
X = np.round(random.normal(size=(N, q)), 6)
Y = np.round(random.normal(size=(N, D)), 6)
labels = [int(label) for label in random.integers(0, 3, N)]
missing = [None if i % 4 == 1 else label for i, label in enumerate(labels)]
# Points on a grid: most neighbors are tied, and ties go to the lower index.
grid = [[float(i % 4), float(i // 4)] for i in range(12)]


def square_distances(A):
    return ((A[:, None] - A[None]) ** 2).sum(-1)


def knn(A, k):
    d = square_distances(np.asarray(A))
    W = np.zeros_like(d)
    for i in range(len(d)):
        others = [j for j in sorted(range(len(d)), key=lambda j: (d[i, j], j)) if j != i][:k]
        for j in others:
            W[i, j] = W[j, i] = 1
    return W


def same_class(labels):
    return np.array([[float(i != j and a is not None and a == b) for j, b in enumerate(labels)] for i, a in enumerate(labels)])


def laplacian(W):
    return np.diag(W.sum(1)) - W


def edges(W):
    i, j = np.nonzero(np.triu(W, 1))
    return dict(sources=i.tolist(), targets=j.tolist(), weights=W[i, j].tolist())


def field(W, strength, offset):
    L = laplacian(W) + offset * np.eye(len(W))
    if offset == 0:
        return -strength / 2 * np.trace(X.T @ L @ X)
    return sum(stats.multivariate_normal(np.zeros(len(W)), np.linalg.inv(strength * L)).logpdf(X[:, c]) for c in range(q))


def scatters(labels):
    rows = [i for i, label in enumerate(labels) if label is not None]
    m = X[rows].mean(0)
    Sw, Sb = np.zeros((q, q)), np.zeros((q, q))
    for c in sorted({labels[i] for i in rows}):
        members = X[[i for i in rows if labels[i] == c]]
        mc = members.mean(0)
        Sb += len(members) * np.outer(mc - m, mc - m)
        for x in members:
            Sw += np.outer(x - mc, x - mc)
    return Sw / len(rows), Sb / len(rows)


def discriminative(labels, strength, form, r):
    Sw, Sb = scatters(labels)
    if form == 'paper':
        return -strength / np.trace(np.linalg.inv(Sw) @ Sb)
    return -strength * np.trace(np.linalg.inv(Sb + r * np.eye(q)) @ Sw)


def rank(strength, beta):
    s = np.linalg.svd(X - X.mean(0), compute_uv=False)
    return -strength * np.log1p(beta * s ** 2).sum()


def locality(neighbors, strength, regularization):
    M = np.eye(N)
    for i in range(N):
        own = np.nonzero(neighbors[i])[0]
        Z = Y[own] - Y[i]
        C = Z @ Z.T
        C += regularization * np.trace(C) * np.eye(len(own))
        w = np.linalg.solve(C, np.ones(len(own)))
        M[own, i] -= w / w.sum()
    return -strength / 2 * np.trace(X.T @ M @ M.T @ X)


def nearest(k):
    d = square_distances(Y)
    A = np.zeros((N, N))
    for i in range(N):
        A[i, [j for j in np.argsort(d[i], kind='stable') if j != i][:k]] = 1
    return A


def tsne(strength, perplexity):
    d = square_distances(Y)
    P = np.zeros((N, N))
    for i in range(N):
        others = [j for j in range(N) if j != i]

        def conditional(log_b):
            w = np.exp(-np.exp(log_b) * (d[i, others] - d[i, others].min()))
            return w / w.sum()

        def excess(log_b):
            p = conditional(log_b)
            return -(p[p > 0] * np.log(p[p > 0])).sum() - np.log(perplexity)

        P[i, others] = conditional(optimize.brentq(excess, -20, 20, xtol=1e-14, rtol=1e-14))
    P = (P + P.T) / (2 * N)
    numerator = 1 / (1 + square_distances(X))
    np.fill_diagonal(numerator, 0)
    Q = numerator / numerator.sum()
    off = P > 0
    return -strength * (P[off] * np.log(P[off] / Q[off])).sum()


def markov(coefficient, variance, segments, initial):
    total = 0.0
    for i in range(N):
        if i in segments:
            total += stats.multivariate_normal(np.zeros(q)).logpdf(X[i]) if initial else 0
        else:
            total += stats.multivariate_normal(coefficient * X[i - 1], variance * np.eye(q)).logpdf(X[i])
    return total


def dynamics(segments, order, variance, lengthscale, white):
    """Each latent dimension is one draw from a Gaussian over all steps of all sequences."""
    to = [i for i in range(N) if i not in segments]
    A = X[[i - 1 for i in to]]
    K = variance * np.exp(-square_distances(A) / (2 * lengthscale ** 2)) + white * np.eye(len(to))
    H = X[to] - A if order == 'difference' else X[to]
    steps = sum(stats.multivariate_normal(np.zeros(len(to)), K).logpdf(H[:, c]) for c in range(q))
    return steps + sum(stats.norm.logpdf(X[list(segments)]).ravel())


heat = np.exp(-square_distances(Y) / (2 * 1.3 ** 2))
semi = np.maximum(same_class(missing), knn(Y, 3) * heat)
points = [0.2, 0.9, 1.7, 3.1]
result = dict(
    description=__doc__.strip(),
    versions=dict(numpy=np.__version__, scipy=scipy.__version__),
    X=X.tolist(), Y=Y.tolist(), labels=labels, missing=missing,
    graphs=dict(
        grid=dict(points=grid, knn=[dict(k=k, **edges(knn(grid, k))) for k in (1, 2, 3, 5)],
                  epsilon=[dict(radius=r, **edges((square_distances(np.asarray(grid)) <= r * r).astype(float))) for r in (1.0, 1.5)]),
        heat=dict(k=3, width=1.3, **edges(knn(Y, 3) * heat)),
        labels=edges(same_class(missing)),
        union=dict(k=3, width=1.3, **edges(semi)),
    ),
    latents=dict(
        laplacian=[dict(graph=name, strength=a, offset=o, value=field(W, a, o))
                   for name, W in (('labels', same_class(labels)), ('missing', same_class(missing)), ('knn', knn(Y, 3)), ('union', semi))
                   for a, o in ((0.7, 0.0), (0.7, 0.2))],
        discriminative=[dict(missing=flag, strength=2.5, form=form, r=r, value=discriminative(missing if flag else labels, 2.5, form, r))
                        for flag in (False, True) for form, r in (('published', 1.0), ('published', 0.1), ('paper', 1.0))],
        rank=[dict(strength=s, beta=b, value=rank(s, b)) for s, b in ((1.0, 1.0), (3.0, 50.0))],
        locality=[dict(neighbors=4, strength=2.0, regularization=1e-3, value=locality(nearest(4), 2.0, 1e-3)),
                  dict(neighbors=6, strength=0.5, regularization=1e-2, value=locality(nearest(6), 0.5, 1e-2))],
        localityGraph=[dict(k=3, strength=2.0, regularization=1e-3, value=locality(knn(Y, 3), 2.0, 1e-3))],
        tsne=[dict(strength=s, perplexity=p, value=tsne(s, p)) for s, p in ((1.0, 5.0), (10.0, 3.5))],
        markov=[dict(coefficient=a, variance=v, segments=s, initial=i, value=markov(a, v, s, i))
                for a, v, s, i in ((1.0, 1.0, [0], True), (0.9, 0.3, [0, 7, 12], True), (0.9, 0.3, [0, 7], False))],
        dynamics=[dict(segments=s, order=o, variance=1.3, lengthscale=0.8, white=0.2, value=dynamics(s, o, 1.3, 0.8, 0.2))
                  for s in ([0], [0, 5, 11]) for o in ('next', 'difference')],
    ),
    parameters=dict(
        points=points,
        gamma=[dict(shape=a, rate=b, logDensity=stats.gamma(a, scale=1 / b).logpdf(points).tolist()) for a, b in ((2.0, 1.0), (0.6, 3.5))],
        inverseGamma=[dict(shape=a, scale=b, logDensity=stats.invgamma(a, scale=b).logpdf(points).tolist()) for a, b in ((2.0, 1.0), (3.5, 0.4))],
        logNormal=[dict(mean=m, deviation=s, logDensity=stats.lognorm(s, scale=np.exp(m)).logpdf(points).tolist()) for m, s in ((0.0, 1.0), (-0.7, 0.4))],
        halfNormal=[dict(scale=s, logDensity=stats.halfnorm(scale=s).logpdf(points).tolist()) for s in (1.0, 0.3)],
        normal=[dict(mean=m, deviation=s, logDensity=stats.norm(m, s).logpdf(points).tolist()) for m, s in ((0.0, 1.0), (0.8, 0.25))],
    ),
)
pathlib.Path(__file__).parent.parent.joinpath('priors.json').write_text(json.dumps(result, indent=1) + '\n')
