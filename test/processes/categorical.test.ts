import {
  type AnyModel,
  bayesianGplvm,
  categorical,
  evaluate,
  fit,
  InvalidInputError,
  latentVariableModel,
  loadFit,
  Matrix,
  rbf,
  seededRandom,
  standardNormal,
} from 'latentfield';
import * as op from 'latentfield/ops';
import { checkModel } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';
import { sharedMemory } from '../../src/engine/memory.ts';
import { doublesOf } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import type { Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import { likelihoodFromJSON } from '../../src/model/parameterJson.ts';
import { expectClose } from '../tolerance.ts';

const softmax = (f: readonly number[]) => {
  const most = Math.max(...f);
  const weights = f.map((entry) => Math.exp(entry - most));
  const total = weights.reduce((a, b) => a + b);
  return weights.map((weight) => weight / total);
};
const logTotal = (f: readonly number[]) => Math.log(f.reduce((sum, entry) => sum + Math.exp(entry), 0));

/** E[g(f)] for independent normal functions, by the trapezoidal rule in each of them: independent of all that the library does. */
function expected(a: readonly number[], s: readonly number[], g: (f: number[]) => number[]): number[] {
  const step = 0.4;
  const nodes = Array.from({ length: 41 }, (_, i) => -8 + i * step);
  let points: { f: number[]; weight: number }[] = [{ f: [], weight: 1 }];
  a.forEach((mean, k) => {
    points = points.flatMap(({ f, weight }) =>
      nodes.map((z) => ({
        f: [...f, mean + Math.sqrt(s[k]!) * z],
        weight: (weight * step * Math.exp(-0.5 * z * z)) / Math.sqrt(2 * Math.PI),
      })),
    );
  });
  const sum: number[] = [];
  for (const { f, weight } of points) {
    for (const [j, own] of g(f).entries()) sum[j] = (sum[j] ?? 0) + weight * own;
  }
  return sum;
}

const row = (entries: readonly number[]) => op.tensor<Tensor2D>([...entries], [1, entries.length]);
const A = [0.7, -1.2, 0.1];
const S = [0.9, 0.3, 1.7];

describe('the likelihood of categories', () => {
  it('has the probabilities of the softmax, which add up to 1 over the levels', () => {
    withFloat64(() => {
      const own = categorical({ levels: [3, 2] });
      const f = [...A, 800, 799];
      const probabilities = [...softmax(A), ...softmax([1, 0])];
      const rows = [0, 1, 2].flatMap((k) => [3, 4].map((l) => f.map((_, j) => (j === k || j === l ? 1 : 0))));
      const totals = rows.map((y) => {
        const entries = doublesOf(own.entryDensity({}, row(f), row(y)));
        expectClose(
          entries,
          y.map((one, j) => (one === 1 ? Math.log(probabilities[j]!) : 0)),
          1e-12,
        );
        return Math.exp(entries.reduce((sum, entry) => sum + entry, 0));
      });
      expect(Math.abs(totals.reduce((a, b) => a + b) - 1)).toBeLessThan(1e-12);
    });
  });

  it('has the probabilities, predictive densities and expectations of a quadrature in all functions', () => {
    withFloat64(() => {
      const own = categorical();
      const probabilities = expected(A, S, softmax);
      const { mean, variance } = own.moments({}, row(A), row(S));
      expectClose(doublesOf(mean), probabilities, 1e-5);
      expectClose(
        doublesOf(variance),
        probabilities.map((p) => p * (1 - p)),
        1e-5,
      );
      const [total] = expected(A, S, (f) => [logTotal(f)]) as [number];
      [0, 1, 2].forEach((k) => {
        const y = row(A.map((_, j) => (j === k ? 1 : 0)));
        const sum = (entries: Tensor2D) => doublesOf(entries).reduce((a, b) => a + b, 0);
        expect(Math.abs(sum(own.logPredictive!({}, row(A), row(S), y)) - Math.log(probabilities[k]!))).toBeLessThan(
          2e-3,
        );
        expect(Math.abs(sum(own.exactExpectation!({}, row(A), row(S), y)) - (A[k]! - total))).toBeLessThan(1e-5);
        const gap = A[k]! - total - sum(own.expectation!({}, row(A), row(S), y));
        // Below the expectation, by little: the bound without b, log Σ exp(a + s/2), is .31 below.
        expect(gap).toBeGreaterThan(0);
        expect(gap).toBeLessThan(0.06);
      });
    });
  });

  it('distinguishes a category from its neighbors', () => {
    withFloat64(() => {
      const [both, one] = [categorical({ levels: [3, 2] }), categorical()];
      const [a, s] = [
        [...A, 2, -1],
        [...S, 0.4, 0.2],
      ];
      const moments = doublesOf(both.moments({}, row(a), row(s)).mean);
      expectClose(moments.slice(0, 3), doublesOf(one.moments({}, row(A), row(S)).mean), 1e-14);
      expectClose(moments.slice(3), doublesOf(one.moments({}, row([2, -1]), row([0.4, 0.2])).mean), 1e-14);
    });
  });

  it('draws rows of one level each, as often as they are likely', { tags: 'long' }, () => {
    const n = 20_000;
    const drawn = withFloat64(() => {
      const f = op.mul<Tensor2D>(row([...A, 0.5, -0.5]), op.ones([n, 1]));
      return new Matrix(
        new Float64Array(doublesOf(categorical({ levels: [3, 2] }).sample!({}, seededRandom(3), [n, 5], [f]))),
        n,
        5,
      );
    });
    const shares = [0, 1, 2, 3, 4].map((j) => drawn.column(j).reduce((a, b) => a + b, 0) / n);
    [...softmax(A), ...softmax([0.5, -0.5])].forEach((p, j) => {
      expect(Math.abs(shares[j]! - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / n));
    });
    for (let i = 0; i < n; i++) {
      expect(
        drawn
          .row(i)
          .subarray(0, 3)
          .reduce((a, b) => a + b, 0),
      ).toBe(1);
      expect(
        drawn
          .row(i)
          .subarray(3)
          .reduce((a, b) => a + b, 0),
      ).toBe(1);
    }
  });

  it('comes back from JSON', () => {
    for (const own of [categorical(), categorical({ levels: [3, 2] })]) {
      expect(likelihoodFromJSON(JSON.parse(JSON.stringify(own.toJSON()))).toJSON()).toEqual(own.toJSON());
    }
  });

  it('refuses values that are not categories, by row and columns', () => {
    const refused = (Y: number[][], options: object, message: RegExp) => {
      const make = () =>
        bayesianGplvm(Y, { latentDim: 1, inducing: 2, missing: 'ignore', likelihood: categorical(options) });
      expect(make).toThrow(InvalidInputError);
      expect(make).toThrow(message);
    };
    refused(
      [
        [1, 0, 1],
        [0, 1, 0],
      ],
      {},
      /column indices 0 to 2 of row index 0 are 1, 0, 1/,
    );
    refused(
      [
        [1, 0, 0],
        [0, 0, 0],
      ],
      {},
      /column indices 0 to 2 of row index 1 are 0, 0, 0/,
    );
    refused(
      [
        [1, 0, Number.NaN],
        [0, 1, 0],
      ],
      {},
      /column indices 0 to 2 of row index 0 are 1, 0, NaN/,
    );
    refused(
      [
        [1, 0, 0.5],
        [0, 1, 0],
      ],
      {},
      /\]\[2\] is 0.5/,
    );
    refused(
      [
        [1, 0, 1, 1],
        [0, 1, 0, 1],
      ],
      { levels: [2, 3] },
      /2 \+ 3 = 5, but the observations have 4/,
    );
    expect(() => categorical({ levels: [1] })).toThrow(
      /'levels' .* is a list with the number of levels of each category, from 2/,
    );
    expect(() => categorical({ level: [2] } as never)).toThrow(/level/);
  });
});

describe('models of categories', () => {
  const random = seededRandom(5);
  const angles = Array.from({ length: 15 }, (_, i) => (2 * Math.PI * (i + 0.5)) / 15);
  const numbers = angles.map((t) => [Math.cos(t), Math.sin(t), Math.cos(2 * t)].map((y) => y + 0.02 * random.normal()));
  const levels = angles.map((t) => [Math.floor((3 * t) / (2 * Math.PI)), t < Math.PI ? 0 : 1] as const);
  const indicators = levels.map(([k, l]) => [0, 1, 2].map((j) => +(j === k)).concat([0, 1].map((j) => +(j === l))));
  const both = () =>
    latentVariableModel({
      latentDim: 2,
      views: {
        numbers: { observations: numbers, kernel: rbf(), noise: 0.01 },
        kinds: {
          observations: indicators.map((entries, i) => (i === 2 ? entries.map(() => Number.NaN) : entries)),
          kernel: rbf(),
          likelihood: categorical({ levels: [3, 2] }),
          inducing: 6,
          missing: 'ignore',
        },
      },
      priors: [standardNormal()],
    });

  it('predict thousands of rows of many levels in the memory of one step of their quadrature', () => {
    const [rows, width] = [4000, 24];
    const memory = sharedMemory();
    memory.resetPeak();
    const live = memory.liveBytes;
    withFloat64(() => {
      const functions = op.tensor<Tensor2D>(
        Float64Array.from({ length: rows * width }, (_, i) => Math.sin(i)),
        [rows, width],
      );
      categorical({ levels: new Array<number>(8).fill(3) }).moments({}, functions, op.onesLike(functions));
      // Tensors for 12 nodes: those of all 34 steps would need more than a hundred.
      expect((memory.peakBytes - live) / (8 * rows * width * 12)).toBeLessThan(24);
    });
  });

  const title = 'have right gradients, and a bound that says by how much it is too low';
  const isRight = (model: AnyModel) => {
    const report = checkModel(model);
    expect(report.passed, JSON.stringify(report)).toBe(true);
  };
  it(`${title}: in one of two views`, { tags: 'long' }, () => isRight(both()));
  it(`${title}: given Gaussian rows`, () =>
    isRight(bayesianGplvm(indicators, { latentDim: 1, inducing: 4, likelihood: categorical({ levels: [3, 2] }) })));

  it('predict probabilities, place rows by their levels and are read again', {
    tags: 'long',
    timeout: 60_000,
  }, async () => {
    const result = await fit(both(), { maxIterations: 100 });
    const bound = result.diagnostics.approximations!.find(({ name }) => name === 'expectationBound')!;
    expect(bound).toMatchObject({ of: ['kinds'], count: 5 });
    expect(bound.error!).toBeLessThan(0);
    expect(result.message).toMatch(/log densities of 'kinds' are replaced by a lower bound, too low by/);
    const { mean } = await result.translate({ numbers: numbers.slice(2, 3) }, 'kinds');
    const [k, l] = levels[2]!;
    expect(mean.at(0, k) > 0.6 && mean.at(0, 3 + l) > 0.8).toBe(true);
    expect(
      Math.abs(
        mean
          .row(0)
          .subarray(0, 3)
          .reduce((a, b) => a + b, 0) - 1,
      ),
    ).toBeLessThan(1e-12);
    const placed = await result.project({ kinds: [indicators[13]!] });
    const there = result.predict(placed.latents, { view: 'kinds', noise: true }).mean;
    expect(there.at(0, 2)).toBeGreaterThan(0.5);
    const again = loadFit(JSON.parse(JSON.stringify(result))) as never as typeof result;
    expect(again.predict(result.latents, { view: 'kinds', noise: true })).toEqual(
      result.predict(result.latents, { view: 'kinds', noise: true }),
    );
    expect(evaluate(both(), result.parameters as never).terms.kinds).toBeDefined();
  });
});
