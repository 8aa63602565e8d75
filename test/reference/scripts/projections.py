"""LDA, kernel LDA, LPP, SLPP and Sammon's mapping on 60 points of 3 classes in 5 dimensions: scikit-learn where it has the method, SciPy by formula otherwise."""
import json, os
import numpy as np, scipy, sklearn
import scipy.linalg as sl
from scipy.optimize import minimize
from scipy.spatial.distance import pdist, squareform
from sklearn.covariance import ledoit_wolf_shrinkage
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import kneighbors_graph

rng = np.random.default_rng(41)
N, D, C, k = 60, 5, 3, 6
labels = np.arange(N) % C
mix = rng.normal(size=(D, D))
Y = (rng.normal(size=(N, D)) + 1.2 * rng.normal(size=(C, D))[labels]) @ mix + 3
new = (rng.normal(size=(4, D)) + 1) @ mix + 3
Yc = Y - Y.mean(0)
out = dict(Y=Y, labels=labels, new=new)


def scatters(Z):
    means = np.array([Z[labels == c].mean(0) for c in range(C)])
    R = Z - means[labels]
    B = means[labels] - Z.mean(0)
    return R, R.T @ R / len(Z), B.T @ B / len(Z)


# LDA: Fisher's by scikit-learn's eigen solver; shrunk to the diagonal by SciPy, with scikit-learn's Ledoit-Wolf intensity.
sk = LinearDiscriminantAnalysis(solver='eigen', n_components=2).fit(Y, labels)
R, Sw, Sb = scatters(Y)
gamma = float(ledoit_wolf_shrinkage(R / R.std(0), assume_centered=True))
shrunk = (1 - gamma) * Sw + gamma * np.diag(np.diag(Sw))
w, V = sl.eigh(Sb, shrunk)
# scikit-learn leaves the mean in with this solver.
mean = sk.transform(Y.mean(0)[None])
out['lda'] = dict(X=sk.transform(Y) - mean, newX=sk.transform(new) - mean, eigenvalues=sl.eigh(Sb, Sw)[0][::-1][:2], shrinkage=gamma,
                  shrunkEigenvalues=w[::-1][:2], shrunkX=Yc @ V[:, ::-1][:, :2], shrunkNewX=(new - Y.mean(0)) @ V[:, ::-1][:, :2])

# Kernel LDA of the kernel (x'y + 1)^2, by its features written out.
def features(A):
    A1 = np.hstack([A, np.ones((len(A), 1))])
    i, j = np.triu_indices(D + 1)
    return A1[:, i] * A1[:, j] * np.where(i == j, 1, np.sqrt(2))

F = features(Y)
assert np.allclose(F @ F.T, (Y @ Y.T + 1) ** 2)
_, Sw, Sb = scatters(F)
total = ((F - F.mean(0)) ** 2).sum() / N
w, V = sl.eigh(Sb, Sw + 1e-3 * total * np.eye(F.shape[1]))
V = V[:, ::-1][:, :2]
out['kernelLda'] = dict(regularization=1e-3, eigenvalues=w[::-1][:2], X=(F - F.mean(0)) @ V, newX=(features(new) - F.mean(0)) @ V)

# LPP on the symmetrized graph of neighbors, and SLPP on that of the labels.
def projection(W, ridge=0, Y=Y, new=new):
    Dg, Yc, D = np.diag(W.sum(1)), Y - Y.mean(0), Y.shape[1]
    B = Yc.T @ Dg @ Yc
    w, V = sl.eigh(Yc.T @ (Dg - W) @ Yc, B + ridge * np.trace(B) / D * np.eye(D))
    return dict(eigenvalues=w[:2], X=Yc @ V[:, :2], newX=(new - Y.mean(0)) @ V[:, :2])

G = kneighbors_graph(Y, k).toarray()
W = np.maximum(G, G.T)
width = 4.0
heat = W * np.exp(-squareform(pdist(Y, 'sqeuclidean')) / (2 * width ** 2))
same = (labels[:, None] == labels[None]) & ~np.eye(N, dtype=bool)
d = squareform(pdist(Y)); d[~same] = np.inf
near = np.zeros((N, N))
for i in range(N):
    near[i, np.argsort(d[i])[:4]] = 1
out['lpp'] = dict(neighbors=k, width=width, binary=projection(W), heat=projection(heat), regularized=projection(W, 0.1))
out['slpp'] = dict(all=projection(same.astype(float)), neighbors=4, near=projection(np.maximum(near, near.T)))
# Kernel LPP and kernel SLPP of the same kernel on centered observations, by its features, of which the last is constant.
ofFeatures = dict(Y=features(Yc)[:, :-1], new=features(new - Y.mean(0))[:, :-1])
out['lpp']['kernel'] = projection(W, 0.1, **ofFeatures)
out['slpp']['kernel'] = projection(same.astype(float), 0.1, **ofFeatures)

# Sammon's stress at the principal components and at other places, and its minimum from there by SciPy.
delta = pdist(Y)
def stress(x):
    X = x.reshape(N, 2)
    e = pdist(X)
    ratio = squareform(2 * (e - delta) / (delta * e)) / delta.sum()
    return ((delta - e) ** 2 / delta).sum() / delta.sum(), (ratio.sum(1)[:, None] * X - ratio @ X).ravel()

U, s, _ = np.linalg.svd(Yc, full_matrices=False)
start = U[:, :2] * s[:2]
place = start + rng.normal(size=start.shape)
best = minimize(stress, start.ravel(), jac=True, method='L-BFGS-B', options=dict(maxiter=10000, maxfun=20000, ftol=1e-16, gtol=1e-10))
X = best.x.reshape(N, 2)
dn = np.sqrt(((new[0] - Y) ** 2).sum(1))
row = lambda x: (((dn - np.sqrt(((x - X) ** 2).sum(1))) ** 2) / dn).sum()
placed = min((minimize(row, x0, method='Nelder-Mead', options=dict(xatol=1e-10, fatol=1e-14, maxiter=5000)) for x0 in (X[dn.argmin()], (X / dn[:, None]).sum(0) / (1 / dn).sum())), key=lambda r: r.fun)
out['sammon'] = dict(start=start, stressAtStart=stress(start.ravel())[0], place=place, stressAtPlace=stress(place.ravel())[0],
                     gradientAtPlace=stress(place.ravel())[1].reshape(N, 2), minimum=best.fun, X=X, rowStress=placed.fun)
print('sammon', out['sammon']['stressAtStart'], best.fun, np.abs(best.jac).max())


def plain(value):
    if isinstance(value, dict): return {key: plain(each) for key, each in value.items()}
    return value.tolist() if hasattr(value, 'tolist') else value

out['_meta'] = dict(numpy=np.__version__, scipy=scipy.__version__, sklearn=sklearn.__version__, precision='float64', rows='points')
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'projections.json')
with open(path, 'w') as file: json.dump(plain(out), file, allow_nan=False)
