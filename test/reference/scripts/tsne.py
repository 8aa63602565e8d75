"""The divergence of t-SNE at given probabilities and latents, by scikit-learn's own function. Writes ../tsne.json."""
import json
import pathlib

import numpy as np
import sklearn
from scipy.spatial.distance import squareform
from sklearn.manifold import _t_sne
from sklearn.metrics import pairwise_distances

random = np.random.default_rng(3)
N, q = 24, 2
Y = random.normal(size=(N, 5))
X = np.round(3 * random.normal(size=(N, q)), 6)
P = _t_sne._joint_probabilities(pairwise_distances(Y, squared=True).astype(np.float32), 5, False).astype(float)
P = np.round(P, 12)
P[P > 0] *= 0.5 / P.sum()
divergence, gradient = _t_sne._kl_divergence(X.ravel(), P, 1, N, q)
matrix = squareform(P)
sources, targets = np.nonzero(np.triu(matrix))
pathlib.Path(__file__).parent.joinpath('../tsne.json').write_text(json.dumps({
    'source': f'scikit-learn {sklearn.__version__}',
    'P': {'size': N, 'sources': sources.tolist(), 'targets': targets.tolist(), 'weights': matrix[sources, targets].tolist()},
    'X': X.tolist(),
    'divergence': float(divergence),
    'gradient': np.asarray(gradient).reshape(N, q).tolist(),
}) + '\n')
