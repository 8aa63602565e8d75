#!/usr/bin/python3
"""t-SNE of scikit-learn, for side-by-side benchmarks.

  maps.py N D [PERPLEXITY] < points

Reads N x D doubles by rows, writes N x 2 doubles to the output and one JSON line to the error output: {"ms", "cpuSeconds"}.
Threads: OPENBLAS_NUM_THREADS and OMP_NUM_THREADS.
"""
import json
import os
import sys
import time

import numpy as np
from sklearn.manifold import TSNE

n, d = map(int, sys.argv[1:3])
perplexity = float(sys.argv[3]) if len(sys.argv) > 3 else 30.0
Y = np.frombuffer(sys.stdin.buffer.read(), dtype="<f8").reshape(n, d)
used, start = time.process_time(), time.perf_counter()
X = TSNE(perplexity=perplexity, init="pca", learning_rate="auto", random_state=1, n_jobs=int(os.environ["OMP_NUM_THREADS"])).fit_transform(Y)
measured = {"ms": 1000 * (time.perf_counter() - start), "cpuSeconds": time.process_time() - used}
sys.stdout.buffer.write(np.ascontiguousarray(X).astype("<f8").tobytes())
print(json.dumps(measured), file=sys.stderr)
