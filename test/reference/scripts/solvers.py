"""Evaluations that SciPy's L-BFGS-B needs on the problems of test/inference/problems.ts. Writes ../solvers.json.

For each problem: `toMinimum`, the number of the first evaluation whose value is within 1e-8·max(1, |f*|) of the minimum f*,
in a run without termination tests; `defaults`, the evaluations and the value at the end of a run with SciPy's own tolerances
(ftol 2.2e-9, gtol 1e-5); and the value and the norm of the gradient at the start, to compare the two programs' problems.

`lineSearch`: the steps that SciPy's DCSRCH (Moré and Thuente, MINPACK-2) evaluates on the functions 1 to 3 of their paper.
`toldSearch`: those that it asks for when it is told random values and slopes, most of which no such function has.
"""
import json
import pathlib

import numpy as np
import scipy
from scipy.optimize import minimize, rosen, rosen_der
from scipy.optimize._dcsrch import DCSRCH

INF = np.inf


def residual_problem(residuals, jacobian):
    return lambda x: (float(np.sum(residuals(*x) ** 2)), 2 * jacobian(*x).T @ residuals(*x))


def powell_singular():
    s5, s10 = np.sqrt(5), np.sqrt(10)
    return residual_problem(
        lambda a, b, c, d: np.array([a + 10 * b, s5 * (c - d), (b - 2 * c) ** 2, s10 * (a - d) ** 2]),
        lambda a, b, c, d: np.array([
            [1, 10, 0, 0], [0, 0, s5, -s5], [0, 2 * (b - 2 * c), -4 * (b - 2 * c), 0],
            [2 * s10 * (a - d), 0, 0, -2 * s10 * (a - d)]]))


def wood():
    r90, r10 = np.sqrt(90), np.sqrt(10)
    return residual_problem(
        lambda a, b, c, d: np.array([10 * (b - a * a), 1 - a, r90 * (d - c * c), 1 - c, r10 * (b + d - 2), (b - d) / r10]),
        lambda a, b, c, d: np.array([
            [-20 * a, 10, 0, 0], [-1, 0, 0, 0], [0, 0, -2 * r90 * c, r90], [0, 0, -1, 0], [0, r10, 0, r10],
            [0, 1 / r10, 0, -1 / r10]]))


def beale():
    powers = np.array([1, 2, 3])
    return residual_problem(
        lambda a, b: np.array([1.5, 2.25, 2.625]) - a * (1 - b ** powers),
        lambda a, b: np.stack([b ** powers - 1, a * powers * b ** (powers - 1)], axis=1))


def brown():
    return residual_problem(
        lambda a, b: np.array([a - 1e6, b - 2e-6, a * b - 2]),
        lambda a, b: np.array([[1, 0], [0, 1], [b, a]]))


def trid(x):
    gradient = 2 * (x - 1)
    gradient[1:] -= x[:-1]
    gradient[:-1] -= x[1:]
    return float(np.sum((x - 1) ** 2) - np.sum(x[1:] * x[:-1])), gradient


def quadratic(entry, multiplier):
    i = np.arange(50)
    a = entry(np.abs(i[:, None] - i[None, :]))
    solution = np.maximum(0, np.sin(i + 1.0))
    b = a @ solution - np.where(solution == 0, multiplier(i + 1), 0)
    fun = lambda x: (float(x @ (a @ x / 2 - b)), a @ x - b)
    return fun, [1.0] * 50, fun(solution)[0], 0, INF


def hs3(x):
    a, b = x
    return b + 1e-5 * (b - a) ** 2, np.array([-2e-5 * (b - a), 1 + 2e-5 * (b - a)])


def hs5(x):
    a, b = x
    slope = np.cos(a + b)
    return (np.sin(a + b) + (a - b) ** 2 - 1.5 * a + 2.5 * b + 1,
            np.array([slope + 2 * (a - b) - 1.5, slope - 2 * (a - b) + 2.5]))


def hs45(x):
    return 2 - np.prod(x) / 120, np.array([-np.prod(np.delete(x, i)) / 120 for i in range(5)])


def rosenbrock25(x):
    gap = x[1:] - x[:-1] ** 2
    gradient = np.zeros_like(x)
    gradient[0] = 2 * (x[0] - 1)
    gradient[1:] += 8 * gap
    gradient[:-1] -= 16 * x[:-1] * gap
    return float(4 * (0.25 * (x[0] - 1) ** 2 + np.sum(gap ** 2))), gradient


rosenbrock = lambda x: (float(rosen(x)), rosen_der(x))
a2 = np.sqrt(598 / 1200)
x2 = 2 * a2 * np.cos(np.arccos(1 / (400 * a2 ** 3)) / 3)
cosine = lambda i: 1 + np.cos(i) ** 2
PROBLEMS = {  # objective, start, minimum, lower, upper
    'rosenbrock2': (rosenbrock, [-1.2, 1], 0, -INF, INF),
    'rosenbrock100': (rosenbrock, [-1.2, 1] * 50, 0, -INF, INF),
    'powellSingular': (powell_singular(), [3, -1, 0, 1], 0, -INF, INF),
    'wood': (wood(), [-3, -1, -3, -1], 0, -INF, INF),
    'beale': (beale(), [1, 1], 0, -INF, INF),
    'brownBadlyScaled': (brown(), [1, 1], 0, -INF, INF),
    'trid10': (trid, [0] * 10, -10 * 14 * 9 / 6, -INF, INF),
    'trid50': (trid, [0] * 50, -50 * 54 * 49 / 6, -INF, INF),
    'hs1': (rosenbrock, [-2, 1], 0, [-INF, -1.5], INF),
    'hs2': (rosenbrock, [2, 2], rosenbrock(np.array([x2, 1.5]))[0], [-INF, 1.5], INF),
    'hs3': (hs3, [10, 1], 0, [-INF, 0], INF),
    'hs4': (lambda x: ((x[0] + 1) ** 3 / 3 + x[1], np.array([(x[0] + 1) ** 2, 1])), [1.125, 0.125], 8 / 3, [1, 0], INF),
    'hs5': (hs5, [0, 0], -np.sqrt(3) / 2 - np.pi / 3, [-1.5, -3], [4, 3]),
    'hs38': (wood(), [-3, -1, -3, -1], 0, -10, 10),
    'hs45': (hs45, [2] * 5, 1, 0, [1, 2, 3, 4, 5]),
    'rosenbrockUpper': (rosenbrock, [-1.2, 1], 0.25, -INF, [0.5, INF]),
    'rosenbrock25': (rosenbrock25, [3] * 25, 0, [1, -100] * 12 + [1], 100),
    'tridUpper': (trid, [0] * 10, trid(np.array([6.0, 10, 12, 12, 12, 15, 16, 15, 12, 7]))[0], -INF, [12] * 5 + [INF] * 5),
    'quadratic': quadratic(lambda gap: np.exp(-gap / 5), cosine),
    'quadraticIllConditioned': quadratic(lambda gap: np.exp(-(gap / 2) ** 2) + 1e-4 * (gap == 0), cosine),
    'quadraticDegenerate': quadratic(lambda gap: np.exp(-gap / 5), lambda i: (i % 2 != 0) * 1.0),
}


def run(name):
    objective, start, minimum, lower, upper = PROBLEMS[name]
    start = np.array(start, float)
    bounds = list(zip(np.broadcast_to(lower, start.shape).astype(float), np.broadcast_to(upper, start.shape).astype(float)))
    reached = []
    count = 0

    def counting(x):
        nonlocal count
        count += 1
        value, gradient = objective(x)
        if value <= minimum + 1e-8 * max(1, abs(minimum)):
            reached.append(count)
        return value, gradient

    minimize(counting, start, jac=True, method='L-BFGS-B', bounds=bounds,
             options=dict(maxcor=10, ftol=0, gtol=0, maxfun=20000, maxiter=20000))
    defaults = minimize(objective, start, jac=True, method='L-BFGS-B', bounds=bounds,
                        options=dict(maxcor=10, maxfun=20000, maxiter=20000))
    first_value, first_gradient = objective(np.clip(start, [b[0] for b in bounds], [b[1] for b in bounds]))
    return {
        'minimum': float(minimum),
        'startValue': float(first_value),
        'startGradientNorm': float(np.linalg.norm(first_gradient)),
        'toMinimum': reached[0] if reached else None,
        'defaults': {'evaluations': int(defaults.nfev), 'value': float(defaults.fun), 'message': str(defaults.message)},
    }


def phi1(a):
    return -a / (a * a + 2), (a * a - 2) / (a * a + 2) ** 2


def phi2(a):
    b = a + 0.004
    return b ** 5 - 2 * b ** 4, 5 * b ** 4 - 8 * b ** 3


def phi3(a):
    beta, l = 0.01, 39
    wave, slope = 2 * (1 - beta) / (l * np.pi) * np.sin(l * np.pi / 2 * a), (1 - beta) * np.cos(l * np.pi / 2 * a)
    if a <= 1 - beta:
        return 1 - a + wave, -1 + slope
    if a >= 1 + beta:
        return a - 1 + wave, 1 + slope
    return (a - 1) ** 2 / (2 * beta) + beta / 2 + wave, (a - 1) / beta + slope


def line_search(phi, decrease, curvature, first):
    steps = []
    search = DCSRCH(lambda a: phi(a)[0], lambda a: phi(a)[1], decrease, curvature, 1e-10, 0, 1e10)
    task, step = b'START', first
    value, slope = phi(0)
    while True:
        step, value, slope, task = search._iterate(step, value, slope, task)
        if task[:2] != b'FG':
            return steps, task.decode().strip()
        steps.append(float(step))
        value, slope = phi(step)


LINES = [(name, phi, decrease, curvature, first)
         for name, phi, decrease, curvature in [('phi1', phi1, 1e-3, 0.1), ('phi2', phi2, 0.1, 0.1), ('phi3', phi3, 0.1, 0.1)]
         for first in (1e-3, 1e-1, 1e1, 1e3)]


def line(name, phi, decrease, curvature, first):
    steps, task = line_search(phi, decrease, curvature, first)
    return {'function': name, 'decrease': decrease, 'curvature': curvature, 'first': first, 'steps': steps, 'task': task}


def told_search(random, decrease, curvature):
    told, steps = [], []
    search = DCSRCH(None, None, decrease, curvature, 1e-10, 0, 1e10)
    step, value, slope, task = search._iterate(1.0, 0.0, -1.0, b'START')
    # A step that it asks for again is the best one, where it ends; NaN where rounding makes a root of its cubic imaginary.
    while task[:2] == b'FG' and np.isfinite(step) and step not in steps and len(steps) < 6:
        # Near the line of sufficient decrease, on either side.
        value, slope = step * (random.normal(0, 0.3) - decrease), random.normal(0, 0.5)
        told.append([value, slope])
        steps.append(float(step))
        step, value, slope, task = search._iterate(step, value, slope, task)
    return {'decrease': decrease, 'curvature': curvature, 'told': told, 'steps': steps, 'task': task.decode().strip()}


TOLD_RANDOM = np.random.default_rng(4)
TOLD = [case for case in (told_search(TOLD_RANDOM, d, 0.02) for d in np.repeat([1e-3, 0.2, 0.5], 10)) if len(case['steps']) == 6]


result = {'about': {'numpy': np.__version__, 'scipy': scipy.__version__, 'script': 'scripts/solvers.py'},
          'problems': {name: run(name) for name in PROBLEMS},
          'lineSearch': [line(*case) for case in LINES],
          'toldSearch': TOLD}
pathlib.Path(__file__).resolve().parent.parent.joinpath('solvers.json').write_text(json.dumps(result, indent=1) + '\n')
