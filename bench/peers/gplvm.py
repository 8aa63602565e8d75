#!/usr/bin/python3
"""One value and gradient of the GPLVM of peers.py at another lengthscale, for side-by-side benchmarks.

  gplvm.py PEERS N LENGTHSCALE

PEERS is the file of peers.py, whose function, observations and timing these are. Prints one JSON line: {"ms", "min", "max", "runs", "value"}.
Threads: OPENBLAS_NUM_THREADS.
"""
import importlib.util
import json
import sys

import numpy as np

spec = importlib.util.spec_from_file_location("peers", sys.argv[1])
peers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(peers)

n, lengthscale = int(sys.argv[2]), float(sys.argv[3])
Y = peers.oil(n)[0]
start = np.r_[peers.pca(Y).ravel(), np.log([1, lengthscale, 0.1, 0.1])]
count = [0]


def evaluate():
    count[0] += 1
    return peers.gplvm(start * (1 + 1e-6 * count[0]), n, 2, Y)[0]


times, _ = peers.timed(evaluate)
print(json.dumps({**times, "value": float(peers.gplvm(start, n, 2, Y)[0])}))
