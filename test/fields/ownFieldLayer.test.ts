import {
  bounded,
  evaluate,
  fit,
  fixed,
  gplvm,
  InvalidInputError,
  knnGraph,
  loadFit,
  NumericalError,
  rbf,
  seededRandom,
} from 'latentfield';
import { defineFieldLayer } from 'latentfield/fields';
import * as op from 'latentfield/ops';
import { checkPrior } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';
import { inverseOf, logDeterminantOf } from '../models/field/dense.ts';
import { expectClose } from '../tolerance.ts';

const { normal } = seededRandom(3);
const N = 12;
const Y = Array.from({ length: N }, () => Array.from({ length: 4 }, () => normal()));
const X = Array.from({ length: N }, () => [normal(), normal()]);
const graph = knnGraph(Y, 3);

/** Θ = strength·(I − part·D^−½·W·D^−½), D the degrees. */
const autoregressive = defineFieldLayer({
  name: 'autoregressive',
  parameters: { strength: 2, part: bounded(0, 1, 0.6) },
  precision: (p, { size, sources, targets, weights }) => {
    const degrees = new Float64Array(size);
    weights.forEach((w, e) => {
      for (const i of [sources[e]!, targets[e]!]) degrees[i] = degrees[i]! + w;
    });
    const shares = weights.map((w, e) => -w / Math.sqrt(degrees[sources[e]!]! * degrees[targets[e]!]!));
    return {
      diagonal: op.mul(p.strength, op.ones([size])),
      edges: op.mul(op.mul(p.strength, p.part), op.tensor(shares)),
    };
  },
});

/** The same by N×N arrays. */
function directPrecision(strength: number, part: number): number[][] {
  const W = X.map(() => X.map(() => 0));
  graph.sources.forEach((i, e) => {
    const j = graph.targets[e]!;
    W[i]![j] = graph.weights[e]!;
    W[j]![i] = graph.weights[e]!;
  });
  const degrees = W.map((row) => row.reduce((sum, w) => sum + w, 0));
  return W.map((row, i) =>
    row.map((w, j) => strength * ((i === j ? 1 : 0) - (part * w) / Math.sqrt(degrees[i]! * degrees[j]!))),
  );
}

function directDensity(Q: number[][], rows: readonly ArrayLike<number>[]): number {
  let energy = 0;
  rows.forEach((row, i) => {
    rows.forEach((other, j) => {
      energy += Q[i]![j]! * (row[0]! * other[0]! + row[1]! * other[1]!);
    });
  });
  return logDeterminantOf(Q) - 0.5 * energy - N * Math.log(2 * Math.PI);
}

describe('a field layer of one’s own, by public entry points', () => {
  it('is the log density of the latents in the field, with gradients of differences, and is shown by fits', async () => {
    const layer = autoregressive({}, graph);
    checkPrior(layer, { observations: Y, latents: X, priors: { autoregressive } });
    const model = gplvm(Y, {
      latentDim: 2,
      kernel: rbf({ variance: fixed(1), lengthscale: fixed(1) }),
      priors: [layer],
    });
    const result = await fit(model, { maxIterations: 15 });
    const strength = result.parameters['priors.autoregressive.strength'] as number;
    const part = result.parameters['priors.autoregressive.part'] as number;
    const Q = directPrecision(strength, part);
    const rows = Array.from({ length: N }, (_, i) => result.latents.row(i));
    expectClose(result.terms.autoregressive!, directDensity(Q, rows), 1e-12);
    expectClose(result.precision(), Q, 1e-14);
    expectClose(
      result.covariance(),
      inverseOf(Q).map((row) => Array.from(row)),
      1e-10,
    );
    expect(Array.from(result.graph.sources)).toEqual(Array.from(graph.sources));
    expectClose(result.graph.weights[0]!, Math.abs(Q[graph.sources[0]!]![graph.targets[0]!]!), 1e-14);
    const again = loadFit(JSON.parse(JSON.stringify(result)), { priors: { autoregressive } });
    expect(again.precision!().data).toEqual(result.precision().data);
  });

  it('explains an invalid graph or invalid entries of a precision', () => {
    expect(() => autoregressive({}, undefined as never)).toThrow(InvalidInputError);
    expect(() => autoregressive({}, undefined as never)).toThrow(/field layer 'autoregressive' takes a graph/);
    const short = defineFieldLayer({
      name: 'short',
      parameters: { strength: 1 },
      precision: (p) => ({ diagonal: op.mul(p.strength, op.ones([3])), edges: op.ones([1]) }),
    });
    const evaluated = (made: typeof short) => () =>
      evaluate(gplvm(Y, { latentDim: 2, priors: [made({}, graph)] }), { latents: X });
    expect(evaluated(short)).toThrow(/takes from its precision 'diagonal', a tensor of 12 numbers.* shape \[3\]/);
    const indefinite = defineFieldLayer({
      name: 'indefinite',
      parameters: { strength: 1 },
      precision: (p, { size, sources }) => ({
        diagonal: op.mul(p.strength, op.ones([size])),
        edges: op.mul(2, op.ones([sources.length])),
      }),
    });
    expect(evaluated(indefinite)).toThrow(NumericalError);
  });
});

describe('a layer without parameters', () => {
  /** L + I/10 */
  const smooth = defineFieldLayer({
    name: 'smooth',
    precision: (_, { size, sources, targets }) => {
      const degrees = new Array<number>(size).fill(0.1);
      for (const i of [...sources, ...targets]) degrees[i]! += 1;
      return { diagonal: op.tensor(degrees), edges: op.neg(op.ones([sources.length])) };
    },
  });

  it('has its density, and comes back from a file', async () => {
    const Q = X.map((_, i) => X.map((__, j) => (i === j ? 0.1 : 0)));
    graph.sources.forEach((i, e) => {
      const j = graph.targets[e]!;
      for (const [a, b] of [
        [i, j],
        [j, i],
      ] as const) {
        Q[a]![a]! += 1;
        Q[a]![b]! -= 1;
      }
    });
    const model = gplvm(Y, { latentDim: 2, priors: [smooth({}, graph)] });
    expectClose(evaluate(model, { latents: X }).terms.smooth!, directDensity(Q, X), 1e-12);
    const result = await fit(model, { maxIterations: 5 });
    expectClose(result.precision(), Q, 1e-12);
    const again = loadFit<typeof model>(JSON.parse(JSON.stringify(result)), { priors: { smooth } });
    expect(again.predict(result.latents)).toEqual(result.predict(result.latents));
    // @ts-expect-error no parameters
    expect(() => smooth({ strength: 1 }, graph)).toThrow(InvalidInputError);
  });
});
