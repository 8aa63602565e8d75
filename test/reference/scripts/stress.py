"""Writes stress.json: linear algebra, Gaussian processes and fields at the edge of doubles, with 60 digits (mpmath), rounded once.

Beside each value stands `bound`: how far, to first order, it moves when the matrix it rests on moves by one unit of rounding of its norm. A
backward stable method is within a small multiple of the order of the matrix times that; a method that cancels is not.
Every input is a double, taken as exact.

Run: python3 test/reference/scripts/stress.py > test/reference/stress.json
"""
import json
import random

import mpmath as mp

mp.mp.dps = 60
EPS = mp.mpf(2) ** -53
random.seed(18)


def norm(A):
    return mp.sqrt(sum(entry**2 for entry in A))


def trace(A):
    return sum(A[i, i] for i in range(A.rows))


def plain(A):
    return [[float(A[i, j]) for j in range(A.cols)] for i in range(A.rows)]


def doubles(A):
    """The same with every entry a double, symmetric."""
    return mp.matrix([[mp.mpf(float(A[min(i, j), max(i, j)])) for j in range(A.cols)] for i in range(A.rows)])


def value(exact, bound):
    return {"value": float(exact), "bound": float(bound * EPS)}


def table(exact, bound):
    return {"value": plain(exact), "bound": plain(bound * EPS)}


def logarithm_of_determinant(A):
    L = mp.cholesky(A)
    return 2 * sum(mp.log(L[i, i]) for i in range(A.rows))


def orthogonal(n):
    Q, _ = mp.qr(mp.matrix([[random.gauss(0, 1) for _ in range(n)] for _ in range(n)]))
    return Q


def condition(A):
    values = mp.eigsy(A, eigvals_only=True)
    return values[A.rows - 1] / values[0]


def system(name, A, scales):
    """`scales`: what stands for the norm of A in the rows and columns, which a diagonal scaling leaves alone."""
    n = A.rows
    B = mp.matrix([[random.gauss(0, 1)] for _ in range(n)]).apply(lambda b: mp.mpf(float(b)))
    inverse = A**-1
    x = inverse * B
    # |dA| <= eps * d d^T * the norm of what is left when A is scaled by d on both sides.
    d = scales
    scaled = mp.matrix([[A[i, j] / (d[i] * d[j]) for j in range(n)] for i in range(n)])
    size = norm(scaled)
    back = mp.matrix([[abs(inverse[i, j]) * d[j] for j in range(n)] for i in range(n)])
    reach = sum(abs(x[j]) * d[j] for j in range(n))
    moved = mp.matrix([[sum(back[i, j] for j in range(n)) * size * reach] for i in range(n)])
    of_determinant = size * sum(abs(inverse[i, j]) * d[i] * d[j] for i in range(n) for j in range(n))
    return {
        "name": name,
        "condition": float(condition(A)),
        "A": plain(A),
        "B": plain(B),
        "logDeterminant": value(logarithm_of_determinant(A), of_determinant),
        "solution": table(x, moved),
    }


def systems():
    made = []
    n = 8
    for digits in (2, 4, 6, 8, 10, 12, 14):
        Q = orthogonal(n)
        spectrum = mp.diag([mp.mpf(10) ** (-mp.mpf(digits) * k / (n - 1)) for k in range(n)])
        A = doubles(Q * spectrum * Q.T)
        made.append(system(f"random eigenvectors, condition 1e{digits}", A, [1] * n))
    for digits in (4, 8, 12, 16):
        Q = orthogonal(n)
        B = Q * mp.diag([mp.mpf(1 + k) for k in range(n)]) * Q.T
        d = [mp.mpf(2) ** round(-digits * 3.3219 / 2 * k / (n - 1)) for k in range(n)]
        A = doubles(mp.matrix([[B[i, j] * d[i] * d[j] for j in range(n)] for i in range(n)]))
        made.append(system(f"graded, condition near 1e{digits}", A, d))
    return made


def process(name, X, Y, variance, lengthscale, noise):
    n, q, D = len(X), len(X[0]), len(Y[0])
    x, y = mp.matrix(X), mp.matrix(Y)
    v, l, s = mp.mpf(variance), mp.mpf(lengthscale), mp.mpf(noise)
    squares = mp.matrix([[sum((x[i, k] - x[j, k]) ** 2 for k in range(q)) for j in range(n)] for i in range(n)])
    kernel = squares.apply(lambda r: v * mp.exp(-r / (2 * l**2)))
    K = kernel + s * mp.eye(n)
    inverse = K**-1
    W = inverse * y
    density = -(D * n * mp.log(2 * mp.pi) + D * logarithm_of_determinant(K) + sum((W.T * y)[k, k] for k in range(D))) / 2
    G = (W * W.T - D * inverse) / 2
    size = norm(K)
    weight, spread = norm(W) ** 2, norm(inverse)
    # d(density) = tr(G dK); dG = -(K^-1 dK W W' + W W' dK K^-1)/2 + D/2 K^-1 dK K^-1
    of_density = size * (weight + D * trace(inverse)) / 2 + abs(density)
    of_G = size * (spread * weight + D * spread**2 / 2) + norm(G)
    by_lengthscale = mp.matrix([[kernel[i, j] * squares[i, j] / l**3 for j in range(n)] for i in range(n)])
    direct = lambda dK: sum(G[i, j] * dK[i, j] for i in range(n) for j in range(n))
    gradients = {
        "mapping.noise": value(trace(G), of_G * mp.sqrt(n)),
        "mapping.kernel.rbf.variance": value(direct(kernel) / v, of_G * norm(kernel) / v),
        "mapping.kernel.rbf.lengthscale": value(direct(by_lengthscale), of_G * norm(by_lengthscale)),
    }
    slopes, reach = mp.matrix(n, q), mp.matrix(n, q)
    for i in range(n):
        for k in range(q):
            steps = [-2 * kernel[i, j] * (x[i, k] - x[j, k]) / l**2 for j in range(n)]
            slopes[i, k] = sum(G[i, j] * steps[j] for j in range(n))
            reach[i, k] = of_G * mp.sqrt(sum(step**2 for step in steps))
    return {
        "name": name,
        "condition": float(condition(K)),
        "X": X,
        "Y": Y,
        "values": {
            "mapping.noise": noise,
            "mapping.kernel.rbf.variance": variance,
            "mapping.kernel.rbf.lengthscale": lengthscale,
        },
        "density": value(density, of_density),
        "gradients": gradients,
        "latents": table(slopes, reach),
    }


def processes():
    n = 7
    near = [[round(random.gauss(0, 1), 3), round(random.gauss(0, 1), 3)] for _ in range(n)]
    far = [[1e8 + round(a * 1024) / 1024, -1e8 + round(b * 1024) / 1024] for a, b in near]
    Y = [[round(random.gauss(0, 1), 3) for _ in range(3)] for _ in range(n)]
    large = [[1e8 * value for value in row] for row in near]
    made = []
    for noise in (1e-300, 1e-16, 1e-12, 1e-8, 1e-4, 1.0, 1e4, 1e8, 1e12, 1e200):
        made.append(process(f"noise {noise:g}", near, Y, 1.5, 0.5, noise))
    for lengthscale in (1.0, 2.0, 4.0, 16.0, 64.0):
        made.append(process(f"lengthscale {lengthscale:g}, noise 1e-12", near, Y, 1.0, lengthscale, 1e-12))
    made.append(process("variance 1e16 of the noise", near, Y, 1e8, 0.5, 1e-8))
    for noise in (1e-2, 1e-6):
        made.append(process(f"latents about 1e8, noise {noise:g}", far, Y, 1.5, 0.5, noise))
    made.append(process("latents of scale 1e8, lengthscale 5e7", large, Y, 1.5, 5e7, 1e-2))
    made.append(process("latents of scale 1e8, lengthscale 1", large, Y, 1.5, 1.0, 1e-2))
    return made


def field(name, n, edges, weights, squared, base, copies):
    M = mp.eye(n) * mp.mpf(base)
    for (i, j), weight in zip(edges, weights):
        w = mp.mpf(weight)
        M[i, i] += w
        M[j, j] += w
        M[i, j] -= w
        M[j, i] -= w
    inverse = M**-1
    determinant = logarithm_of_determinant(M)
    constraints = sum(mp.mpf(w) * mp.mpf(phi) for w, phi in zip(weights, squared)) / 2
    density = copies * determinant / 2 - constraints
    # Rounding moves the diagonal by units of each entry, and the elimination by units of the pivots, which are no larger.
    of_density = mp.mpf(copies) / 2 * sum(inverse[i, i] * M[i, i] for i in range(n)) + abs(constraints) + abs(density)
    gradient, reach = [], []
    for (i, j), phi in zip(edges, squared):
        solved = [inverse[k, i] - inverse[k, j] for k in range(n)]
        resistance = solved[i] - solved[j]
        gradient.append([copies * resistance / 2 - mp.mpf(phi) / 2])
        moved = sum(abs(solved[k]) * mp.sqrt(M[k, k]) for k in range(n)) ** 2
        reach.append([mp.mpf(copies) / 2 * (moved + resistance) + mp.mpf(phi)])
    return {
        "name": name,
        "condition": float(condition(M)),
        "size": n,
        "edges": edges,
        "weights": weights,
        "squaredDistances": squared,
        "basePrecision": base,
        "copies": copies,
        "density": value(density, of_density),
        "gradient": table(mp.matrix(gradient), mp.matrix(reach)),
    }


def fields():
    n = 9
    edges = sorted({tuple(sorted((i, (i + step) % n))) for i in range(n) for step in (1, 2)})
    squared = [round(random.uniform(0.5, 2), 3) for _ in edges]
    even = [round(random.uniform(0.5, 2), 3) for _ in edges]
    spread = [10.0 ** round(random.uniform(-8, 8), 2) for _ in edges]
    made = [field(f"base precision {base:g}", n, edges, even, squared, base, 3) for base in (1e8, 1.0, 1e-4, 1e-8, 1e-12)]
    made += [field(f"weights over 16 decades, base precision {base:g}", n, edges, spread, squared, base, 3) for base in (1.0, 1e-4)]
    return made


if __name__ == "__main__":
    print(json.dumps({"systems": systems(), "processes": processes(), "fields": fields()}, indent=1))
