import {
  completeGraph,
  drill,
  evaluate,
  expectedMoments,
  fit,
  fixed,
  type Graph,
  gplvm,
  InvalidInputError,
  knnGraph,
  loadFit,
  Matrix,
  NumericalError,
  type Prior,
  rbf,
  seededRandom,
} from 'latentfield';
import { box } from 'latentfield/model';
import { priorFromJSON, priorToJSON } from 'latentfield/priors';
import { checkPrior } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';
import { matrixTensor } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../src/engine/tensors/gradients.ts';
import type { Scalar } from '../../src/engine/tensors/tensorflow.ts';
import { valueTensors } from '../../src/model/part.ts';
import { builtInPriors } from '../../src/models/priorCatalog.ts';
import { inverseOf, logDeterminantOf } from '../models/field/dense.ts';
import { contextOf } from '../priors/priorDensity.ts';
import { expectClose } from '../tolerance.ts';

const { normal, uniform } = seededRandom(8);
const N = 9;
const Y = Array.from({ length: N }, () => Array.from({ length: 4 }, () => normal()));
const X = Array.from({ length: N }, () => [normal(), normal(), normal()]);
const graph = knnGraph(Y, 3);
const entries = {
  diagonal: Array.from({ length: N }, () => 2 + uniform()),
  attraction: Array.from(graph.sources, () => 0.02 + 0.3 * uniform()),
  repulsion: Array.from(graph.sources, () => 0.02 + 0.1 * uniform()),
};
const free = {
  diagonal: box(0, Infinity, entries.diagonal),
  attraction: box(0, Infinity, entries.attraction),
  repulsion: box(0, Infinity, entries.repulsion),
};

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, entry, d) => sum + entry * b[d]!, 0);

/** S = rows·rowsᵀ/copies, on the diagonal and at the edges. */
function momentsOf(rows: number[][], { sources, targets }: Graph, copies: number) {
  return {
    variances: rows.map((row) => dot(row, row) / copies),
    covariances: Array.from(sources, (i, e) => dot(rows[i]!, rows[targets[e]!]!) / copies),
  };
}

/** c/2·[log|Θ| − tr(SΘ) − 2ρ·Σ(a + b)] by N×N arrays; `onDiagonal`, a penalty of Θ_ii. */
function direct(rows: number[][], penalty: number, copies: number, over: number, onDiagonal = 0): number {
  const precision = rows.map((_, i) => rows.map((__, j) => (i === j ? entries.diagonal[i]! : 0)));
  let cost = 0;
  graph.sources.forEach((i, e) => {
    const j = graph.targets[e]!;
    precision[i]![j] = entries.repulsion[e]! - entries.attraction[e]!;
    precision[j]![i] = precision[i]![j]!;
    cost += 2 * penalty * (entries.repulsion[e]! + entries.attraction[e]!);
  });
  let trace = 0;
  rows.forEach((row, i) => {
    cost += onDiagonal * entries.diagonal[i]!;
    rows.forEach((other, j) => {
      trace += (dot(row, other) / over) * precision[i]![j]!;
    });
  });
  return (copies / 2) * (logDeterminantOf(precision) - trace - cost);
}

/** Largest violation of the conditions of the precision's parts at points, by N×N arrays. */
function violationOf(
  points: readonly ArrayLike<number>[],
  penalty: number,
  copies: number,
  diagonal: readonly number[],
  attraction: readonly number[],
  repulsion: readonly number[],
  ofDiagonal = true,
): number {
  const rows = points.map((row) => Array.from(row));
  const precision = rows.map((_, i) => rows.map((__, j) => (i === j ? diagonal[i]! : 0)));
  graph.sources.forEach((i, e) => {
    const j = graph.targets[e]!;
    precision[i]![j] = repulsion[e]! - attraction[e]!;
    precision[j]![i] = precision[i]![j]!;
  });
  const W = inverseOf(precision);
  const moment = (i: number, j: number) => dot(rows[i]!, rows[j]!) / copies + (i === j ? penalty : 0);
  const relative = (i: number, j: number, by: number) => Math.abs(by) / Math.sqrt(moment(i, i) * moment(j, j));
  const onDiagonal = rows.map((_, i) => relative(i, i, W[i]![i]! - moment(i, i)));
  const onEdges = Array.from(graph.sources, (i, e) => {
    const j = graph.targets[e]!;
    const excess = W[i]![j]! - moment(i, j);
    // The slopes of a and of b, which count at 0 only where they are upwards.
    const slopes = [
      [attraction[e]!, -excess - penalty],
      [repulsion[e]!, excess - penalty],
    ].map(([at, slope]) => (at === 0 && slope! < 0 ? 0 : slope!));
    return relative(i, j, Math.max(...slopes.map(Math.abs)));
  });
  return Math.max(...(ofDiagonal ? onDiagonal : []), ...onEdges);
}

/** The term of a layer and its gradients in its parameters. */
function termOf(layer: Prior, values: Readonly<Record<string, readonly number[]>>, latents = X) {
  const context = contextOf(layer, Matrix.from(latents), latents[0]!.length);
  return withFloat64(() => {
    const p = valueTensors(values);
    const points = matrixTensor(Matrix.from(latents));
    const term = () => layer.logDensity(p, { value: points, given: [] }, context) as Scalar;
    const { value, gradients } = valueAndGradients(term, Object.values(p));
    return { value, gradients: Object.fromEntries(Object.keys(p).map((name, i) => [name, gradients[i]!])) };
  });
}

describe('the layer of expected second moments', () => {
  it.each([
    ['of observations', 4, 1],
    ['of observations, three copies', 4, 3],
  ])('%s has the value of dense arrays and gradients of differences', (_, over, copies) => {
    const layer = expectedMoments({ graph, secondMoments: momentsOf(Y, graph, over), penalty: 0.07, copies, ...free });
    checkPrior(layer, { observations: Y, latents: X });
    expectClose(termOf(layer, entries).value, direct(Y, 0.07, copies, over), 1e-13);
  });

  it('of latents themselves is the log density of their field, less the penalty of all entries', () => {
    const layer = expectedMoments({ graph, penalty: 0.07, copies: 3, ...free });
    checkPrior(layer, { observations: Y, latents: X });
    expectClose(termOf(layer, entries).value, direct(X, 0.07, 3, 3, 0.07), 1e-13);
    expect(layer.problem).toBeUndefined();
  });

  it('with two copies is the objective of DRILL', () => {
    const centered = Y.map((row) => row.map((entry, d) => entry - Y.reduce((sum, other) => sum + other[d]!, 0) / N));
    const given = {
      'field.diagonal': entries.diagonal,
      'field.attraction': entries.attraction,
      'field.repulsion': entries.repulsion,
    };
    const secondMoments = momentsOf(centered, graph, 4);
    const layer = expectedMoments({ graph, secondMoments, copies: 2 });
    // The penalty that neither was given is the same too.
    expectClose(termOf(layer, entries).value, evaluate(drill(Y, { neighbors: 3 }), given).objective, 1e-13);
    expectClose(layer.problem!.penalty, (0.01 * secondMoments.variances.reduce((sum, s) => sum + s, 0)) / N, 1e-14);
    expectClose(
      layer.parameters.diagonal!.initial,
      secondMoments.variances.map((variance) => 1 / variance),
      1e-14,
    );
  });

  it.each([
    ['beyond the penalty', 0.5, 0.1, 0.4],
    ['beyond it and negative', -0.5, 0.1, -0.4],
    ['within it', 0.5, 0.7, 0],
  ])(
    'has its maximum where moments equal the observed ones, shrunk: a covariance %s',
    (_, covariance, penalty, shrunk) => {
      const layer = expectedMoments({
        graph: completeGraph(2),
        secondMoments: { variances: [2, 3], covariances: [covariance] },
        penalty,
      });
      // Θ is the inverse of [[2, s], [s, 3]].
      const determinant = 6 - shrunk * shrunk;
      const edge = -shrunk / determinant;
      const at = {
        diagonal: [3 / determinant, 2 / determinant],
        attraction: [Math.max(0, -edge)],
        repulsion: [Math.max(0, edge)],
      };
      const points = Matrix.from([[0], [0]]);
      const residualAt = (p: typeof at) =>
        layer.field!.learned(p, points, contextOf(layer, points, 1).constants).kktResidual!();
      expect(residualAt(at)).toBeLessThan(1e-14);
      const beside = { ...at, diagonal: [1.1 * at.diagonal[0]!, at.diagonal[1]!] };
      expect(residualAt(beside)).toBeGreaterThan(0.05);
      const { gradients } = termOf(layer, at, [[0], [0]]);
      const slope = (name: string) => Array.from(gradients[name]!);
      for (const entry of slope('diagonal')) expect(Math.abs(entry)).toBeLessThan(1e-14);
      for (const name of ['attraction', 'repulsion'] as const) {
        const [entry] = slope(name);
        if (at[name][0]! > 0) expect(Math.abs(entry!)).toBeLessThan(1e-14);
        else expect(entry!).toBeLessThanOrEqual(1e-14);
      }
    },
  );

  it('finds the precision given the latents, and shows it on fits', async () => {
    const prior = expectedMoments({ graph, penalty: 0.1, copies: 2 });
    expect(prior.parameters).toEqual({});
    checkPrior(prior, { observations: Y, latents: X });
    const model = gplvm(Y, {
      latentDim: 2,
      kernel: rbf({ variance: fixed(1), lengthscale: fixed(1) }),
      priors: [prior],
    });
    const result = await fit(model, { maxIterations: 40 });
    const points = Array.from({ length: N }, (_, i) => result.latents.row(i));
    const Q = result.precision();
    const edgesOf = Array.from(graph.sources, (i, e) => Q.at(i, graph.targets[e]!));
    const [attraction, repulsion] = [-1, 1].map((sign) => edgesOf.map((entry) => Math.max(0, sign * entry)));
    const diagonal = points.map((_, i) => Q.at(i, i));
    const violation = violationOf(points, 0.1, 2, diagonal, attraction!, repulsion!);
    expect(violation).toBeLessThan(1e-9);
    expect(result.diagnostics.kktResidual).toBeLessThan(1e-9);
    expect(result.graph.sources.length).toBe(edgesOf.filter((entry) => entry !== 0).length);
    // Where the conditions hold, tr(SΘ) and the penalties add up to N: what is left of the term is the determinant.
    const dense = points.map((_, i) => Array.from(Q.row(i)));
    expectClose(result.terms.moments!, logDeterminantOf(dense) - N, 1e-9);
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.precision!().data).toEqual(Q.data);
    expect(again.predict([[0, 0]]).mean.data).toEqual(result.predict([[0, 0]]).mean.data);
  });

  it('has parameters on the latents of any model where one is passed, whose violation is reported', async () => {
    const held = expectedMoments({ graph, penalty: 0.1, copies: 2, diagonal: fixed(entries.diagonal) });
    const partly = await fit(gplvm(Y, { latentDim: 2, kernel: rbf(), priors: [held] }), { maxIterations: 5 });
    const list = (name: string) => partly.parameters[`priors.moments.${name}`] as number[];
    const points = Array.from({ length: N }, (_, i) => partly.latents.row(i));
    const ofEdges = violationOf(points, 0.1, 2, entries.diagonal, list('attraction'), list('repulsion'), false);
    expectClose(partly.diagnostics.kktResidual, ofEdges, 1e-9);
    const layer = expectedMoments({ graph, secondMoments: momentsOf(Y, graph, 4), penalty: 0.2, copies: 3, ...free });
    const restored = priorFromJSON(JSON.parse(JSON.stringify(priorToJSON(layer))), builtInPriors);
    expect(priorToJSON(restored)).toEqual(priorToJSON(layer));
    expect(termOf(restored, entries).value).toBe(termOf(layer, entries).value);
  });

  const given = momentsOf(Y, graph, 4);
  const edges = graph.sources.length;
  it.each<[string, () => unknown, RegExp]>([
    ['no graph', () => expectedMoments({ graph: 7 } as never), /takes a graph/],
    [
      "penalty 0 for the latents' own moments",
      () => expectedMoments({ graph, penalty: 0 }),
      /no bound: a latent that goes to 0 .* such as 0\.01/,
    ],
    ['a negative penalty', () => expectedMoments({ graph, penalty: -1 }), /penalty.*a number from 0/],
    ['no copies', () => expectedMoments({ graph, copies: 0 }), /copies.*above 0/],
    ['a misspelled option', () => expectedMoments({ graph, rho: 1 } as never), /no option 'rho'/],
    [
      'too few variances',
      () => expectedMoments({ graph, secondMoments: { ...given, variances: [1] } }),
      /variances, a list of one number for each of the 9 points, but 1 were given/,
    ],
    [
      'no covariances',
      () => expectedMoments({ graph, secondMoments: { variances: given.variances } as never }),
      new RegExp(`covariances, a list of one number for each of the ${edges} edges`),
    ],
    [
      'a variance of 0',
      () =>
        expectedMoments({
          graph,
          secondMoments: { ...given, variances: given.variances.map((s, i) => (i === 4 ? 0 : s)) },
        }),
      /above 0, but the one of point index 4 is 0, so nothing bounds/,
    ],
    [
      'a covariance that is NaN',
      () =>
        expectedMoments({
          graph,
          secondMoments: { ...given, covariances: given.covariances.map((s, e) => (e === 2 ? Number.NaN : s)) },
        }),
      new RegExp(`edge 2, between points ${graph.sources[2]} and ${graph.targets[2]}, is NaN`),
    ],
    [
      'a graph on other points',
      () => evaluate(gplvm(Y.slice(1), { latentDim: 2, priors: [expectedMoments({ graph })] })),
      /graph of 9 points, but the model has 8 observations/,
    ],
  ])('refuses %s', (_, make, message) => {
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });

  it('reports when the precision is not positive definite', () => {
    const layer = expectedMoments({ graph, secondMoments: given });
    const run = () => termOf(layer, { ...entries, attraction: entries.attraction.map(() => 5) });
    expect(run).toThrow(NumericalError);
    expect(run).toThrow(/9×9\) is not positive definite/);
  });
});
