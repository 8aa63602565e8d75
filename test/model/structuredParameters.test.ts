import { describe, expect, it } from 'vitest';
import * as op from '../../src/engine/tensors/ops.ts';
import {
  choleskyFactor,
  defineDensity,
  defineModel,
  fit,
  InvalidInputError,
  latent,
  logDensityOf,
  Matrix,
  observed,
  ordered,
  real,
  samplePosterior,
  simplex,
  standardNormal,
} from '../../src/index.ts';
import { defineTransform } from '../../src/model/index.ts';
import { type Parameter, transformOf } from '../../src/model/parameter.ts';
import { parameterFromJSON } from '../../src/model/parameterJson.ts';
import { parameterToJSON } from '../../src/model/parameterToJson.ts';

/** Below 0: x = −exp(u). */
const negative = defineTransform({
  name: 'negative',
  toNatural: (u) => u.map((entry) => -Math.exp(entry)),
  toUnconstrained: (x) => x.map((entry) => Math.log(-entry)),
  pullBack: (gradient, x) => gradient.map((entry, i) => entry * x[i]!),
  logJacobian: (u) => ({ value: u.reduce((sum, entry) => sum + entry, 0), gradient: u.map(() => 1) }),
  refuses: (x) => (x.every((entry) => entry < 0) ? undefined : 'below 0'),
});

/** Parameters, variables at which they are looked at, and entries of the value that the others do not follow from. */
const kinds: Record<string, readonly [Parameter, readonly number[], readonly number[]]> = {
  'simplex(4)': [simplex(4), [0.3, -1.2, 0.8], [0, 1, 2]],
  'simplex([0.5, 0.5])': [simplex([0.5, 0.5]), [1.7], [0]],
  'ordered([-1, 0, 2])': [ordered([-1, 0, 2]), [0.4, -0.7, 1.1], [0, 1, 2]],
  'choleskyFactor(3)': [choleskyFactor(3), [0.2, -0.6, 0.5, 1.3, 0.7, -0.9], [0, 3, 4, 6, 7, 8]],
  'negative([-1, -2])': [negative([-1, -2]), [0.4, -0.7], [0, 1]],
};

/** log |A| by elimination. */
function logDeterminant(rows: number[][]): number {
  const A = rows.map((row) => [...row]);
  return A.reduce((sum, row, k) => {
    for (let i = k + 1; i < A.length; i++) {
      const factor = A[i]![k]! / row[k]!;
      for (let j = k; j < A.length; j++) A[i]![j]! -= factor * row[j]!;
    }
    return sum + Math.log(Math.abs(row[k]!));
  }, 0);
}

describe.each(Object.entries(kinds))('%s', (_, [parameter, at, kept]) => {
  const transform = transformOf(parameter);
  const u = Float64Array.from(at);
  const x = transform.toNatural(u);
  const h = 1e-3;
  const moved = (k: number, by: number) => transform.toNatural(u.map((entry, i) => (i === k ? entry + by : entry)));
  /** ∂x/∂u_k by differences of sixth order. */
  const slopes = Array.from(u, (_entry, k) => {
    const odd = (m: number) => moved(k, m * h).map((entry, i) => entry - moved(k, -m * h)[i]!);
    const [a, b, c] = [odd(1), odd(2), odd(3)];
    return a.map((entry, i) => (45 * entry - 9 * b[i]! + c[i]!) / (60 * h));
  });

  it('comes back from its variables', () => {
    const back = transform.toUnconstrained(x);
    expect(back.length).toBe(u.length);
    u.forEach((entry, k) => {
      expect(Math.abs(back[k]! - entry)).toBeLessThan(1e-13);
    });
  });

  it('pulls gradients back as differences do', () => {
    const gradient = x.map((_entry, i) => Math.sin(1 + i));
    const pulled = transform.pullBack(gradient, x, u);
    slopes.forEach((slope, k) => {
      const expected = slope.reduce((sum, entry, i) => sum + entry * gradient[i]!, 0);
      expect(Math.abs(pulled[k]! - expected)).toBeLessThan(1e-11);
    });
  });

  it('reports how it changes volumes, and the slope of that change', () => {
    const jacobian = kept.map((i) => slopes.map((slope) => slope[i]!));
    const { value, gradient } = transform.logJacobian!(u);
    expect(Math.abs(value - logDeterminant(jacobian))).toBeLessThan(1e-9);
    u.forEach((_entry, k) => {
      const shifted = (m: number) =>
        transform.logJacobian!(u.map((entry, i) => (i === k ? entry + m * h : entry))).value;
      const odd = (m: number) => shifted(m) - shifted(-m);
      expect(Math.abs(gradient[k]! - (45 * odd(1) - 9 * odd(2) + odd(3)) / (60 * h))).toBeLessThan(1e-9);
    });
  });
});

describe('files', () => {
  it.each([
    simplex([0.2, 0.3, 0.5]),
    ordered([1, 2]),
    choleskyFactor([
      [1, 0],
      [0.5, 2],
    ]),
  ])('contain the parameters of the library', (parameter) => {
    const read = parameterFromJSON(JSON.parse(JSON.stringify(parameterToJSON(parameter))));
    expect(read).toEqual(parameter);
  });

  it('do not contain a custom transform', () => {
    expect(() => parameterToJSON(negative([-1]))).toThrow(InvalidInputError);
  });
});

describe('starts outside the support are refused', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['weights that do not add up to 1', () => simplex([0.5, 0.6]), /add up to 1.1/],
    ['one weight', () => simplex(1), /from 2/],
    ['a weight of 0', () => simplex([0, 1]), /entry 0.*greater than 0/],
    ['numbers out of order', () => ordered([0, 1, 1]), /entry 2 \(1\) is not above/],
    [
      'a factor with an entry above the diagonal',
      () =>
        choleskyFactor([
          [1, 1],
          [0, 1],
        ]),
      /entry \[0\]\[1\] is 1/,
    ],
    ['a factor that is not square', () => choleskyFactor([[1, 0]]), /1×2/],
    ['a number that the definition refuses', () => negative([1]), /must be below 0/],
    [
      'a transform that does not undo itself',
      () =>
        defineTransform({
          name: 'wrong',
          toNatural: (u) => u.map((entry) => entry + 1),
          toUnconstrained: (x) => x.slice(),
          pullBack: (gradient) => gradient,
        })(2),
      /entry 0 is 2, and comes back as 3/,
    ],
    ['a misspelled member', () => defineTransform({ name: 'x', toNatual: () => {} } as never), /toNatural/],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });
});

/** Rows of labels 0, 1, 2 with learned shares, and latents that have nothing to do with them. */
const shares = defineDensity({
  name: 'shares',
  parameters: { weights: simplex(3) },
  logDensity: (p, { value }) => op.sum<op.Tensor1D>(op.mul(value, op.log(p.weights)), 1),
});
const counted = defineModel({
  name: 'counted',
  variables: ({ y }: { readonly y: Matrix }) => {
    const z = latent({ dim: 1, density: standardNormal() });
    const x = latent({ dim: 1, density: centered(), given: z });
    return { z, x, y: observed(y, { density: shares() }) };
  },
});
const centered = defineDensity({
  name: 'centered',
  parameters: { offset: real(0) },
  logDensity: (p, { value, given }) =>
    op.sum<op.Tensor1D>(op.mul(-0.5, op.square(op.sub(op.sub(value, given[0]!), p.offset))), 1),
});

describe('a model with a simplex', () => {
  const rows = [
    [1, 0, 0],
    [1, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [0, 0, 1],
  ];
  const model = counted({ y: Matrix.from(rows) });

  it('is fitted at the shares of the labels', async () => {
    const { parameters } = await fit(model, { tolerance: 1e-9, maxIterations: 300 });
    [3 / 6, 1 / 6, 2 / 6].forEach((share, k) => {
      expect(Math.abs((parameters['y.weights'] as readonly number[])[k]! - share)).toBeLessThan(1e-7);
    });
  });

  it('has one variable less than weights, with the gradient of differences', () => {
    const opened = logDensityOf(model);
    expect(opened.size).toBe(6 + 6 + 1 + 2);
    const x = Float64Array.from({ length: opened.size }, (_, i) => 0.3 * Math.sin(i));
    const { gradient } = opened.evaluate(x);
    x.forEach((_, k) => {
      const odd = (h: number) =>
        opened.evaluate(x.map((entry, i) => (i === k ? entry + h : entry))).value -
        opened.evaluate(x.map((entry, i) => (i === k ? entry - h : entry))).value;
      expect(Math.abs(gradient[k]! - (8 * odd(1e-3) - odd(2e-3)) / 12e-3)).toBeLessThan(1e-8);
    });
    opened.dispose();
  });

  it('is drawn from: Dirichlet(4, 2, 3) has these means', { tags: 'long' }, async () => {
    const draws = await samplePosterior(model, {
      chains: 2,
      warmup: 300,
      draws: 700,
      seed: 3,
      hold: ['z', 'x', 'x.offset'],
    });
    const summary = draws.summary();
    [4 / 9, 2 / 9, 3 / 9].forEach((mean, k) => {
      const row = summary[`y.weights[${k}]`]!;
      expect(Math.abs(row.mean - mean)).toBeLessThan(4 * row.mcseMean);
    });
  });
});
