#!/usr/bin/python3
"""Reference values of sparse tables from SciPy and scikit-learn, written to ../sparse.json: a Matrix Market text, principal components, neighbors."""
import io
import json
import os

import numpy as np
from scipy import io as sio
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

rng = np.random.default_rng(3)


def case(n, d):
    dense = np.where(rng.random((n, d)) < 0.2, rng.poisson(3, (n, d)) + rng.random((n, d)), 0.0)
    dense[np.arange(n), rng.integers(0, d, n)] += 1
    S = sparse.csr_matrix(dense)
    text = io.BytesIO()
    sio.mmwrite(text, S, precision=17)
    q = 4
    pca = PCA(n_components=q, svd_solver="full").fit(dense)
    neighbors = {}
    for metric in ["euclidean", "cosine"]:
        distances, indices = NearestNeighbors(n_neighbors=6, metric=metric, algorithm="brute").fit(S).kneighbors()
        neighbors[metric] = {"distances": distances.tolist(), "indices": indices.tolist()}
    return {
        "text": text.getvalue().decode(),
        "indptr": S.indptr.tolist(), "indices": S.indices.tolist(), "data": S.data.tolist(), "columns": d,
        "eigenvalues": (pca.explained_variance_ * (n - 1) / n).tolist(),
        "scores": pca.transform(dense).tolist(),
        "neighbors": neighbors,
    }


path = os.path.join(os.path.dirname(__file__), "..", "sparse.json")
with open(path, "w") as file:
    json.dump({"tall": case(40, 17), "wide": case(25, 60)}, file)
