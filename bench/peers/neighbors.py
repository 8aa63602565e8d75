#!/usr/bin/python3
"""Exact nearest neighbors by scikit-learn's brute force, for side-by-side benchmarks.

  neighbors.py N D K < points

Reads N x D doubles by rows. Prints one JSON line: {"n", "ms", "value"}, the value being the mean of all N x K distances.
Threads: OPENBLAS_NUM_THREADS and OMP_NUM_THREADS.
"""
import json
import sys
import time

import numpy as np
from sklearn.neighbors import NearestNeighbors

n, d, k = map(int, sys.argv[1:4])
Y = np.frombuffer(sys.stdin.buffer.read(), dtype="<f8").reshape(n, d)


def search():
    start = time.perf_counter()
    distances, _ = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(Y).kneighbors()
    return 1000 * (time.perf_counter() - start), distances


times = [search() for _ in range(3)]
print(json.dumps({"n": n, "ms": sorted(ms for ms, _ in times)[1], "value": float(times[0][1].mean())}))
