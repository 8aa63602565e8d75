"""Densities entry by entry from scipy.stats: log densities, moments and maxima of the likelihood.

Run: python3 entrywise.py > ../entrywise.json
"""
import json
import platform

import numpy as np
import scipy
from scipy import optimize, stats
from scipy.special import expit

F = np.array([-1.2, -0.1, 0.7, 1.9])
AMOUNTS = np.array([0.05, 0.4, 1.3, 6.0])
REALS = np.array([-3.1, -0.2, 0.9, 4.0])
FRACTIONS = np.array([0.02, 0.3, 0.61, 0.97])
COUNTS = np.array([0, 1, 4, 11])

# Values, and the distribution where a function takes the place of one of them.
CASES = {
    "normal": (dict(mean=0.4, deviation=1.3), REALS, lambda v: stats.norm(v["mean"], v["deviation"]), ("mean", lambda f, v: f)),
    "studentT": (
        dict(mean=0.4, scale=0.8, degreesOfFreedom=5.0), REALS,
        lambda v: stats.t(v["degreesOfFreedom"], v["mean"], v["scale"]), ("mean", lambda f, v: f),
    ),
    "gamma": (
        dict(shape=2.3, rate=1.7), AMOUNTS, lambda v: stats.gamma(v["shape"], scale=1 / np.asarray(v["rate"])),
        ("rate", lambda f, v: v["shape"] / np.exp(f)),
    ),
    "logNormal": (
        dict(mean=0.2, deviation=0.6), AMOUNTS, lambda v: stats.lognorm(v["deviation"], scale=np.exp(v["mean"])),
        ("mean", lambda f, v: f),
    ),
    "inverseGamma": (
        dict(shape=6.4, scale=1.1), AMOUNTS, lambda v: stats.invgamma(v["shape"], scale=v["scale"]),
        ("scale", lambda f, v: np.exp(f)),
    ),
    "halfNormal": (dict(scale=1.6), AMOUNTS, lambda v: stats.halfnorm(scale=v["scale"]), ("scale", lambda f, v: np.exp(f))),
    "beta": (
        dict(mean=0.35, concentration=4.2), FRACTIONS,
        lambda v: stats.beta(np.asarray(v["mean"]) * v["concentration"], (1 - np.asarray(v["mean"])) * v["concentration"]),
        ("mean", lambda f, v: expit(f)),
    ),
    "poisson": (dict(rate=2.6), COUNTS, lambda v: stats.poisson(v["rate"]), ("rate", lambda f, v: np.exp(f))),
    "negativeBinomial": (
        dict(mean=2.6, size=1.8), COUNTS, lambda v: stats.nbinom(v["size"], v["size"] / (v["size"] + np.asarray(v["mean"]))),
        ("mean", lambda f, v: np.exp(f)),
    ),
    "bernoulli": (
        dict(probability=0.3), np.array([0, 1, 1, 0]), lambda v: stats.bernoulli(v["probability"]),
        ("probability", lambda f, v: expit(f)),
    ),
}


def log_density(distribution, y):
    return distribution.logpmf(y) if hasattr(distribution.dist, "logpmf") and not hasattr(distribution.dist, "logpdf") else distribution.logpdf(y)


def maximum(name, y):
    """Values of largest likelihood of a sample, by Nelder and Mead from the true values."""
    values, _, make, _ = CASES[name]
    start = np.array(list(values.values()))
    is_fraction = np.array([key in ("mean",) and name == "beta" for key in values])
    is_real = np.array([key == "mean" and name in ("normal", "logNormal") for key in values])

    def to_values(u):
        return dict(zip(values, np.where(is_real, u, np.where(is_fraction, expit(u), np.exp(u)))))

    with np.errstate(all="ignore"):
        u = np.where(is_real, start, np.where(is_fraction, np.log(start / (1 - start)), np.log(np.abs(start))))
    found = optimize.minimize(
        lambda u: -np.sum(make(to_values(u)).logpdf(y)), u, method="Nelder-Mead",
        options=dict(xatol=1e-10, fatol=1e-12, maxiter=20000, maxfev=20000),
    )
    return {**{key: float(value) for key, value in to_values(found.x).items()}, "objective": float(-found.fun)}


random = np.random.default_rng(3)
cases = {}
for name, (values, y, make, (driven, drive)) in CASES.items():
    alone = make(values)
    given = make({**values, driven: drive(F, values)})
    cases[name] = dict(
        values=values, driven=driven, y=y.tolist(),
        logDensity=log_density(alone, y).tolist(),
        given=dict(logDensity=log_density(given, y).tolist(), mean=given.mean().tolist(), variance=given.var().tolist()),
    )
samples = {}
for name in ("normal", "gamma", "logNormal", "inverseGamma", "halfNormal", "beta"):
    y = np.round(CASES[name][2](CASES[name][0]).rvs(60, random_state=random), 6)
    samples[name] = dict(y=y.tolist(), maximum=maximum(name, y))
print(json.dumps(dict(
    versions=dict(python=platform.python_version(), numpy=np.__version__, scipy=scipy.__version__),
    f=F.tolist(), cases=cases, samples=samples,
), indent=1))
