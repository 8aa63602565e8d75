#!/usr/bin/python3
"""Neighbors by metrics from scikit-learn, and the probabilities of its t-SNE at them, written to ../metrics.json."""
import json
import os

import numpy as np
from sklearn.manifold._t_sne import _joint_probabilities_nn
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors

rng = np.random.default_rng(5)
n, d, k, perplexity = 30, 12, 9, 3.0
Y = rng.normal(size=(n, d)) + 2 * rng.normal(size=(3, d))[np.arange(n) % 3]
# Entries of few values, whose parts that differ tie seldom enough.
grades = rng.integers(0, 4, (n, 41)).astype(float)
queries = rng.normal(size=(4, d))
result = {"Y": Y.tolist(), "grades": grades.tolist(), "queries": queries.tolist(), "k": k, "perplexity": perplexity, "metrics": {}}
for metric in ["euclidean", "cosine", "correlation", "hamming", "precomputed"]:
    rows = grades if metric == "hamming" else Y
    given = pairwise_distances(Y, metric="cityblock") if metric == "precomputed" else rows
    search = NearestNeighbors(n_neighbors=k, metric=metric, algorithm="brute").fit(given)
    distances, indices = search.kneighbors()
    graph = search.kneighbors_graph(mode="distance")
    graph.data **= 2
    P = _joint_probabilities_nn(graph, perplexity, 0).toarray()
    result["metrics"][metric] = {"distances": distances.tolist(), "indices": indices.tolist(), "P": P.tolist()}
    if metric == "precomputed":
        result["distances"] = given.tolist()
    elif metric != "hamming":
        distances, indices = search.kneighbors(queries)
        result["metrics"][metric]["ofQueries"] = {"distances": distances.tolist(), "indices": indices.tolist()}

path = os.path.join(os.path.dirname(__file__), "..", "metrics.json")
with open(path, "w") as file:
    json.dump(result, file)
