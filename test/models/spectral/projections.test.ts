import {
  evaluate,
  fit,
  InvalidInputError,
  laplacianEigenmaps,
  lda,
  loadFit,
  Matrix,
  nearestNeighborError,
  polynomial,
  rbf,
  sammon,
  seededRandom,
} from 'latentfield';
import { kernelLda, lpp, slpp } from 'latentfield/models';
import { describe, expect, it } from 'vitest';
import { classesOf } from '../../../src/engine/graph/labelGraph.ts';
import { classDeviations, generalizedPairs, scatter } from '../../../src/models/spectral/embedding/classScatter.ts';
import { reference } from '../../reference.ts';
import { expectClose } from '../../tolerance.ts';
import { expectColumns } from './columns.ts';

interface Projection {
  eigenvalues: number[];
  X: number[][];
  newX: number[][];
}

interface Projections {
  Y: number[][];
  labels: number[];
  new: number[][];
  lda: Projection & {
    shrinkage: number;
    shrunkEigenvalues: number[];
    shrunkX: number[][];
    shrunkNewX: number[][];
  };
  kernelLda: Projection & { regularization: number };
  lpp: {
    neighbors: number;
    width: number;
    binary: Projection;
    heat: Projection;
    regularized: Projection;
    kernel: Projection;
  };
  slpp: { all: Projection; neighbors: number; near: Projection; kernel: Projection };
  sammon: {
    start: number[][];
    stressAtStart: number;
    place: number[][];
    stressAtPlace: number;
    gradientAtPlace: number[][];
    minimum: number;
    rowStress: number;
    X: number[][];
  };
}

const expected = reference<Projections>('projections.json');
const { Y, labels, new: rows } = expected;
const quadratic = polynomial({ degree: 2, offset: 1 });
const lppOptions = { neighbors: expected.lpp.neighbors };

describe('discriminant analysis and locality preserving projections agree with scikit-learn and SciPy', () => {
  it.each([
    ['lda, not shrunk', () => lda(Y, labels, { shrinkage: 0 }), expected.lda],
    [
      'lda, shrunk by Ledoit and Wolf',
      () => lda(Y, labels),
      { eigenvalues: expected.lda.shrunkEigenvalues, X: expected.lda.shrunkX, newX: expected.lda.shrunkNewX },
    ],
    [
      'kernelLda, by the features of the kernel written out',
      () => kernelLda(Y, labels, { kernel: quadratic }),
      expected.kernelLda,
    ],
    ['lpp', () => lpp(Y, lppOptions), expected.lpp.binary],
    ['lpp with heat', () => lpp(Y, { ...lppOptions, weights: 'heat', width: expected.lpp.width }), expected.lpp.heat],
    ['lpp, regularized', () => lpp(Y, { ...lppOptions, regularization: 0.1 }), expected.lpp.regularized],
    ['slpp', () => slpp(Y, labels), expected.slpp.all],
    ['slpp of neighbors', () => slpp(Y, labels, { neighbors: expected.slpp.neighbors }), expected.slpp.near],
  ] as const)('%s', async (_, make, { eigenvalues, X, newX }) => {
    const result = await fit(make());
    expect(result.status).toBe('converged');
    expectClose(result.eigenvalues, eigenvalues, 1e-9);
    expectColumns(result.latents, X, 1e-8);
    // Columns may be turned, those of points and of new rows alike.
    const { latents } = await result.project([...Y, ...rows]);
    expectClose(latents.toArrays().slice(0, Y.length), result.latents, 1e-8);
    expectColumns(latents, [...X, ...newX], 1e-8);
    const again = await loadFit(JSON.parse(JSON.stringify(result))).project!(rows);
    expect(again.latents).toEqual((await result.project(rows)).latents);
    expect(Math.abs(result.objective)).toBeCloseTo(
      eigenvalues.reduce((sum, value) => sum + value, 0),
      8,
    );
  });

  it('lda uses the shrinkage of Ledoit and Wolf, and reports it', async () => {
    const { parameters, message } = await fit(lda(Y, labels));
    expectClose([parameters.shrinkage as number], [expected.lda.shrinkage], 1e-12);
    expect(message).toBe(`Closed form: 3 classes, shrinkage ${expected.lda.shrinkage.toPrecision(3)}.`);
  });
});

describe('discriminant analysis', () => {
  it('does not depend on the units of the columns', async () => {
    const scaled = Y.map((row) => row.map((entry, d) => entry * 10 ** (d - 2)));
    expectClose((await fit(lda(scaled, labels))).latents, (await fit(lda(Y, labels))).latents, 1e-8);
  });

  it('shows points without a label, which do not change the directions', async () => {
    const some = labels.map((label, i) => (i < 20 ? undefined : label));
    const all = await fit(lda(Y, some, { shrinkage: 0 }));
    const rest = await fit(lda(Y.slice(20), labels.slice(20), { shrinkage: 0 }));
    expect(all.latents.rows).toBe(60);
    expectClose(all.parameters.components, rest.parameters.components, 1e-9);
    const again = loadFit(JSON.parse(JSON.stringify(all)));
    expect(again.latents).toEqual(all.latents);
    expectClose((await fit(kernelLda(Y, some))).latents, (await fit(kernelLda(Y, [...some]))).latents, 0);
  });

  it('of a column that does not vary has nothing of it, and of fewer points than columns is shrunk', async () => {
    const flat = Y.map((row) => [...row, 7]);
    const { latents, parameters } = await fit(lda(flat, labels, { shrinkage: 0 }));
    expectClose(latents, (await fit(lda(Y, labels, { shrinkage: 0 }))).latents, 1e-9);
    expect((parameters.components as { row(i: number): Float64Array }).row(5)).toEqual(new Float64Array(2));
    const random = seededRandom(1);
    const wide = Y.slice(0, 12).map((row) => [...row, ...Array.from({ length: 40 }, () => random.normal())]);
    const few = labels.slice(0, 12);
    await expect(fit(lda(wide, few, { shrinkage: 0 }))).rejects.toThrow(
      /singular: points vary within classes in 9 of 45/,
    );
    expect(nearestNeighborError((await fit(lda(wide, few))).latents, few)).toBeLessThan(0.1);
  });

  it.each([
    ['auto', undefined],
    ['0.2', 0.2],
    ['1', 1],
  ])('of more columns than labeled points solves S_b·a = λ·S_w·a, shrinkage %s', async (_, shrinkage) => {
    const random = seededRandom(4);
    const long = Y.slice(0, 24).map((row) => [...row, ...Array.from({ length: 30 }, () => random.normal())]);
    const some = labels.slice(0, 24).map((label, i) => (i < 4 ? undefined : label));
    const { latents, eigenvalues, parameters } = await fit(
      lda(long, some, { ...(shrinkage !== undefined && { shrinkage }) }),
    );
    const deviations = classDeviations(Matrix.from(long), classesOf(some, 'lda'));
    const within = scatter(deviations.residuals, deviations.count);
    const gamma = parameters.shrinkage as number;
    within.data.forEach((entry, k) => {
      within.data[k] = (k % 36 === 0 ? 1 : 1 - gamma) * entry;
    });
    const expected = generalizedPairs(scatter(deviations.offsets, deviations.count), within);
    expect(gamma).toBeGreaterThan(0);
    expectClose(eigenvalues, Array.from(expected.values).slice(-2).reverse(), 1e-9);
    const components = parameters.components as Matrix;
    for (const c of [0, 1]) {
      const [own, direct] = [components.column(c), expected.vectors.column(34 - c)];
      const sign = Math.sign(own[0]! * direct[0]!);
      expectClose(
        own,
        direct.map((entry) => sign * entry),
        1e-9,
        `direction ${c}`,
      );
    }
    expect(latents.rows).toBe(24);
  });

  it('of many more columns than points takes matrices of points, not of columns', async () => {
    const random = seededRandom(5);
    const two = Array.from({ length: 20 }, (_, i) => i % 2);
    const long = two.map((label) => Array.from({ length: 20_000 }, () => random.normal() + 0.3 * label));
    const result = await fit(lda(long, two));
    expect(nearestNeighborError(result.latents, two)).toBe(0);
    expectClose((await result.project(long.slice(0, 3))).latents, result.latents.toArrays().slice(0, 3), 1e-9);
    // All columns are multiples of one.
    const line = [0, 1, 3, 7, 8].map((x) => Array.from({ length: 9 }, (_, d) => x * (d + 1)));
    await expect(fit(lda(line, ['a', 'b', 'c', 'a', 'b']))).rejects.toThrow(/vary in 1 direction only/);
  });

  it('of two classes has one dimension', async () => {
    const two = labels.map((label) => label === 0);
    expect((await fit(lda(Y, two))).latents.columns).toBe(1);
    expect((await fit(kernelLda(Y, two))).latents.columns).toBe(1);
  });

  it('by a kernel separates rings, which no direction does', async () => {
    const random = seededRandom(2);
    const ring = Array.from({ length: 80 }, (_, i) => {
      const [angle, radius] = [i * 2.4, (i % 2 === 0 ? 1 : 3) + 0.1 * random.normal()];
      return [radius * Math.cos(angle), radius * Math.sin(angle)];
    });
    const inner = ring.map((_, i) => i % 2);
    const model = kernelLda(ring, inner, { kernel: rbf() });
    const result = await fit(model);
    expect(nearestNeighborError(result.latents, inner)).toBe(0);
    expect(nearestNeighborError((await fit(lda(ring, inner))).latents, inner)).toBeGreaterThan(0.1);
    const { latents } = await result.project([
      [0.7, 0.7],
      [0, -3],
    ]);
    const mean = (of: number) => result.latents.column(0).filter((_, i) => inner[i] === of)[0]!;
    expect(Math.sign(latents.at(0, 0))).toBe(Math.sign(mean(0)));
    expect(Math.sign(latents.at(1, 0))).toBe(Math.sign(mean(1)));
  });
});

describe('locality preserving projections of more columns than points', () => {
  // Each column sixteen times, a quarter as large: the same points in 80 columns, of which the mean of a diagonal is a sixteenth.
  const wide = Y.map((row) => row.flatMap((entry) => Array.from({ length: 16 }, () => entry / 4)));

  it.each([
    ['', 0],
    [', regularized', 0.1],
  ])('agree with the directions along which points vary%s', async (_, regularization) => {
    const narrow = await fit(lpp(Y, { ...lppOptions, regularization }));
    const result = await fit(lpp(wide, { ...lppOptions, regularization: 16 * regularization }));
    expectClose(result.eigenvalues, narrow.eigenvalues, 1e-9);
    expectClose(result.latents, narrow.latents, 1e-8);
    const more = rows.map((row) => row.flatMap((entry) => Array.from({ length: 16 }, () => entry / 4)));
    expectClose((await result.project(more)).latents, (await narrow.project(rows)).latents, 1e-8);
    expect(result.message).toContain('The joined points vary in 5 of 80 directions');
  });

  it('take matrices of points, not of columns', async () => {
    const random = seededRandom(3);
    const long = Array.from({ length: 20 }, () => Array.from({ length: 20_000 }, () => random.normal()));
    const { latents, parameters } = await fit(lpp(long, { neighbors: 3 }));
    const components = (parameters.components as { toArrays(): number[][] }).toArrays();
    const mean = long[0]!.map((_, d) => long.reduce((sum, row) => sum + row[d]!, 0) / 20);
    const scores = long.map((row) =>
      [0, 1].map((c) => row.reduce((sum, entry, d) => sum + (entry - mean[d]!) * components[d]![c]!, 0)),
    );
    expectClose(latents, scores, 1e-9);
  });
});

describe('locality preserving projections of a kernel', () => {
  const mean = [0, 1, 2, 3, 4].map((d) => Y.reduce((sum, row) => sum + row[d]!, 0) / Y.length);
  const centered = (list: number[][]) => list.map((row) => row.map((entry, d) => entry - mean[d]!));
  const options = { regularization: 0.1, kernel: quadratic };

  it.each([
    ['lpp', () => lpp(centered(Y), { ...lppOptions, ...options }), expected.lpp.kernel],
    ['slpp', () => slpp(centered(Y), labels, options), expected.slpp.kernel],
  ] as const)('agree with explicit features: %s', async (_, make, { eigenvalues, X, newX }) => {
    const result = await fit(make());
    expectClose(result.eigenvalues, eigenvalues, 1e-9);
    const { latents } = await result.project([...centered(Y), ...centered(rows)]);
    expectColumns(latents, [...X, ...newX], 1e-8);
    expectClose(latents.toArrays().slice(0, Y.length), result.latents, 1e-8);
    const again = await loadFit(JSON.parse(JSON.stringify(result))).project!(centered(rows));
    expect(again.latents).toEqual((await result.project(centered(rows))).latents);
  });

  it('of independent features place points as Laplacian eigenmaps do', async () => {
    const kernel = rbf({ lengthscale: 2 });
    const projected = await fit(lpp(Y, { ...lppOptions, kernel }));
    // D-orthogonal to the constant, like eigenmaps, but centered without the degrees.
    const mapped = await fit(laplacianEigenmaps(Y, lppOptions));
    const found = mapped.latents.toArrays();
    const means = [0, 1].map((c) => found.reduce((sum, row) => sum + row[c]!, 0) / Y.length);
    for (const c of [0, 1]) {
      const [a, b] = [projected.latents.column(c), found.map((row) => row[c]! - means[c]!)];
      const along = a.reduce((sum, entry, i) => sum + entry * b[i]!, 0);
      const norms = [a, b].map((each) => Math.hypot(...each));
      expect(Math.abs(along) / (norms[0]! * norms[1]!)).toBeGreaterThan(0.99);
    }
  });
});

describe("Sammon's mapping", () => {
  const { start, place } = expected.sammon;

  it('has the stress and the gradient of SciPy', async () => {
    const { objective, gradients } = await evaluate(sammon(Y), { latents: place });
    expectClose([objective], [-expected.sammon.stressAtPlace], 1e-13);
    expectClose(
      gradients.latents,
      expected.sammon.gradientAtPlace.map((row) => row.map((slope) => -slope)),
      1e-12,
    );
    const before = await fit(sammon(Y), { maxIterations: 0 });
    expectClose([before.objective], [-expected.sammon.stressAtStart], 1e-13);
    expectColumns(before.latents, start, 1e-10);
  });

  it('ends at the minimum that SciPy finds from the principal components, and places rows there', async () => {
    const result = await fit(sammon(Y));
    expect(result.status).toBe('converged');
    expect(-result.objective).toBeLessThan(expected.sammon.minimum * (1 + 1e-4));
    expect((await result.project(Y.slice(0, 3))).latents.toArrays()).toEqual(result.latents.toArrays().slice(0, 3));
  });

  it('places a row where its own stress is least, and does so when it is loaded', async () => {
    const { X, rowStress } = expected.sammon;
    const result = await fit(sammon(Y, { init: X }), { maxIterations: 0 });
    const { latents } = await result.project(rows);
    const stress = Y.reduce((sum, row, j) => {
      const delta = Math.hypot(...row.map((entry, d) => entry - rows[0]![d]!));
      const d = Math.hypot(...[0, 1].map((c) => latents.at(0, c) - X[j]![c]!));
      return sum + (delta - d) ** 2 / delta;
    }, 0);
    expect(stress).toBeCloseTo(rowStress, 6);
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect((await again.project!(rows)).latents).toEqual(latents);
  });
});

describe('projections refuse', () => {
  const twice = [...Y, Y[3]!];
  it.each<[string, () => unknown, RegExp]>([
    ['labels of another length', () => lda(Y, labels.slice(1)), /59 labels and 60 points/],
    [
      'one class',
      () =>
        kernelLda(
          Y,
          labels.map(() => 'a'),
        ),
      /the labels name 1 class /,
    ],
    ['classes of one point', () => slpp(Y.slice(0, 3), labels.slice(0, 3)), /each of the 3 classes has one point only/],
    ['more dimensions than classes separate', () => lda(Y, labels, { latentDim: 3 }), /in at most 2 dimensions/],
    ['a shrinkage above 1', () => lda(Y, labels, { shrinkage: 2 }), /a number from 0 to 1, or 'auto'/],
    ['an option that there is not', () => lda(Y, labels, { shrinkag: 0 } as never), /Did you mean 'shrinkage'/],
    ['a kernel that is none', () => kernelLda(Y, labels, { kernel: 'rbf' as never }), /'kernel' of kernelLda must be/],
    ['a kernel of lpp that is none', () => lpp(Y, { kernel: 'rbf' as never }), /'kernel' of lpp must be/],
    ['neighbors and a radius', () => lpp(Y, { neighbors: 3, radius: 1 }), /either neighbors or radius/],
    [
      'points that are the same',
      () => evaluate(sammon(twice)),
      /1 of the 61 rows repeat others \(row index 60 is row index 3\)/,
    ],
    ['to be evaluated', () => evaluate(lda(Y, labels)), /closed form/],
    ['more dimensions than directions', () => fit(lpp(Y, { latentDim: 6 })), /vary in 5 directions only/],
    [
      'more dimensions than points vary in',
      () =>
        fit(
          kernelLda(
            Y.map((_, i) => Y[i === 0 ? 0 : 1]!),
            labels,
          ),
        ),
      /vary in 1 direction of the feature space only/,
    ],
    [
      'a column that differs between classes alone',
      () =>
        fit(
          lda(
            Y.map((row, i) => [...row, labels[i]!]),
            labels,
          ),
        ),
      /Column index 5 of the observations .* it alone separates them/,
    ],
  ])('%s', async (_, make, message) => {
    const made = async () => make();
    await expect(made()).rejects.toThrow(InvalidInputError);
    await expect(made()).rejects.toThrow(message);
  });
});
