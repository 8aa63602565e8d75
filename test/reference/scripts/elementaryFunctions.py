"""Writes elementaryFunctions.json: exp, log and tanh at points of their whole range, with 60 digits of working precision.

A row is [x, nearest double, rest in units of the nearest double's last place].
  python3 test/reference/scripts/elementaryFunctions.py [points a group] > test/reference/elementaryFunctions.json
"""
import json, math, random, struct, sys
from decimal import Decimal, getcontext

getcontext().prec = 60
getcontext().Emin = -(10**6)
random.seed(1)
COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 60


def row(x, value):
    nearest = float(value)
    return [x, nearest, float((value - Decimal(nearest)) / Decimal(math.ulp(nearest)))]


def tanh(x):
    if abs(x) < 1e-9:
        return Decimal(x) - Decimal(x) ** 3 / 3
    e = (2 * Decimal(x)).exp()
    return (e - 1) / (e + 1)


def uniform(low, high):
    return [random.uniform(low, high) for _ in range(COUNT)]


def scaled(low, high):
    """Random signs and logarithmically random moduli."""
    return [random.choice([-1, 1]) * 10 ** random.uniform(low, high) for _ in range(COUNT)]


def around(points):
    return [y for x in points for y in (math.nextafter(x, -math.inf), x, math.nextafter(x, math.inf))]


def bits():
    return [struct.unpack('<d', struct.pack('<Q', random.randrange(1, 0x7FF << 52)))[0] for _ in range(COUNT)]


LN2 = math.log(2)
exp_points = uniform(-745.13, 709.78) + uniform(-40, 40) + uniform(-1, 1) + uniform(-745.13, -708) + scaled(-320, 0)
exp_points += around([(k + 0.5) * LN2 for k in (-1074, -1023, -1022, -100, -1, 0, 1, 10, 500, 1022)]) + [709.782712893384, -745.13321910194, 708.0, -708.0]
log_points = bits() + uniform(0.5, 2) + uniform(0, 1e3) + [1 + x for x in scaled(-15, -1)] + [abs(x) for x in scaled(-323, -308)]
log_points += around([2.0**k * math.sqrt(0.5) for k in (-1000, -1, 0, 1, 2, 900)]) + [5e-324, 2.2250738585072014e-308, sys.float_info.max, 1.0]
tanh_points = uniform(-0.625, 0.625) + uniform(-3, 3) + uniform(-22.5, 22.5) + scaled(-320, 0) + around([0.625, -0.625, 22.0, 0.5])
tables = dict(
    exp=[row(x, Decimal(x).exp()) for x in exp_points],
    log=[row(x, Decimal(x).ln()) for x in log_points],
    tanh=[row(x, tanh(x)) for x in tanh_points],
)
print('{' + ',\n'.join(f'"{name}": [\n' + ',\n'.join(json.dumps(r) for r in rows) + ']' for name, rows in tables.items()) + '}')
