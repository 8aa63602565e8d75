import {
  add,
  basis,
  bias,
  defineRadialKernel,
  evaluate,
  exact,
  fit,
  gaussian,
  gaussianProcess,
  gplvm,
  InvalidInputError,
  inducing,
  type Kernel,
  latentVariableModel,
  linear,
  loadFit,
  Matrix,
  matern12,
  matern32,
  matern52,
  periodic,
  poisson,
  rbf,
  scale,
  seededRandom,
  select,
  white,
} from 'latentfield';
import type { ParameterValue } from 'latentfield/model';
import { checkDensity } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';
import { matrixTensor } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import { valueTensors } from '../../src/model/part.ts';
import { expectClose } from '../tolerance.ts';
import { logDensityOf, momentsOf } from './denseGaussian.ts';

const random = seededRandom(8);
const uniforms = (rows: number, columns: number, half: number) =>
  Matrix.from(
    Array.from({ length: rows }, () => Array.from({ length: columns }, () => half * (2 * random.uniform() - 1))),
  );
const normals = (rows: number, columns: number) =>
  Matrix.from(Array.from({ length: rows }, () => Array.from({ length: columns }, () => random.normal())));

const PI = Math.PI;
/** Spectral densities as in Rasmussen & Williams 2006, §4.2.1, of variance v and lengthscales l, written out for one and two dimensions. */
const spectra: Record<string, (s: number, q: number) => number> = {
  rbf: (s, q) => (2 * PI) ** (q / 2) * Math.exp(-s / 2),
  matern12: (s, q) => (q === 1 ? 2 / (1 + s) : (2 * PI) / (1 + s) ** 1.5),
  matern32: (s, q) => (q === 1 ? (12 * Math.sqrt(3)) / (3 + s) ** 2 : (2 * PI * 3 * Math.sqrt(3) * 3) / (3 + s) ** 2.5),
  matern52: (s, q) =>
    q === 1 ? (400 * Math.sqrt(5)) / 3 / (5 + s) ** 3 : (2 * PI * 25 * Math.sqrt(5) * 5) / (5 + s) ** 3.5,
};

/** Σ_j S(ω_j)·φ_j(x)·φ_j(x') over the numbers of a ball, by loops. */
function covarianceBy(
  name: string,
  v: number,
  lengths: readonly number[],
  m: number,
  lower: readonly number[],
  upper: readonly number[],
) {
  const q = lengths.length;
  const numbers: number[][] = [];
  for (let j = 0; j < m; j++) {
    for (let k = 0; k < (q === 1 ? 1 : m); k++) {
      if (j * j + k * k < m * m) numbers.push(q === 1 ? [j + 1] : [j + 1, k + 1]);
    }
  }
  const wave = (x: number, j: number, d: number) => {
    const width = upper[d]! - lower[d]!;
    return Math.sqrt(2 / width) * Math.sin((PI * j * (x - lower[d]!)) / width);
  };
  return (a: readonly number[], b: readonly number[]) =>
    numbers.reduce((sum, own) => {
      let s = 0;
      let product = v;
      own.forEach((j, d) => {
        s += ((PI * j * lengths[d]!) / (upper[d]! - lower[d]!)) ** 2;
        product *= lengths[d]! * wave(a[d]!, j, d) * wave(b[d]!, j, d);
      });
      return sum + product * spectra[name]!(s, q);
    }, 0);
}

const factories = { rbf, matern12, matern32, matern52 };
type Name = keyof typeof factories;

/** log p(Y | X) of a process at its initial values, with these ends of the domain. */
function densityOf(
  kernel: Kernel,
  approximation: ReturnType<typeof basis>,
  domain: Matrix,
  X: Matrix,
  Y: Matrix,
  noise: number,
): number {
  const process = gaussianProcess({ kernel, noise, approximation });
  const values = Object.fromEntries(Object.entries(process.parameters).map(([path, { initial }]) => [path, initial]));
  return withFloat64(() =>
    op.valueOf(process.logDensity(valueTensors({ ...values, domain }), matrixTensor(X), matrixTensor(Y))),
  );
}

describe('a process as a sum of basis functions', () => {
  const cases = (['rbf', 'matern12', 'matern32', 'matern52'] as const).flatMap((name) => [
    [name, 1] as const,
    [name, 2] as const,
  ]);

  it.each(cases)('has the density of the sum written out: %s, %i dimensions', (name, q) => {
    const [X, Y] = [uniforms(9, q, 2), normals(9, 3)];
    const [lower, upper] = [[-4, -3].slice(0, q), [3.5, 4].slice(0, q)];
    const lengths = [0.8, 1.3].slice(0, q);
    const own = covarianceBy(name, 1.7, lengths, 6, lower, upper);
    const rows = X.toArrays();
    const K = rows.map((a) => rows.map((b) => own(a, b)));
    const expected = Y.toArrays()[0]!.reduce(
      (sum, _, d) => sum + logDensityOf(K, Array(9).fill(0.3), Array.from(Y.column(d))),
      0,
    );
    const kernel = factories[name]({ variance: 1.7, lengthscale: q === 1 ? lengths[0]! : lengths });
    const domain = Matrix.from([lower, upper]);
    expectClose(densityOf(kernel, basis(6, { domain }), domain, X, Y, 0.3), expected, 1e-11);
  });

  it.each([1, 2])('tends to the rbf process itself, %i dimensions', (q) => {
    const [X, Y] = [uniforms(12, q, 1.5), normals(12, 2)];
    const domain = Matrix.from([Array(q).fill(-7), Array(q).fill(7)]);
    const kernel = add(rbf({ variance: 2, lengthscale: 1.2 }), bias(), white({ variance: 0.1 }));
    const process = gaussianProcess({ kernel, noise: 0.2 });
    const values = Object.fromEntries(Object.entries(process.parameters).map(([path, { initial }]) => [path, initial]));
    const whole = withFloat64(() =>
      op.valueOf(process.logDensity(valueTensors(values), matrixTensor(X), matrixTensor(Y))),
    );
    const off = [6, 30].map((m) => Math.abs(densityOf(kernel, basis(m), domain, X, Y, 0.2) - whole));
    expect(off[0]).toBeGreaterThan(1e-2);
    expect(off[1]).toBeLessThan(1e-9);
  });

  it.each([
    ['matern12', 1],
    ['matern32', 3],
    ['matern52', 5],
  ] as const)('loses variance of %s at the rate of the tail of its spectrum', (name, rate) => {
    const own = (m: number) => covarianceBy(name, 1, [1], m, [-8], [8]);
    // The mean over places of the missing variance: sin² is ½ on average.
    const missing = (m: number) =>
      Array.from({ length: 101 }, (_, i) => -2 + 0.04 * i).reduce((sum, x) => sum + (1 - own(m)([x], [x])) / 101, 0);
    const fall = Math.log2(missing(100) / missing(200));
    expect(Math.abs(fall - rate)).toBeLessThan(0.1);
    // The same sum as the library's at one point, where the density is that of one number.
    const X = Matrix.from([[0.3], [1.1]]);
    const K = X.toArrays().map((a) => X.toArrays().map((b) => own(60)(a, b)));
    const Y = Matrix.from([[0.4], [-0.2]]);
    const domain = Matrix.from([[-8], [8]]);
    const found = densityOf(factories[name as Name](), basis(60), domain, X, Y, 0.1);
    expectClose(found, logDensityOf(K, [0.1, 0.1], [0.4, -0.2]), 1e-11);
  });

  it('sums, scales and selects columns as kernels do', () => {
    const [X, Y] = [uniforms(8, 2, 2), normals(8, 2)];
    const domain = Matrix.from([
      [-4, -3],
      [3.5, 4],
    ]);
    const kernel = add(scale(select(rbf({ lengthscale: 0.7 }), [1]), 0.6), linear({ variance: 0.4 }));
    const own = covarianceBy('rbf', 0.6, [0.7], 5, [-3], [4]);
    const rows = X.toArrays();
    const K = rows.map((a) => rows.map((b) => own([a[1]!], [b[1]!]) + 0.4 * (a[0]! * b[0]! + a[1]! * b[1]!)));
    const expected = [0, 1].reduce((sum, d) => sum + logDensityOf(K, Array(8).fill(0.3), Array.from(Y.column(d))), 0);
    expectClose(densityOf(kernel, basis(5), domain, X, Y, 0.3), expected, 1e-11);
  });

  it('takes the spectrum of a custom radial kernel', () => {
    const own = defineRadialKernel({
      name: 'smooth',
      value: (s) =>
        s.forEach((entry, i) => {
          s[i] = Math.exp(-0.5 * entry);
        }),
      slope: (s) =>
        s.forEach((entry, i) => {
          s[i] = -0.5 * Math.exp(-0.5 * entry);
        }),
      spectrum: (s, q) => op.mul((2 * PI) ** (q / 2), op.exp(op.mul(-0.5, s))),
    });
    const [X, Y] = [uniforms(7, 1, 2), normals(7, 2)];
    const domain = Matrix.from([[-5], [5]]);
    const [a, b] = [own(), rbf()].map((kernel) => densityOf(kernel, basis(9), domain, X, Y, 0.2));
    expectClose(a!, b!, 1e-12);
  });

  it('passes the checks of densities: gradients, conditionals and draws', () => {
    const process = gaussianProcess({
      kernel: add(rbf({ lengthscale: 0.9 }), bias()),
      noise: 0.2,
      approximation: basis(5, { domain: [[-4], [4]] }),
    });
    expect(checkDensity(process, { rows: 4, columns: 1, givenColumns: [1] }).passed).toBe(true);
  });
});

describe('a model with basis functions', () => {
  const X = normals(60, 1);
  const Y = Matrix.from(
    Array.from(X.toArrays(), ([x]) => [0, 1, 2, 3].map((j) => Math.sin(x! + j) + 0.1 * random.normal())),
  );
  const kernel = () => add(rbf({ lengthscale: 1 }), bias());
  const made = (approximation: ReturnType<typeof exact>) =>
    latentVariableModel({ observations: Y, latentDim: 1, kernel: kernel(), noise: 0.05, approximation });

  it('measures by how much its log density is off', async () => {
    const fitted = await fit(made(basis(8)), { maxIterations: 20 });
    const { 'mapping.domain': domain, ...values } = fitted.parameters as Record<string, ParameterValue>;
    expect((domain as Matrix).columns).toBe(1);
    const { objective } = evaluate(made(exact()), { ...values, latents: fitted.latents } as never);
    const [own] = fitted.diagnostics.approximations!;
    expect(own).toMatchObject({ name: 'basisFunctions', of: ['mapping'], count: 9 });
    expectClose(own!.error!, fitted.objective - objective, 1e-6);
    expect(Math.abs(own!.error!)).toBeGreaterThan(1e-6);
    expect(fitted.message).toContain('9 basis functions');
  });

  it('predicts as the conditional of the sum written out', async () => {
    const fitted = await fit(made(basis(7, { domain: [[-5], [6]] })), { maxIterations: 5 });
    const value = (path: string) => (fitted.parameters as Record<string, ParameterValue>)[path] as number;
    const own = covarianceBy(
      'rbf',
      value('mapping.kernel.rbf.variance'),
      [value('mapping.kernel.rbf.lengthscale')],
      7,
      [-5],
      [6],
    );
    const k = (a: number, b: number) => own([a], [b]) + value('mapping.kernel.bias.variance');
    const x = Array.from(fitted.latents.column(0));
    const K = x.map((a) => x.map((b) => k(a, b)));
    const means = [0, 1, 2, 3].map((d) => Y.column(d).reduce((sum, y) => sum + y / 60, 0));
    const { mean, variance } = fitted.predict([[0.4]]);
    for (const d of [0, 1, 2, 3]) {
      const y = Array.from(Y.column(d), (entry) => entry - means[d]!);
      const noise = Array(60).fill(value('mapping.noise'));
      const expected = momentsOf(
        K,
        noise,
        y,
        x.map((a) => k(a, 0.4)),
        k(0.4, 0.4),
      );
      expectClose(mean.at(0, d), expected.mean + means[d]!, 1e-8);
      expectClose(variance.at(0, d), expected.variance, 1e-7);
    }
  });

  it('is saved and loaded with the same bits', async () => {
    for (const approximation of [basis(6), basis(6, { domain: [[-6], [6]] }), basis(5, { boundary: 2 })]) {
      const fitted = await fit(gplvm(Y, { latentDim: 1, approximation }), { maxIterations: 4 });
      const again = loadFit(JSON.parse(JSON.stringify(fitted)));
      const place = [[0.2], [1.5]];
      expect(again.predict(place).mean).toEqual(fitted.predict(place).mean);
      expect(JSON.stringify(again)).toBe(JSON.stringify(fitted));
    }
  });

  it('has inducing inputs under either name', () => {
    const Z = [[-1], [0], [1]];
    const model = (options: object) =>
      latentVariableModel({ observations: Y, latentDim: 1, kernel: kernel(), noise: 0.05, ...options });
    const [short, long] = [{ inducing: Z }, { approximation: inducing(Z) }].map(
      (options) => evaluate(model(options)).objective,
    );
    expect(long).toBe(short);
    expect(evaluate(model({ approximation: inducing(Z, { jitter: 1e-3 }) })).objective).not.toBe(short);
  });
});

describe('what cannot be a sum of basis functions', () => {
  const Y = normals(12, 2);
  const counts = new Matrix(
    Y.data.map((y) => Math.round(Math.abs(y))),
    12,
    2,
  );
  const model = (options: object) => () =>
    evaluate(latentVariableModel({ observations: Y, latentDim: 1, kernel: rbf(), ...options }));

  it.each([
    ['a kernel without a spectral density', { kernel: periodic(), approximation: basis(5) }, /spectral density/],
    ['too many functions', { latentDim: 2, approximation: basis(90) }, /at most 5000/],
    ['another likelihood', { observations: counts, likelihood: poisson(), approximation: basis(5) }, /inducing/],
    ['both forms', { inducing: 3, approximation: basis(5) }, /without 'inducing', but .*3/],
    ['something else', { approximation: 5 }, /approximation/],
  ])('%s', (_, options, message) => {
    expect(model(options)).toThrow(InvalidInputError);
    expect(model(options)).toThrow(message);
  });

  it("a named model's `inducing: 'none'` with an approximation", () => {
    const both = () => gplvm(Y, { latentDim: 1, inducing: 'none', approximation: basis(5) });
    expect(both).toThrow(InvalidInputError);
    expect(both).toThrow(/without 'inducing', but .*none/);
  });

  it.each([
    [() => basis(0), /whole number/],
    [() => basis(2.5), /whole number/],
    [() => basis(4, { boundary: 0 }), /above 0/],
    [() => basis(4, { domain: [[1], [1]] }), /lower ends/],
    [() => basis(4, { domain: [[1, 2]] }), /lower ends/],
    [() => inducing(0), /whole number/],
    [() => inducing(3, { jitter: -1 }), /from 0/],
    [() => gaussianProcess({ kernel: rbf(), likelihood: gaussian(), approximation: 'exact' as never }), /exact\(\)/],
  ])('options: %s', (make, message) => {
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });
});
