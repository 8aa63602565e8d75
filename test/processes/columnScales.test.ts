import { describe, expect, it } from 'vitest';
import { fit, fixed, fixedAt, gplvm, loadFit, Matrix, rbf, seededRandom } from '../../src/index.ts';
import { flooredParameter, positive, transformOf } from '../../src/model/parameter.ts';
import { expectClose } from '../tolerance.ts';

const { normal } = seededRandom(11);
const N = 40;
const X = Array.from({ length: N }, () => [normal(), normal()]);
const Y = X.map(([a, b]) => [
  Math.sin(a!) + 0.1 * normal(),
  Math.cos(b!) + 0.4 * normal(),
  0.3 * a! * b! + 0.1 * normal(),
  0.5 * normal(),
  a! + 0.1 * normal(),
]);
const at = [
  [0.2, -0.4],
  [1.5, 1],
];
const held = { init: X, kernel: rbf({ variance: fixed(0.8), lengthscale: fixed(1) }), noise: 0.1 };

/** y_dᵀC⁻¹y_d/N of centered columns, and tr(KC⁻¹) = N − σ²·tr(C⁻¹), by elimination; C = K + σ²I of unit lengthscale. */
function quadratics(rows: readonly (readonly number[])[], inputs: readonly (readonly number[])[]) {
  const n = rows.length;
  const D = rows[0]!.length;
  const means = Array.from({ length: D }, (_, d) => rows.reduce((sum, row) => sum + row[d]!, 0) / n);
  const A = inputs.map((x, i) => [
    ...inputs.map((other, j) => {
      const r2 = x.reduce((sum, entry, k) => sum + (entry - other[k]!) ** 2, 0);
      return 0.8 * Math.exp(-r2 / 2) + (i === j ? 0.1 : 0);
    }),
    ...rows[i]!.map((y, d) => y - means[d]!),
    ...inputs.map((_, j) => (i === j ? 1 : 0)),
  ]);
  for (let k = 0; k < n; k++) {
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const factor = A[i]![k]! / A[k]![k]!;
      for (let j = k; j < A[i]!.length; j++) A[i]![j]! -= factor * A[k]![j]!;
    }
  }
  return {
    forms: means.map(
      (mean, d) => rows.reduce((sum, row, i) => sum + ((row[d]! - mean) * A[i]![n + d]!) / A[i]![i]!, 0) / n,
    ),
    taken: n - 0.1 * inputs.reduce((sum, _, i) => sum + A[i]![n + D + i]! / A[i]![i]!, 0),
  };
}

describe('one scale per column', () => {
  it('is the quadratic form of its column over the degrees of freedom, and multiplies variances only', async () => {
    const plain = await fit(gplvm(Y, { latentDim: 2, ...held, scale: false }), { maxIterations: 0 });
    const scaled = await fit(gplvm(Y, { latentDim: 2, ...held }), { maxIterations: 0 });
    expect(scaled.objective).toBe(plain.objective);
    const { forms, taken } = quadratics(Y, X);
    const freedom = 1 - 2 / 5 / (1 - taken / N);
    expect(freedom).toBeGreaterThan(1 / 3);
    const expected = forms.map((entry) => entry / freedom);
    for (const noise of [false, true]) {
      const [one, other] = [plain.predict(at, { noise }), scaled.predict(at, { noise })];
      expect(other.mean).toEqual(one.mean);
      const ratios = other.variance.toArrays().map((row, i) => row.map((entry, d) => entry / one.variance.at(i, d)));
      expectClose(ratios, [expected, expected], 1e-9, 'ratio of the variances');
    }
    // A column of noise has more of it than one that the latents explain.
    expect(scaled.predict(at, { noise: true }).variance.at(0, 3)).toBeGreaterThan(
      2 * scaled.predict(at, { noise: true }).variance.at(0, 0),
    );
  });

  it('does not exist where the noise is fixed, which then keeps its value', async () => {
    const options = { latentDim: 2, ...held, noise: fixed(0.1) };
    const plain = await fit(gplvm(Y, { ...options, scale: false }), { maxIterations: 0 });
    const own = await fit(gplvm(Y, options), { maxIterations: 0 });
    expect(own.predict(at, { noise: true })).toEqual(plain.predict(at, { noise: true }));
  });

  it('comes from the observed rows where entries are missing', async () => {
    const holes = Y.map((row, i) => row.map((y, d) => (d === 1 && i % 4 === 0 ? Number.NaN : y)));
    const options = { latentDim: 2, ...held, missing: 'ignore' } as const;
    const plain = await fit(gplvm(holes, { ...options, scale: false }), { maxIterations: 0 });
    const scaled = await fit(gplvm(holes, options), { maxIterations: 0 });
    const seen = X.map((_, i) => i).filter((i) => i % 4 !== 0);
    const own = quadratics(
      seen.map((i) => [Y[i]![1]!]),
      seen.map((i) => X[i]!),
    );
    const entries = 4 * N + seen.length;
    const taken = 4 * quadratics(Y, X).taken + own.taken;
    const freedom = 1 - (2 * N) / entries / (1 - taken / entries);
    expect(freedom).toBeGreaterThan(1 / 3);
    const [one, other] = [plain.predict(at).variance, scaled.predict(at).variance];
    expectClose([other.at(0, 1) / one.at(0, 1)], [own.forms[0]! / freedom], 1e-9);
  });

  it('takes no degrees of freedom where latents are known', async () => {
    const options = { latentDim: 2, ...held, init: undefined, posterior: fixedAt(X) };
    const plain = await fit(gplvm(Y, { ...options, scale: false }), { maxIterations: 0 });
    const scaled = await fit(gplvm(Y, options), { maxIterations: 0 });
    const ratios = Array.from(
      { length: 5 },
      (_, d) => scaled.predict(at).variance.at(0, d) / plain.predict(at).variance.at(0, d),
    );
    expectClose(ratios, quadratics(Y, X).forms, 1e-9);
  });

  it('enters the density of new rows, draws, and saved fits', { tags: 'long' }, async () => {
    const result = await fit(gplvm(Y, { latentDim: 2, ...held }), { maxIterations: 0 });
    const { latents, logDensityAtPlace } = await result.project(Y.slice(0, 3));
    const { mean, variance } = result.predict(latents, { noise: true });
    const expected = [0, 1, 2].map((i) =>
      Y[i]!.reduce((sum, y, d) => {
        const v = variance.at(i, d);
        return sum - 0.5 * (Math.log(2 * Math.PI * v) + (y - mean.at(i, d)) ** 2 / v);
      }, 0),
    );
    expectClose(logDensityAtPlace!, expected, 1e-10);
    const draws = Array.from({ length: 2000 }, (_, seed) => result.sample([at[0]!], { seed }));
    const predicted = result.predict([at[0]!], { noise: true });
    for (const d of [0, 3]) {
      const own = draws.map((draw) => draw.at(0, d));
      const average = own.reduce((sum, y) => sum + y, 0) / own.length;
      const spread = own.reduce((sum, y) => sum + (y - average) ** 2, 0) / own.length;
      expect(Math.abs(spread / predicted.variance.at(0, d) - 1)).toBeLessThan(4 * Math.sqrt(2 / 2000));
    }
    const loaded = loadFit(JSON.parse(JSON.stringify(result))) as unknown as typeof result;
    expect(loaded.predict(at, { noise: true })).toEqual(result.predict(at, { noise: true }));
  });
});

describe("scale: 'auto'", () => {
  const UNITS = [1, 1e6, 1, 0.02, 40];
  const OFFSETS = [3, -2e6, 0, 1, 100];
  const changed = Y.map((row) => row.map((y, d) => UNITS[d]! * y + OFFSETS[d]!));
  const other = Y.map((row) => row.map((y, d) => (d === 1 ? 1 : 1e6) * UNITS[d]! * y));

  it('has the same predictions for any units of columns, where these differ by more than ten times', async () => {
    const [one, two] = await Promise.all(
      [changed, other].map((rows) => fit(gplvm(rows, { latentDim: 2 }), { maxIterations: 30 })),
    );
    expectClose(two!.latents, one!.latents, 1e-8);
    const [a, b] = [one!.predict(at, { noise: true }), two!.predict(at, { noise: true })];
    const inUnits = (d: number) => (d === 1 ? 1 : 1e6);
    for (let d = 0; d < 5; d++) {
      expectClose(
        b.mean.column(d),
        a.mean.column(d).map((m) => (m - OFFSETS[d]!) * inUnits(d)),
        1e-8,
        `mean of column ${d}`,
      );
      expectClose(
        b.variance.column(d),
        a.variance.column(d).map((v) => v * inUnits(d) ** 2),
        1e-8,
        `variance of column ${d}`,
      );
    }
  });

  it('is reported in the message, and leaves columns of one unit as they are', async () => {
    const far = await fit(gplvm(changed, { latentDim: 2 }), { maxIterations: 1 });
    expect(far.message).toMatch(/divided by its deviation/);
    const near = await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 1 });
    expect(near.message).not.toMatch(/deviation/);
    const asked = await fit(gplvm(changed, { latentDim: 2, scale: true }), { maxIterations: 1 });
    expect(asked.message).not.toMatch(/deviation/);
  });

  it('does not take a constant column for one in another unit', async () => {
    const rows = Y.map((row) => [...row, 7]);
    const { message } = await fit(gplvm(rows, { latentDim: 2 }), { maxIterations: 1 });
    expect(message).not.toMatch(/deviation/);
  });
});

it('leaves pixels as they are, where some hardly vary', async () => {
  const pixels = X.map(([a, b]) =>
    Array.from({ length: 20 }, (_, j) => (j < 12 ? 100 * Math.sin(a! * (j + 1)) : 0.01 * Math.cos(b! * j))),
  );
  const { message } = await fit(gplvm(pixels, { latentDim: 2 }), { maxIterations: 1 });
  expect(message).not.toMatch(/deviation/);
  const mixed = pixels.map((row) => row.map((y, j) => (j < 8 ? y : 0.001 * y)));
  expect((await fit(gplvm(mixed, { latentDim: 2 }), { maxIterations: 1 })).message).toMatch(/deviation/);
});

describe('a floor of the noise', () => {
  const parameter = flooredParameter(positive(0.01), 1e-6);
  const { toNatural, toUnconstrained, pullBack, logJacobian } = transformOf(parameter);

  it('is not felt far above it, and never passed', () => {
    const far = Float64Array.of(3, 0, -5, -13);
    expect(toNatural(far)).toEqual(transformOf(positive(1)).toNatural(far));
    for (const entry of toNatural(Float64Array.of(-14, -20, -100, -1e5))) expect(entry).toBeGreaterThanOrEqual(1e-6);
    expectClose(toUnconstrained(toNatural(Float64Array.of(-13.4, -12))), [-13.4, -12], 1e-12);
  });

  it.each([-1, -13.1, -13.2, -15])('has the slopes of its differences at %s', (u) => {
    const h = 1e-6;
    const [x, up, down] = [u, u + h, u - h].map((v) => toNatural(Float64Array.of(v))) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    const slope = (up[0]! - down[0]!) / (2 * h);
    expectClose(pullBack(Float64Array.of(1), x, Float64Array.of(u)), [slope], 1e-6);
    expectClose([Math.exp(logJacobian!(Float64Array.of(u)).value)], [slope], 1e-6);
  });

  it('ends a fit to rows that repeat, and is reported', async () => {
    const rows = Y.slice(0, 15).flatMap((row) => [row, row]);
    const result = await fit(gplvm(rows, { latentDim: 2 }), { maxIterations: 1000 });
    expect(result.status).toBe('converged');
    const noise = result.parameters['mapping.noise'] as number;
    const all = Matrix.from(rows);
    const variance = [0, 1, 2, 3, 4]
      .map((d) => all.column(d))
      .map((column) => {
        const mean = column.reduce((sum, y) => sum + y, 0) / column.length;
        return column.reduce((sum, y) => sum + (y - mean) ** 2, 0) / column.length;
      })
      .reduce((sum, own) => sum + own / 5, 0);
    expect(noise).toBeGreaterThan(0.999e-3 * variance);
    expect(noise).toBeLessThan(1.01e-3 * variance);
    expect(result.message).toMatch(/noise reached its lower limit/);
  });
});
