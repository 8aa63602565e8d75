import { keep } from '@tensorflow/tfjs-core';
import {
  add,
  bernoulli,
  bias,
  defineDensity,
  defineLikelihood,
  definePrior,
  discriminative,
  dynamics,
  gaussian,
  gaussianProcess,
  InvalidInputError,
  linear,
  poisson,
  positive,
  rbf,
  standardNormal,
  studentT,
} from 'latentfield';
import * as op from 'latentfield/ops';
import {
  type ConformanceReport,
  checkDensity,
  checkKernel,
  checkLikelihood,
  checkPrior,
  type DensityCheckOptions,
} from 'latentfield/testing';
import { describe, expect, it } from 'vitest';

type Tensor1D = op.Tensor1D;
type Tensor2D = op.Tensor2D;
type Given = Parameters<typeof checkDensity>[0];
const failures = (part: Given, options: DensityCheckOptions = {}) =>
  checkDensity(part, { ...options, throws: false })
    .checks.filter(({ passed }) => !passed)
    .map(({ name, message }) => `${name}: ${message}`);
const messages = (report: ConformanceReport) =>
  Object.fromEntries(report.checks.map(({ name, message }) => [name, message]));

describe('checkDensity', () => {
  it.each<[string, Given, DensityCheckOptions]>([
    ['the standard normal', standardNormal({ precision: positive(2) }), {}],
    ['the standard normal of several columns', standardNormal(), { columns: 3 }],
    ['a Gaussian process', gaussianProcess({ kernel: add(rbf(), bias()), noise: 0.1 }), {}],
    ['gaussian', gaussian({ variance: 0.5 }), { columns: 2 }],
    ['studentT', studentT(), {}],
    ['poisson', poisson(), { support: 'counts' }],
    ['bernoulli', bernoulli(), { support: [0, 1] }],
    ['dynamics', dynamics({ kernel: rbf() }), { columns: 2 }],
    ['discriminative', discriminative([0, 0, 1, 1, 0, 1]), { columns: 2 }],
  ])('passes %s', (_, part, options) => {
    expect(failures(part, options)).toEqual([]);
  });

  it.each<[string, Given, DensityCheckOptions]>([
    ['a Gaussian process of several columns', gaussianProcess({ kernel: rbf(), noise: [0.1, 0.4] }), { columns: 2 }],
    ['a process of few features', gaussianProcess({ kernel: linear(), noise: 0.2 }), { rows: 8 }],
  ])('passes %s', { tags: 'long' }, (_, part, options) => {
    expect(failures(part, options)).toEqual([]);
  });

  it('reports how each was compared', () => {
    const process = messages(checkDensity(gaussianProcess({ kernel: rbf(), noise: 0.1 })));
    for (const name of ['gradients', 'normalized', 'new rows', 'moments', 'missing entries']) {
      expect([name, process[name]]).toEqual([name, expect.stringMatching(/^largest error .*e-\d+, tolerance/)]);
    }
    expect(process.draws).toMatch(/Stein's identity within 5 standard errors of 400 draws/);
    expect(messages(checkDensity(standardNormal())).expectations).toBe('within 5 standard errors of 400 draws');
  });

  const normal = (row: (x: Tensor2D) => Tensor1D) => row;
  const halfSquares = normal((x) => op.mul(-0.5, op.sum(op.add(op.square(x), Math.log(2 * Math.PI)), 1)));

  it('refuses a prior that is inconsistent between all points and each', () => {
    const pair = (points: (x: Tensor2D) => Tensor1D) =>
      definePrior({
        name: 'pair',
        independent: true,
        logDensity: (_, X) => op.mul(-0.5, op.sum(op.square(X))),
        condition: () => ({ logPredictive: ({ value }) => points(value) }),
      });
    const wrong = pair((X) => op.mul(3, op.sum(op.square(X), 1)));
    expect(failures(wrong())).toEqual([expect.stringMatching(/^rows: entry 0 is .* and should be -/)]);
    expect(() => checkPrior(wrong(), { priors: { pair: wrong } })).toThrow(/fails 1 of \d+ checks\.\n {2}rows: /);
    const right = pair((X) => op.mul(-0.5, op.sum(op.square(X), 1)));
    expect(checkPrior(right(), { priors: { pair: right } }).passed).toBe(true);
  });

  it('refuses a density that multiplies the density of some rows to represent all', () => {
    const scaled = defineDensity({
      name: 'scaled',
      logDensity: (_, { value }, { batch }) => op.mul(batch === undefined ? 1 : 3, halfSquares(value)),
    });
    expect(failures(scaled())).toEqual([expect.stringMatching(/^rows: entry 0 is .* and should be /)]);
  });

  const noisy = (changes: Partial<Parameters<typeof defineDensity<'variance'>>[0]> = {}) =>
    defineDensity<'variance'>({
      name: 'noisy',
      parameters: { variance: positive(0.3) },
      takesMissing: true,
      logDensity: (p, { value, given, present }) => {
        const misfit = op.div(op.square(op.sub(value, given[0]!)), p.variance);
        const entries = op.mul(-0.5, op.add(op.log(op.mul(2 * Math.PI, p.variance)), misfit));
        return op.sum(present === undefined ? entries : op.mul(present, entries), 1);
      },
      condition: (p) => ({ moments: ([f]) => ({ mean: f!, variance: op.zerosLike(f!), noise: p.variance }) }),
      sample: (p, { normal: draw }, [n, D], [f]) =>
        op.add(f!, op.mul(op.sqrt(p.variance), op.tensor(Float64Array.from({ length: n * D }, draw), [n, D]))),
      ...changes,
    })();
  const one = { givenColumns: [1] };

  it('refuses a gradient that does not arrive and a constant that is missing', () => {
    expect(failures(noisy(), one)).toEqual([]);
    expect(failures(noisy(), { columns: 2, givenColumns: [2] })).toEqual([]);
    const idle = noisy({ logDensity: (_, { value }) => halfSquares(value), takesMissing: false });
    expect(failures(idle, one)[0]).toMatch(/gradients: no gradient arrives in 'parameter variance', 'given 0'/);
    const without = defineDensity({
      name: 'without',
      logDensity: (_, { value }) => op.mul(-0.5, op.sum(op.square(value), 1)),
    });
    expect(failures(without())).toEqual([expect.stringMatching(/^normalized: entry 0 is 2\.5066\d* and should be 1/)]);
    expect(() => defineDensity({ name: 'x', logDensity: () => op.scalar(0), smaple: () => 0 } as never)).toThrow(
      /'smaple'.*Did you mean 'sample'/,
    );
    expect(() => checkDensity(noisy(), { colums: 2 } as never)).toThrow(InvalidInputError);
  });

  it('refuses moments of something else, of other shapes, and below 0', () => {
    const moments = (of: (f: Tensor2D) => { mean: Tensor2D; variance: Tensor2D }, options: DensityCheckOptions = one) =>
      failures(noisy({ condition: () => ({ moments: ([f]) => of(f!) }) }), options);
    const variance = (f: Tensor2D, by: number) => op.mul<Tensor2D>(by, op.onesLike(f));
    expect(moments((f) => ({ mean: op.mul(2, f), variance: variance(f, 0.3) }))).toEqual([
      expect.stringMatching(/^moments: the mean: entry/),
    ]);
    expect(moments((f) => ({ mean: f, variance: variance(f, 0.2) }))).toEqual([
      expect.stringMatching(/^moments: the variance: entry \d is 0\.2 and should be 0\.3/),
    ]);
    expect(moments((f) => ({ mean: f, variance: variance(f, -1) }))).toEqual([
      'moments: entry 0 of the variance is -1, below 0',
    ]);
    const columns = (f: Tensor2D) => op.concat([f, f], 1) as Tensor2D;
    expect(moments((f) => ({ mean: columns(f), variance: variance(f, 0.3) }))).toEqual([
      'moments: the mean has shape [6,2], and must have [6,1]',
    ]);
  });

  it('refuses moments and densities of another process than the one that was fitted', { tags: 'long' }, () => {
    const right = gaussianProcess({ kernel: rbf(), noise: 0.1 });
    const other = gaussianProcess({ kernel: rbf({ lengthscale: 2 }), noise: 0.1 });
    const conditionOf = (from: typeof right) => ({ ...right.density, condition: from.density.condition! });
    const halves = {
      ...right.density,
      condition: (...all: Parameters<NonNullable<typeof right.density.condition>>) => {
        const [p, fitted, context] = all;
        const values = { ...context.values!, 'kernel.rbf.lengthscale': 2 };
        const { moments } = other.density.condition!(p, fitted, { ...context, values });
        return { ...right.density.condition!(...all), moments: moments! };
      },
    };
    expect(failures(conditionOf(right), { givenColumns: [2] })).toEqual([]);
    expect(failures(halves, { givenColumns: [2] })).toEqual([expect.stringMatching(/^moments: the mean: entry/)]);
    const elsewhere = {
      ...right.density,
      condition: (...[p, fitted, context]: Parameters<NonNullable<typeof right.density.condition>>) =>
        other.density.condition!(p, fitted, {
          ...context,
          values: { ...context.values!, 'kernel.rbf.lengthscale': 2 },
        }),
    };
    // Moments agree with what it says of new rows; that is not what its joint density says of them.
    expect(failures(elsewhere, { givenColumns: [2] })).toEqual([expect.stringMatching(/^new rows: entry/)]);
  });

  it('refuses draws and expectations of something else, and entries that are not integrated out', () => {
    const normals =
      (wide: number): NonNullable<Parameters<typeof noisy>[0]>['sample'] =>
      (_, { normal: draw }, [n, D], [f]) =>
        op.add(f!, op.mul(wide, op.tensor<Tensor2D>(Float64Array.from({ length: n * D }, draw), [n, D])));
    expect(failures(noisy({ sample: normals(1)! }), one)).toEqual([
      expect.stringMatching(
        /^draws: the mean product of row 0, column 0 with the slope in row 0, column 0 should be -1/,
      ),
    ]);
    const around = (size: number) =>
      noisy({ sample: (p, random, shape, [f]) => normals(Math.sqrt(0.3))!(p, random, shape, [op.mul(size, f!)]) });
    expect(failures(around(1.5), one)[0]).toMatch(/^draws: the mean (slope|product)/);
    const shifted = definePrior({
      name: 'shifted',
      parameters: {},
      logDensity: (_, X) => op.mul(-0.5, op.sum(op.square(X))),
      gaussian: { expected: (_, { value }) => op.mul(-0.5, op.sum(op.square((value as op.GaussianRows).mean))) },
    });
    expect(failures(shifted())).toEqual([expect.stringMatching(/^expectations: it should be/)]);
    const halved = noisy({
      logDensity: (p, { value, given, present }) => {
        const misfit = op.div(op.square(op.sub(value, given[0]!)), p.variance);
        const kept = present === undefined ? misfit : op.mul(present, misfit);
        return op.mul(-0.5, op.sum(op.add(op.log(op.mul(2 * Math.PI, p.variance)), kept), 1));
      },
    });
    expect(failures(halved, one)).toEqual([expect.stringMatching(/^missing entries: entry 0 is/)]);
  });

  it('refuses draws of classes that do not have their probabilities', () => {
    const coin = (chance: number) =>
      defineDensity({
        name: 'coin',
        logDensity: (_, { value }) =>
          op.sum<Tensor1D>(op.add(Math.log(0.3), op.mul(value, Math.log(0.7) - Math.log(0.3))), 1),
        sample: (_, { uniform }, [n, D]) =>
          op.tensor(
            Float64Array.from({ length: n * D }, () => (uniform() < chance ? 1 : 0)),
            [n, D],
          ),
      })();
    expect(failures(coin(0.7), { support: [0, 1] })).toEqual([]);
    expect(failures(coin(0.5), { support: [0, 1] })).toEqual([expect.stringMatching(/^draws: row 0 should be 0\.7/)]);
  });

  it('takes likelihoods of several functions, as checkLikelihood does', () => {
    const likelihood = (momentsAt: 'right' | 'wrong') =>
      defineLikelihood({
        name: 'changing',
        functions: 2,
        logDensity: (_, [f, s], y) =>
          op.sub<Tensor2D>(
            op.mul(-0.5, op.square(op.mul(op.sub(y, f!), op.exp(op.neg(s!))))),
            op.add(s!, 0.5 * Math.log(2 * Math.PI)),
          ),
        momentsAt: (_, [f, s]) => ({
          mean: f!,
          variance: op.exp<Tensor2D>(momentsAt === 'right' ? op.mul(2, s!) : s!),
        }),
      })();
    expect(failures(likelihood('right'), { columns: 2 })).toEqual([]);
    expect(failures(likelihood('wrong'))).toEqual([expect.stringMatching(/^moments: the variance: entry/)]);
    expect(
      checkLikelihood(likelihood('right'), { throws: false })
        .checks.filter(({ passed }) => !passed)
        .map(({ name }) => name),
    ).toEqual(['JSON round trip']);
  });

  it('refuses rows that see each other where it gives a number for each, and tensors that are left', () => {
    const centered = defineDensity({
      name: 'centered',
      logDensity: (_, { value }) => halfSquares(op.sub(value, op.mean(value))),
    });
    expect(failures(centered()).map((one) => one.split(':')[0])).toContain('rows');
    const kept: Tensor2D[] = [];
    const leaking = defineDensity({
      name: 'leaking',
      logDensity: (_, { value }) => {
        kept.push(keep(op.square(value)));
        return halfSquares(value);
      },
    });
    expect(failures(leaking())).toEqual([expect.stringMatching(/^leaves no tensors behind: \d+ tensors/)]);
    for (const tensor of kept) tensor.dispose();
  });

  it('refuses a column combined with a list of numbers, which broadcast to a matrix', () => {
    const outer = defineDensity({
      name: 'outer',
      logDensity: (_, { value, given: [f] }) =>
        op.neg(op.sum(op.square(op.sub(op.reshape<Tensor2D>(value, [-1, 1]), op.reshape(f!, [-1]))))),
    });
    expect(failures(outer(), { givenColumns: [1] })).toContainEqual(
      expect.stringMatching(/\[\d+,1\] and \[\d+\] gives \[(\d+), \1\]: write op\.reshape/),
    );
  });
});

describe('checkKernel', () => {
  it('passes a right kernel whose gradients are next to 0', () => {
    expect(checkKernel(rbf({ lengthscale: 1e5 }), { seed: 7 }).passed).toBe(true);
  });
});
