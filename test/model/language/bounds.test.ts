import {
  bayesianGplvm,
  bernoulli,
  defineLikelihood,
  defineModel,
  describe as described,
  evaluate,
  fit,
  fitAt,
  fixed,
  gaussian,
  gaussianLatents,
  gaussianProcess,
  known,
  type Likelihood,
  latent,
  latentVariableModel,
  loadFit,
  Matrix,
  type Model,
  mapped,
  observed,
  type Prediction,
  poisson,
  rbf,
  standardNormal,
  studentT,
  type Variable,
} from 'latentfield';
import type { Batch } from 'latentfield/model';
import { checkModel } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';
import { withFloat64 } from '../../../src/engine/tensors/float64/scope.ts';
import * as op from '../../../src/engine/tensors/ops.ts';
import { valueTensors } from '../../../src/model/part.ts';

const random = seededRandom(11);
const X = Matrix.from(Array.from({ length: 24 }, () => [random.normal(), random.normal()]));
const Y = Matrix.from(
  X.toArrays().map(([a, b]) => [Math.sin(a!) + 0.1 * random.normal(), a! * b!, Math.cos(b!) + 0.1 * random.normal()]),
);
const counts = Matrix.from(X.toArrays().map(([a, b]) => [Math.round(Math.exp(1 + a!)), Math.round(2 + b! * b!)]));
const Z = Matrix.from(X.toArrays().slice(0, 7));
const relative = (a: number, b: number) => Math.abs(a - b) / Math.max(1, Math.abs(b));

/** A Bayesian GPLVM, said as its variables. */
const ownBayesian = defineModel({
  name: 'ownBayesian',
  variables: (data: { readonly y: Matrix; readonly inducing: number | Matrix }) => {
    const z = latent({ dim: 2, density: standardNormal(), posterior: gaussianLatents({ variance: 0.3 }) });
    const kernel = rbf({ variance: 1.3, lengthscale: [0.8, 1.4] });
    const y = observed(data.y, {
      density: gaussianProcess({ kernel, noise: 0.05, inducing: data.inducing }),
      given: z,
      missing: 'ignore',
    });
    return { z, y };
  },
});
const namedBayesian = (y: Matrix) =>
  bayesianGplvm(y, {
    latentDim: 2,
    kernel: rbf({ variance: 1.3, lengthscale: [0.8, 1.4] }),
    noise: 0.05,
    inducing: Z,
    latentVariance: 0.3,
    missing: 'ignore',
    scale: false,
  });
/** Values of the named model under the paths of the own one. */
const renamed = (values: object) =>
  Object.fromEntries(
    Object.entries(values).map(([path, value]) => [
      path.replace('latents', 'z.posterior').replace('mapping', 'y'),
      value,
    ]),
  );

describe('a process through inducing inputs, given Gaussian rows', () => {
  const holed = Matrix.from(Y.toArrays().map((row, i) => row.map((y, j) => (i === 4 && j === 1 ? Number.NaN : y))));

  it.each([
    ['complete', Y],
    ['with a missing entry', holed],
  ])('has the bound of bayesianGplvm and its gradients: observations %s', async (_, y) => {
    const named = await evaluate(namedBayesian(y));
    const own = await evaluate(ownBayesian({ y, inducing: Z }));
    expect(relative(own.objective, named.objective)).toBeLessThan(1e-12);
    const gradients = renamed(named.gradients) as Record<string, number | number[] | Matrix>;
    const numbers = (of: unknown) => (of instanceof Matrix ? Array.from(of.data) : [of].flat(2)) as number[];
    for (const [path, gradient] of Object.entries(gradients)) {
      const right = numbers(gradient);
      const size = Math.max(1, ...right.map(Math.abs));
      numbers(own.gradients[path]).forEach((entry, i) => {
        expect([path, Math.abs(entry - right[i]!) / size < 1e-10]).toEqual([path, true]);
      });
    }
  });

  it('places new rows, predicts and imputes as bayesianGplvm does at the same values', async () => {
    const limits = { maxIterations: 30 };
    const named = await fit(namedBayesian(Y), limits);
    const own = await fit(ownBayesian({ y: Y, inducing: Z }), limits);
    const json = own.toJSON() as { values: object };
    const again = loadFit(JSON.parse(JSON.stringify({ ...json, values: json.values })), {
      models: { ownBayesian },
    }) as unknown as typeof own;
    expect(again.objective).toBe(own.objective);
    const rows = [
      [0.3, Number.NaN, 0.8],
      [-0.5, 0.2, 0.6],
    ];
    // The two fits went the same way: their bounds differ by rounding.
    expect(relative(own.objective, named.objective)).toBeLessThan(1e-6);
    const [a, b] = [await own.project({ y: rows }), await named.project(rows)];
    for (let i = 0; i < 4; i++) {
      expect(Math.abs(a.latents.data[i]! - b.latents.data[i]!)).toBeLessThan(1e-3);
      expect(relative(a.latentVariances!.data[i]!, b.latentVariances!.data[i]!)).toBeLessThan(1e-3);
    }
    const [filled, right] = [await own.impute({ y: rows }), await named.impute(rows)];
    expect(Math.abs(filled.y.mean.at(0, 1) - right.mean.at(0, 1))).toBeLessThan(1e-3);
    expect(relative(filled.y.variance.at(0, 1), right.variance.at(0, 1))).toBeLessThan(1e-2);
  });
});

describe('a process under a likelihood that is not Gaussian', () => {
  it('is the one of latentVariableModel, bit for bit', async () => {
    const own = defineModel({
      name: 'counted',
      variables: (data: { readonly y: Matrix }) => {
        const z = latent({ dim: 2, factors: standardNormal() });
        return {
          z,
          y: observed(data.y, {
            density: gaussianProcess({ kernel: rbf(), likelihood: poisson(), inducing: 6 }),
            given: z,
          }),
        };
      },
    });
    const named = latentVariableModel({
      observations: counts,
      latentDim: 2,
      kernel: rbf(),
      likelihood: poisson(),
      inducing: 6,
      priors: [standardNormal()],
    });
    const [a, b] = [await evaluate(own({ y: counts })), await evaluate(named)];
    expect(a.objective).toBe(b.objective);
    expect(Object.keys(a.terms)).toEqual(['y', 'z.standardNormal', 'y.divergence']);
  });

  it('bounds the evidence of labels from below, and comes within a hundredth of it', async () => {
    const model = defineModel({
      name: 'labeled',
      variables: (data: { readonly x: Matrix; readonly y: Matrix }) => {
        const x = known(data.x);
        const kernel = rbf({ variance: fixed(2), lengthscale: fixed(1) });
        const density = gaussianProcess({ kernel, likelihood: bernoulli(), inducing: [[0.5]] });
        const z = mapped(x, (rows) => op.mul(1, rows));
        return { x, z, y: observed(data.y, { density, given: z }) };
      },
    });
    const { objective, status } = await fit(model({ x: Matrix.from([[0.5], [0.5]]), y: Matrix.from([[1], [1]]) }));
    // Both labels are of one function value f ~ N(0, 2).
    const step = 1e-3;
    let evidence = 0;
    for (let f = -20; f < 20; f += step) {
      evidence += (step * (1 / (1 + Math.exp(-f))) ** 2 * Math.exp((-f * f) / 4)) / Math.sqrt(4 * Math.PI);
    }
    expect(status).toBe('converged');
    expect(objective).toBeLessThan(Math.log(evidence));
    expect(objective).toBeGreaterThan(Math.log(evidence) - 0.01);
  });

  it('is worked out some rows at a time: the batches of a partition add up to the whole', () => {
    const model = defineModel({
      name: 'inBatches',
      variables: (data: { readonly x: Matrix; readonly y: Matrix }) => {
        const x = known(data.x);
        const density = gaussianProcess({ kernel: rbf(), likelihood: gaussian({ variance: 0.1 }), inducing: 6 });
        const z = mapped(x, (rows) => op.mul(1, rows));
        return { x, z, y: observed(data.y, { density, given: z }) };
      },
    })({ x: X, y: Y }) as unknown as Model;
    expect(model.points).toBe(24);
    const valueAt = (batch: Batch | undefined) =>
      withFloat64(() => {
        const assembly = model.assemble(0, { batched: true });
        const values = Object.fromEntries(
          Object.entries(assembly.parameters).map(([path, own]) => [path, own.initial]),
        );
        const context = {
          iteration: 0,
          random: seededRandom(1),
          onJitter: () => {},
          onRank: () => {},
          ...(batch && { batch }),
        };
        const terms = assembly.terms(valueTensors(values), context);
        const found = { y: op.valueOf(terms.y!), lost: op.valueOf(terms['y.divergence']!) };
        assembly.dispose();
        return found;
      });
    const whole = valueAt(undefined);
    const parts = [0, 1, 2].map((k) =>
      valueAt({ rows: Int32Array.from({ length: 8 }, (_, i) => k + 3 * i), scale: 3 }),
    );
    const mean = parts.reduce((sum, { y }) => sum + y / 3, 0);
    expect(relative(mean, whole.y)).toBeLessThan(1e-13);
    for (const { lost } of parts) expect(lost).toBe(whole.lost);
  });

  it('has no closed-form moments, and needs inducing inputs', () => {
    expect(() => gaussianProcess({ kernel: rbf(), likelihood: poisson() })).toThrow(/inducing inputs/);
    expect(() => gaussianProcess({ kernel: rbf(), inducing: 0.5 })).toThrow(
      /'inducing' of the process must be a whole number from 1,/,
    );
  });
});

describe('a process under a likelihood of two functions', () => {
  const changingNoise = defineLikelihood({
    name: 'changingNoise', // log N(y | f, e^{2s})
    functions: 2,
    logDensity: (_, [f, s], y) =>
      op.sub<op.Tensor2D>(
        op.mul(-0.5, op.square(op.mul(op.sub(y, f!), op.exp(op.neg(s!))))),
        op.add(s!, 0.5 * Math.log(2 * Math.PI)),
      ),
    momentsAt: (_, [f, s]) => ({ mean: f!, variance: op.exp(op.mul<op.Tensor2D>(2, s!)) }),
    sample: (_, [f, s], { normal }) => {
      const entries = op.tensor<op.Tensor2D>(Float64Array.from({ length: f!.size }, normal), f!.shape);
      return op.add(f!, op.mul(op.exp(s!), entries));
    },
  });
  const along = defineModel({
    name: 'along',
    variables: (data: { readonly x: Matrix; readonly y: Matrix; readonly inducing: number | Matrix }) => {
      const x = known(data.x);
      const density = gaussianProcess({
        kernel: rbf({ variance: 1.3, lengthscale: 0.8 }),
        likelihood: changingNoise(),
        inducing: data.inducing,
      });
      return { x, y: observed(data.y, { density, given: x }) };
    },
  });

  it('has the bound and the gradients of plain code', async () => {
    const [x, y, z] = [[0.1, 0.6, 1.5], [0.4, -0.3, 1.2], 0.5];
    const [means, roots] = [
      [0.7, -0.4],
      [0.9, 0.6],
    ] as [[number, number], [number, number]];
    const model = along({
      x: Matrix.from(x.map((entry) => [entry])),
      y: Matrix.from(y.map((entry) => [entry])),
      inducing: Matrix.from([[z]]),
    });
    /** With f ~ N(m, v) and s ~ N(a, b): E[log N(y | f, e^{2s})] = −½log 2π − a − ½((y − m)² + v)·exp(2b − 2a). */
    const plain = ([m1, m2]: readonly number[], [c1, c2]: readonly number[], lengthscale: number) => {
      const root = Math.sqrt(1.3 * (1 + 1e-8));
      let total = 0;
      x.forEach((own, i) => {
        const a = (1.3 * Math.exp(-0.5 * ((own - z) / lengthscale) ** 2)) / root;
        const spread = (c: number) => 1.3 - a * a + (c * a) ** 2;
        const misfit = (y[i]! - a * m1!) ** 2 + spread(c1!);
        total -= 0.5 * Math.log(2 * Math.PI) + a * m2! + 0.5 * misfit * Math.exp(2 * spread(c2!) - 2 * a * m2!);
      });
      for (const [m, c] of [
        [m1!, c1!],
        [m2!, c2!],
      ] as const)
        total -= 0.5 * (m * m + c * c - 1) - Math.log(Math.abs(c));
      return total;
    };
    const { objective, gradients, terms } = await evaluate(model, {
      'y.variational.mean': Matrix.from([means]),
      'y.variational.root': Matrix.from(roots.map((root) => [root])),
    } as never);
    expect(Object.keys(terms)).toEqual(['y', 'y.divergence']);
    // Quadrature with 12 nodes for each function has an error of 1e-7 for exp(−2s) of a variance above 1.
    expect(relative(objective, plain(means, roots, 0.8))).toBeLessThan(1e-7);
    const slope = (f: (step: number) => number) => (f(1e-5) - f(-1e-5)) / 2e-5;
    const found = gradients as Record<string, Matrix | number>;
    const ofMean = found['y.variational.mean'] as Matrix;
    expect(
      relative(
        ofMean.data[0]!,
        slope((h) => plain([means[0] + h, means[1]], roots, 0.8)),
      ),
    ).toBeLessThan(1e-6);
    expect(
      relative(
        ofMean.data[1]!,
        slope((h) => plain([means[0], means[1] + h], roots, 0.8)),
      ),
    ).toBeLessThan(1e-6);
    const lengthscale = found['y.kernel.rbf.lengthscale'] as number;
    expect(
      relative(
        lengthscale,
        slope((h) => plain(means, roots, 0.8 + h)),
      ),
    ).toBeLessThan(1e-6);
  });

  it('finds where the noise is larger, places, fills in and draws rows, and is read again with the same bits', {
    tags: 'long',
  }, async () => {
    const noisy = seededRandom(5);
    const x = Matrix.from(Array.from({ length: 60 }, (_, i) => [i / 15 - 2]));
    const width = (at: number) => Math.exp(0.8 * at - 2);
    const y = Matrix.from(
      x.toArrays().map(([at]) => [Math.sin(at!) + width(at!) * noisy.normal(), at! + width(at!) * noisy.normal()]),
    );
    const result = await fit(along({ x, y, inducing: 8 }), { maxIterations: 150 });
    const [quiet, loud] = [-1, 1].map((side) => {
      const rows = Array.from({ length: 60 }, (_, i) => i).filter((i) => side * x.at(i, 0) > 0.4);
      const at = Matrix.from(rows.map((i) => [x.at(i, 0)]));
      const [seen, behind] = [true, false].map((noise) => result.predict({ x: at }, { noise }).y);
      return [0, 1].map((d) => {
        const root = (of: (r: number) => number) => Math.sqrt(rows.reduce((sum, _, r) => sum + of(r), 0) / rows.length);
        // Without noise it is the variance of the expected observation.
        return {
          expected: root((r) => seen!.variance.at(r, d) - behind!.variance.at(r, d)),
          found: root((r) => (y.at(rows[r]!, d) - seen!.mean.at(r, d)) ** 2),
          rows: rows.length,
        };
      });
    });
    for (const { expected, found, rows } of [...quiet!, ...loud!]) {
      // The logarithm of a deviation of n normal entries has a standard error of 1/√(2n): three of them, for four deviations.
      expect(Math.abs(Math.log(expected / found))).toBeLessThan(3 / Math.sqrt(2 * rows));
    }
    for (const d of [0, 1]) expect(loud![d]!.expected).toBeGreaterThan(4 * quiet![d]!.expected);
    const wide = Math.sqrt(result.predict({ x: [[1.2]] }, { noise: true }).y.variance.at(0, 0));
    const drawn = Array.from({ length: 400 }, (_, seed) => result.sample({ x: [[1.2]] }, { seed }).y.at(0, 0));
    const mean = drawn.reduce((sum, entry) => sum + entry, 0) / drawn.length;
    const spread = Math.sqrt(drawn.reduce((sum, entry) => sum + (entry - mean) ** 2, 0) / drawn.length);
    expect(Math.abs(Math.log(spread / wide))).toBeLessThan(3 / Math.sqrt(2 * drawn.length));
    const again = loadFit(JSON.parse(JSON.stringify(result)), {
      models: { along },
      likelihoods: { changingNoise },
    }) as unknown as typeof result;
    expect(again.predict({ x: [[0.4]] }, { noise: true })).toEqual(result.predict({ x: [[0.4]] }, { noise: true }));
  });

  it.for([{ rows: 'latent points' }, { rows: 'Gaussian rows', posterior: gaussianLatents({ variance: 0.2 }) }])(
    'passes the conformance kit together with $rows',
    { tags: 'long', timeout: 300_000 },
    ({ posterior }) => {
      const own = defineModel({
        name: 'own',
        variables: (data: { readonly y: Matrix }) => {
          const z = latent({ dim: 1, density: standardNormal(), ...(posterior && { posterior }) });
          const density = gaussianProcess({ kernel: rbf(), likelihood: changingNoise(), inducing: 4 });
          return { z, y: observed(data.y, { density, given: z, missing: 'ignore' }) };
        },
      });
      const y = Matrix.from(
        Y.toArrays()
          .slice(0, 6)
          .map(([first]) => [first!]),
      );
      const report = checkModel(own({ y }), { models: { own }, likelihoods: { changingNoise }, entries: 2 });
      expect(report.checks.map(({ name }) => name)).toContain("predictions of 'y'");
    },
  );

  it('reports the limits of a likelihood without momentsAt', async () => {
    const silent = defineLikelihood({
      name: 'silent',
      functions: 2,
      logDensity: (_, [f, s], y) => op.neg(op.square(op.sub(y, op.add(f!, s!)))) as op.Tensor2D,
    });
    const own = defineModel({
      name: 'own',
      variables: (data: { readonly y: Matrix }) => {
        const z = latent({ dim: 1, density: standardNormal() });
        const density = gaussianProcess({ kernel: rbf(), likelihood: silent(), inducing: 4 });
        return { z, y: observed(data.y, { density, given: z }) };
      },
    });
    expect(described(own({ y: Y }))).toContain("predict: the density 'gaussianProcess' of 'y' gives no moments");
  });
});

describe('rows of a process through inducing inputs count as often as their weights', () => {
  interface Weighed {
    readonly t: Matrix;
    readonly y: Matrix;
    readonly likelihood: Likelihood;
    readonly weights?: readonly number[];
  }
  const seen = ({ y, likelihood, weights }: Weighed, given: readonly Variable[]) => {
    const inducing = Matrix.from([-1, 0.2, 1.4].map((z) => given.map((_, k) => (k === 0 ? z : 0.5 - z))));
    const density = gaussianProcess({ kernel: rbf({ variance: 1.3 }), likelihood, inducing });
    return observed(y, { density, given, missing: 'ignore', center: false, weights });
  };
  const atTimes = defineModel({
    name: 'atTimes',
    variables: (data: Weighed) => {
      const time = known(data.t);
      return { time, y: seen(data, [time]) };
    },
  });
  const inGroups = defineModel({
    name: 'inGroups',
    variables: (data: Weighed) => {
      const time = known(data.t);
      const z = latent({ dim: 1, rows: 'group', density: standardNormal(), posterior: gaussianLatents() });
      return { time, group: known(data.t), z, y: seen(data, [time, z]) };
    },
  });
  const t = Matrix.from([[-1.2], [0.3], [0.9], [1.6]]);
  const y = Matrix.from([
    [0.2, 1],
    [0.9, Number.NaN],
    [1.7, 0.1],
    [-2.4, 0.4],
  ]);
  const numbers = (of: unknown) => (of instanceof Matrix ? Array.from(of.data) : [of].flat(2)) as number[];
  const same = (a: unknown, b: unknown) => {
    const right = numbers(b);
    const size = Math.max(1, ...right.map(Math.abs));
    numbers(a).forEach((entry, i) => {
      expect(Math.abs(entry - right[i]!) / size).toBeLessThan(1e-11);
    });
  };
  const densities = [
    ['one noise', gaussian({ variance: 0.2 })],
    ['noise a column', gaussian({ variance: [0.2, 0.4] })],
    ['heavy tails', studentT({ scale: 0.3 })],
  ] as const;
  const models = [
    ['points', atTimes, [1, 2, 0, 3]],
    ['Gaussian rows', inGroups, [1, 2, 1, 3]],
  ] as const;
  const cases = densities.flatMap(([noise, likelihood]) =>
    models.map(([of, model, weights]) => ({ noise, likelihood, of, model, weights })),
  );

  it.each(cases)('as rows that are there so often: $noise, $of', async ({ likelihood, model, weights }) => {
    const order = weights.flatMap((count, i) => new Array<number>(count).fill(i));
    const some = (rows: Matrix) => Matrix.from(order.map((i) => rows.row(i)));
    const weighed = model({ t, y, likelihood, weights }) as Model;
    const repeated = model({ t: some(t), y: some(y), likelihood }) as Model;
    const moved = await fit(weighed, { maxIterations: 3 });
    const values = model === inGroups ? { 'z.posterior.mean': moved.latents, ...moved.parameters } : moved.parameters;
    const [a, b] = [evaluate(weighed, values), evaluate(repeated, values)];
    same(a.objective, moved.objective);
    same(a.objective, b.objective);
    for (const [path, gradient] of Object.entries(b.gradients)) same(a.gradients[path], gradient);
    const at = { time: [[0], [1]], ...(model === inGroups && { group: [[0.3], [1.6]] }) };
    const predicted = (own: Model) =>
      fitAt(own, values).predict!(at as never, { noise: true }) as never as { y: Prediction };
    const [c, d] = [predicted(weighed).y, predicted(repeated).y];
    same(c.mean, d.mean);
    same(c.variance, d.variance);
    expect(weighed.points).toBe(4);
    const batches = await fit(weighed, { start: values, batchSize: 2, maxIterations: 0 });
    // A collapsed bound has no q(u) among its variables, which batches need.
    if (likelihood.conjugate === undefined) same(batches.objective, a.objective);
  });
});
