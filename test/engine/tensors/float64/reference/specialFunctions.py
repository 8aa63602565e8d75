"""Values of special functions to 20 digits. Run: python specialFunctions.py > specialFunctions.json (needs mpmath 1.3)."""

import json
import random

import mpmath

mpmath.mp.dps = 40
random.seed(1)
points = [1e-10, 0.03125, 0.5, 0.84375, 0.99, 1.25, 1.4375, 1.75, 2.5, 2.875, 5.5, 11.999, 12.0, 40.25, 1e5, 1e8]
points += [random.uniform(0.01, 15) for _ in range(24)]
below = [-0.5, -0.125, -1.75, -2.4375, -7.3, -20.6]

functions = {
    "erf": lambda x: mpmath.erf(x),
    "lgamma": lambda x: mpmath.log(abs(mpmath.gamma(x))) if x < 1e4 else mpmath.loggamma(x),
    "digamma": lambda x: mpmath.digamma(x),
    "trigamma": lambda x: mpmath.psi(1, x),
}
rows = []
for x in points + below:
    row = {"x": x}
    for name, f in functions.items():
        row[name] = float(f(mpmath.mpf(x)))
    rows.append(row)
print("[\n" + ",\n".join("  " + json.dumps(row) for row in rows) + "\n]")
