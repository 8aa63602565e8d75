import { describe, expect, it } from 'vitest';
import {
  add,
  bias,
  evaluate,
  fit,
  fitAt,
  fixedAt,
  gaussian,
  gplvm,
  type Kernel,
  type Likelihood,
  latentVariableModel,
  linear,
  loadFit,
  matern32,
  rbf,
  seededRandom,
  standardNormal,
} from '../../src/index.ts';

const { normal } = seededRandom(18);
const arc = Array.from({ length: 12 }, (_, i) =>
  [Math.cos(i / 4), Math.sin(i / 4), i / 6].map((entry) => entry + 0.05 * normal()),
);
const times = (scale: number) => arc.map((row) => row.map((entry) => entry * scale));
const latents = arc.map(() => [normal()]);

describe('gradients in noises and variances', () => {
  const of = (v: number) => ({ variance: v });
  const noises = (v: number) => gaussian({ variance: [0.1 * v, 0.2 * v, 0.3 * v] });
  const models: Record<string, (v: number) => { kernel: Kernel; noise?: number; likelihood?: Likelihood }> = {
    dense: (v) => ({ kernel: add(rbf(of(v)), bias(of(v))), noise: 0.1 * v }),
    'of few features': (v) => ({ kernel: linear(of(v)), noise: 0.1 * v }),
    'of few features, a noise a column': (v) => ({ kernel: linear(of(v)), likelihood: noises(v) }),
    'dense, a noise a column': (v) => ({ kernel: rbf(of(v)), likelihood: noises(v) }),
  };
  const inUnits = (name: string, scale: number) => {
    const given = { observations: times(scale), latentDim: 1, posterior: fixedAt(latents), center: false };
    const { gradients } = evaluate(latentVariableModel({ ...given, ...models[name]!(scale * scale) }));
    return Object.entries(gradients)
      .filter(([path]) => /noise|variance/.test(path))
      .flatMap(([, gradient]) => ([gradient].flat() as number[]).map((entry) => entry * scale * scale));
  };

  it.each(Object.keys(models))('do not depend on the unit of the observations, from 1e-145 to 1e145: %s', (name) => {
    const expected = inUnits(name, 1);
    expect(Math.max(...expected.map(Math.abs))).toBeGreaterThan(0.1);
    for (const scale of [1e-145, 1e-100, 1e-78, 1e30, 1e78, 1e100, 1e145]) {
      const found = inUnits(name, scale);
      found.forEach((entry, i) => {
        expect(Math.abs(entry / expected[i]! - 1), `${scale}, entry ${i}`).toBeLessThan(1e-9);
      });
    }
  });
});

describe('predictions under a kernel that is far larger than the observations', () => {
  const noise = 0.5;
  const at = (kernel: ReturnType<typeof linear> | ReturnType<typeof add>, X: number[][], Y: number[][]) =>
    fitAt(latentVariableModel({ observations: Y, latentDim: 1, posterior: fixedAt(X), kernel, noise, center: false }));
  const X = [[-1], [0.3], [0.9], [0.1]];
  const Y = X.map(([x], i) => [2 * x! + 0.1 * i]);

  it.each([
    [1e8, 1],
    [1, 1e6],
    [1e8, 1e6],
  ])('are right to rounding where it has few features: inputs × %d, variance %d', (scale, variance) => {
    const fitted = at(
      linear({ variance }),
      X.map(([x]) => [x! * scale]),
      Y,
    );
    const prior = variance * scale * scale;
    const sum = X.reduce((total, [x]) => total + x! * x!, 0);
    const expected = (prior * 0.25 * noise) / (noise + prior * sum);
    expect(fitted.predict([[0.5 * scale]]).variance!.at(0, 0) / expected).toBeCloseTo(1, 12);
  });

  it('are refused where rounding would leave nothing of them', () => {
    const far = X.map(([x]) => [x! * 1e8]);
    const both = at(add(linear(), rbf()), far, Y);
    expect(() => both.predict([[0.5e8]])).toThrow(
      /^The kernel's variance reaches 1.00e\+16 at the latents, but the mean square .* Divide the latents/,
    );
    const alone = fitAt(
      latentVariableModel({
        ...{ observations: Y.slice(0, 2), latentDim: 2, posterior: fixedAt(far.slice(0, 2).map(([x]) => [x!, 1e8])) },
        ...{ kernel: linear({ variance: 1e6 }), noise, center: false },
      }),
    );
    expect(() => alone.predict([[0.5e8, 0.5e8]])).toThrow(/rounding leaves nothing of predictions/);
    expect(
      at(add(linear(), rbf()), X, Y)
        .predict([[0.5]])
        .variance!.at(0, 0),
    ).toBeGreaterThan(0.05);
  });
});

describe('variances that start far above the observations', () => {
  it('end a fit as failed, where the jitter of a covariance is more than the observations', async () => {
    const model = (scale: number) =>
      latentVariableModel({
        latentDim: 1,
        views: {
          a: { observations: times(scale), kernel: add(rbf(), bias()), noise: 0.1 },
          b: { observations: times(scale).map(([y]) => [y!]), kernel: rbf(), noise: 0.1 },
        },
        priors: [standardNormal()],
      });
    const result = await fit(model(1e-30), { seed: 1, maxIterations: 300 });
    expect(result.status).toBe('failed');
    expect(result.message).toMatch(
      /^Failed: the covariance has a factor only once .* more than the mean square of the observations/,
    );
    expect(() => result.predict([[0.3]], { view: 'b' })).toThrow(/rounding leaves nothing of predictions/);
    const usual = await fit(model(1), { seed: 1, maxIterations: 50 });
    expect(usual.message).not.toMatch(/^Failed/);
    expect(usual.predict([[0.3]], { view: 'b' }).variance!.at(0, 0)).toBeGreaterThan(1e-9);
  });
});

describe('observations of size 1e-100', () => {
  it('are fitted, used and loaded like observations of size 1', async () => {
    const options = { seed: 1, maxIterations: 300 };
    const small = await fit(gplvm(times(1e-100), { latentDim: 1 }), options);
    const again = loadFit(JSON.parse(JSON.stringify(small)));
    const rows = times(1e-100).slice(2, 4);
    const placed = await small.project(rows);
    expect((await again.project(rows)).latents).toEqual(placed.latents);
    const usual = await fit(gplvm(times(1), { latentDim: 1 }), options);
    const expected = await usual.project(times(1).slice(2, 4));
    placed.latents.data.forEach((entry, i) => {
      expect(Math.abs(entry - expected.latents.data[i]!)).toBeLessThan(1e-4);
    });
    expect(placed.logDensity[0]! + 3 * Math.log(1e-100)).toBeCloseTo(expected.logDensity[0]!, 4);
  });

  it('fail where a variance is rounded to 0, and what failed is loaded as failed', async () => {
    const kernel = add(rbf(), matern32(), bias());
    const result = await fit(gplvm(times(1e-100), { latentDim: 2, kernel }), { seed: 1, maxIterations: 300 });
    expect(Object.values(result.parameters)).toContain(0);
    expect(result.status).toBe('failed');
    expect(result.message).toMatch(
      /variance' must be greater than 0, but the search reached 0\. .*divide the observations/,
    );
    expect(loadFit(JSON.parse(JSON.stringify(result))).status).toBe('failed');
  });
});

it('a fit without a maximum places rows, although its log density has no finite curvature', async () => {
  const observations = arc.map((row) => row.map((entry) => entry * 1e-100));
  const result = await fit(
    latentVariableModel({
      ...{ observations, latentDim: 1, kernel: add(rbf(), bias()), priors: [standardNormal()] },
      likelihood: gaussian({ variance: [0.1, 0.1, 0.1] }),
    }),
    { maxIterations: 300, engine: 'wasm' },
  );
  expect(result.status).toBe('degenerate');
  const { latents } = await result.project(observations.slice(0, 2));
  expect([latents.rows, latents.columns]).toEqual([2, 1]);
});
