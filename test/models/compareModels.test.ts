import {
  add,
  bayesianGplvm,
  bias,
  compareModels,
  fit,
  fixed,
  gplvm,
  laplaceApproximation,
  latentVariableModel,
  linear,
  Matrix,
  pca,
  rbf,
  seededRandom,
  standardNormal,
} from 'latentfield';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../tolerance.ts';

const random = seededRandom(2);
const curve = Matrix.from(
  Array.from({ length: 24 }, (_, i) => {
    const t = (i - 12) / 8;
    return [t, t * t, Math.sin(2 * t), Math.cos(3 * t)].map((y) => y + 0.05 * random.normal());
  }),
);
const fresh = Matrix.from([0.3, -0.7].map((t) => [t, t * t, Math.sin(2 * t), Math.cos(3 * t)]));

describe('the evidence', () => {
  it('by Laplace and by the bound is near the integral over the latents', async () => {
    // Two points of one column: the integral over their latents is one over a plane.
    const Y = Matrix.from([[0.9], [-0.4]]);
    const kernel = linear({ variance: fixed(1) });
    const noise = fixed(0.5);
    const options = { center: false, latentDim: 1 } as const;
    const exact = Math.log(integral(Y, 0.5));
    const bound = await fit(bayesianGplvm(Y, { ...options, kernel, noise, inducing: 1 }), { maxIterations: 200 });
    expect(bound.evidence).toBeLessThan(exact + 1e-9);
    expect(bound.evidence).toBeGreaterThan(exact - 1);
    expect(bound.evidence).toBe(bound.terms.mapping! + bound.terms.divergence!);
    const model = latentVariableModel({ observations: Y, kernel, noise, priors: [standardNormal()], ...options });
    const point = await fit(model, { maxIterations: 200 });
    const { evidence } = await laplaceApproximation(model, point);
    // The Hessian of the integrand by differences of its logarithm.
    const [x, z] = [point.latents.at(0, 0), point.latents.at(1, 0)];
    const h = 1e-4;
    const f = (i: number, j: number) => Math.log(joint(Y, 0.5, x + i * h, z + j * h));
    const [a, b, c] = [
      f(1, 0) - 2 * f(0, 0) + f(-1, 0),
      f(0, 1) - 2 * f(0, 0) + f(0, -1),
      (f(1, 1) - f(1, -1) - f(-1, 1) + f(-1, -1)) / 4,
    ];
    const logDeterminant = Math.log((a * b - c * c) / h ** 4);
    expectClose([evidence!], [f(0, 0) + Math.log(2 * Math.PI) - logDeterminant / 2], 1e-5);
    // Of two mirrored modes it counts one.
    expect(Math.abs(evidence! + Math.log(2) - exact)).toBeLessThan(0.5);
  });

  /** N(y | 0, xxᵀ + σ²I)·N(x | 0, I) of two points, x = (x, z). */
  function joint({ data: [a, b] }: Matrix, noise: number, x: number, z: number): number {
    const [p, q, r] = [x * x + noise, z * z + noise, x * z];
    const determinant = p * q - r * r;
    const quadratic = (q * a! * a! - 2 * r * a! * b! + p * b! * b!) / determinant;
    return Math.exp(-0.5 * (quadratic + x * x + z * z)) / (4 * Math.PI * Math.PI * Math.sqrt(determinant));
  }

  /** p(Y) of two points: the integral over their latents on a fine grid. */
  function integral(Y: Matrix, noise: number): number {
    const h = 0.02;
    let sum = 0;
    for (let x = -8; x <= 8; x += h) for (let z = -8; z <= 8; z += h) sum += joint(Y, noise, x, z);
    return sum * h * h;
  }
});

describe('compareModels', () => {
  it('prefers a curve to a line for a curve, by the bound, by Laplace and by new observations', {
    tags: 'long',
  }, async () => {
    const settings = { maxIterations: 300 };
    const fits = [
      await fit(bayesianGplvm(curve, { latentDim: 1, inducing: 8, kernel: linear() }), settings),
      await fit(bayesianGplvm(curve, { latentDim: 1, inducing: 8 }), settings),
      await fit(gplvm(curve, { latentDim: 1, kernel: add(linear({ variance: fixed(1) }), bias()) }), settings),
      await fit(gplvm(curve, { latentDim: 1, kernel: add(rbf({ lengthscale: fixed(1) }), bias()) }), settings),
    ];
    const comparison = await compareModels(fits, { heldOut: fresh });
    const { table } = comparison;
    expect(table.map(({ name }) => name)).toEqual(['bayesianGplvm', 'bayesianGplvm 2', 'gplvm', 'gplvm 2']);
    expect(table.map(({ by }) => by)).toEqual(['bound', 'bound', 'laplace', 'laplace']);
    for (const [line, smooth] of [table.slice(0, 2), table.slice(2)]) {
      expect(smooth!.evidence).toBeGreaterThan(line!.evidence + 10);
      expect(smooth!.heldOutDensity).toBeGreaterThan(line!.heldOutDensity);
    }
    const best = Math.max(...table.map(({ evidence }) => evidence));
    for (const { evidence, behind } of table) expect(behind).toBe(best - evidence);
    expect(Math.min(...table.map(({ heldOutBehind }) => heldOutBehind))).toBe(0);
    expect(comparison.toString().split('\n')).toHaveLength(5);
  });

  it('gives none where there is none', async () => {
    const noPrior = await fit(gplvm(curve, { latentDim: 1, priors: [] }), { maxIterations: 20 });
    const principal = await fit(pca(curve, { latentDim: 1 }));
    const { table } = await compareModels([noPrior, principal]);
    for (const { evidence, by, heldOutDensity } of table) {
      expect(by).toBe('none');
      expect(evidence).toBeNaN();
      expect(heldOutDensity).toBeNaN();
    }
  });

  it('compares the others where one fit is not at a maximum, and explains why it has no evidence', async () => {
    const begun = await fit(gplvm(curve, { latentDim: 2 }), { maxIterations: 1 });
    const bound = await fit(bayesianGplvm(curve, { latentDim: 1, inducing: 5 }), { maxIterations: 3 });
    const compared = await compareModels([begun, bound]);
    expect(compared.table.map(({ by }) => by)).toEqual(['none', 'bound']);
    const [one, other] = compared.table;
    expect([one!.evidence, other!.evidence, other!.behind]).toEqual([Number.NaN, bound.evidence, 0]);
    expect(one!.reason).toMatch(/not a strict maximum in its latents.* ended as 'maxIterations': fit it further\.$/);
    expect(other!.reason).toBeUndefined();
    expect(String(compared).split('\n').at(-1)).toBe(`No evidence of gplvm: ${one!.reason}`);
    const [off] = (await compareModels([begun], { laplace: false })).table;
    expect([off!.by, off!.reason]).toEqual(['none', 'It has no bound, and laplace is false.']);
  });

  it('refuses fits of other observations, or evidence in other units', async () => {
    const settings = { maxIterations: 0 };
    const of = (Y: Matrix, options = {}) => fit(gplvm(Y, { latentDim: 1, ...options }), settings);
    await expect(compareModels([])).rejects.toThrow(/at least one fit/);
    await expect(compareModels([gplvm(curve, { latentDim: 1 })] as never)).rejects.toThrow(/a list of fits/);
    await expect(compareModels([await of(curve), await of(fresh)])).rejects.toThrow(
      /one is of 24×4 and another of 2×4/,
    );
    const boundOf = (scale: boolean) => fit(bayesianGplvm(curve, { latentDim: 1, inducing: 5, scale }), settings);
    await expect(compareModels([await boundOf(false), await boundOf(true)])).rejects.toThrow(/same units/);
  });
});
