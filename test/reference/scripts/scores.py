"""Scores by scikit-learn and SciPy on generated data. Writes ../scores.json. Run with Debian's python3-sklearn."""
import json
import pathlib

import numpy as np
import scipy
import sklearn
from scipy.optimize import linear_sum_assignment
from scipy.stats import norm
from sklearn.cluster import KMeans
from sklearn.manifold import trustworthiness
from sklearn.metrics import mean_squared_error, normalized_mutual_info_score

random = np.random.default_rng(20)

# An embedding that keeps part of the neighborhoods: two noisy directions of five.
Y = random.normal(size=(60, 5)) * [3, 2, 1, 1, 1]
X = Y[:, :2] @ random.normal(size=(2, 2)) + 0.8 * random.normal(size=(60, 2))
neighbors = [
    {"k": k, "trustworthiness": trustworthiness(Y, X, n_neighbors=k), "continuity": trustworthiness(X, Y, n_neighbors=k)}
    for k in (1, 5, 12, 29)
]


def accuracy(labels, clusters):
    rows, columns = np.unique(labels), np.unique(clusters)
    counts = np.array([[np.sum((labels == r) & (clusters == c)) for c in columns] for r in rows])
    return counts[linear_sum_assignment(-counts)].sum() / len(labels)


def labeling(labels, clusters):
    labels, clusters = np.asarray(labels), np.asarray(clusters)
    return {
        "labels": labels.tolist(),
        "clusters": clusters.tolist(),
        "arithmetic": normalized_mutual_info_score(labels, clusters, average_method="arithmetic"),
        "geometric": normalized_mutual_info_score(labels, clusters, average_method="geometric"),
        "accuracy": accuracy(labels, clusters),
    }


truth = random.integers(0, 4, 80)
noisy = np.where(random.uniform(size=80) < 0.7, (truth * 3 + 1) % 4, random.integers(0, 4, 80))
labelings = [
    labeling(truth, noisy),
    labeling(truth, random.integers(0, 9, 80)),
    labeling(truth, truth // 2),
    labeling(truth, (truth + 1) % 4),
    labeling(truth, np.zeros(80, int)),
    labeling(np.zeros(80, int), truth),
    labeling(np.zeros(5, int), np.ones(5, int)),
    labeling([0, 0, 1, 1], [0, 1, 0, 1]),
    labeling([0, 0, 0, 1, 1, 1, 2, 2], [2, 2, 0, 0, 0, 1, 1, 1]),
]

observed = random.normal(size=(9, 4))
mean = observed + 0.3 * random.normal(size=(9, 4))
variance = random.uniform(0.05, 2, size=(9, 4))
mask = random.uniform(size=(9, 4)) < 0.4
density = norm.logpdf(observed, mean, np.sqrt(variance))
predictions = {
    "observed": observed.tolist(),
    "mean": mean.tolist(),
    "variance": variance.tolist(),
    "mask": mask.tolist(),
    "rootMeanSquaredError": float(np.sqrt(mean_squared_error(observed, mean))),
    "rootMeanSquaredErrorMasked": float(np.sqrt(mean_squared_error(observed[mask], mean[mask]))),
    "negativeLogPredictiveDensity": float(-density.mean()),
    "negativeLogPredictiveDensityMasked": float(-density[mask].mean()),
}

points = np.concatenate([random.normal(size=(25, 2)) + center for center in ([0, 0], [4, 1], [1, 5], [6, 6])])
clusterings = []
for k in (1, 2, 4, 5):
    best = KMeans(k, n_init=300, random_state=0, tol=0, max_iter=1000).fit(points)
    clusterings.append({"k": k, "withinSumOfSquares": best.inertia_})

content = {
    "description": "trustworthiness and normalized_mutual_info_score by scikit-learn; continuity is trustworthiness with the "
    "two exchanged; accuracy by SciPy's linear_sum_assignment; densities by scipy.stats; k-means: the least inertia of 300 starts",
    "versions": {"scikit-learn": sklearn.__version__, "scipy": scipy.__version__, "numpy": np.__version__},
    "Y": Y.tolist(),
    "X": X.tolist(),
    "neighbors": neighbors,
    "labelings": labelings,
    "predictions": predictions,
    "points": points.tolist(),
    "clusterings": clusterings,
}
target = pathlib.Path(__file__).parent.parent / "scores.json"
target.write_text(json.dumps(content, indent=None) + "\n")
