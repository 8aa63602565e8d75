import {
  alle,
  completeGraph,
  defineKernel,
  drill,
  evaluate,
  fit,
  fixed,
  gplvm,
  InvalidInputError,
  knnGraph,
  loadFit,
  type Matrix,
  type MaxEntropyOptions,
  maxEntropy,
  meu,
  mpme,
  rbf,
  squaredDifferences,
} from 'latentfield';
import { bestMultipliers } from 'latentfield/fields';
import { box } from 'latentfield/model';
import * as op from 'latentfield/ops';
import { checkModel, checkPrior } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';
import type { Tensor1D } from '../../../src/engine/tensors/tensorflow.ts';
import { withDenseField } from '../../../src/fields/density/denseField.ts';
import { fieldFactor } from '../../../src/fields/density/fieldDensity.ts';
import { expectClose } from '../../tolerance.ts';
import { swissRoll } from '../spectral/columns.ts';
import { inverseOf } from './dense.ts';

const Y = swissRoll(14);
const graph = knnGraph(Y, 4);
/** A layer of the latents' squared distances, whose weights are those of the maximum. */
const best = (options: Partial<Omit<MaxEntropyOptions, 'multipliers'>> = {}) =>
  maxEntropy({
    copies: 1,
    slack: 25,
    expect: { near: squaredDifferences(graph) },
    ...options,
    multipliers: bestMultipliers(),
  });

/** Coordinate ascent with rank-one updates: each step solves c·R_e = φ_e for one weight exactly (Pavez & Ortega 2019). */
function coordinateAscent(
  N: number,
  pairs: [number, number][],
  phi: number[],
  lambda: number,
  c: number,
  upper: number,
) {
  const U = Array.from({ length: N }, (_, i) => Array.from({ length: N }, (_, j) => (i === j ? 1 / lambda : 0)));
  const w = phi.map(() => 0);
  for (let sweep = 0; sweep < 3000; sweep++) {
    let change = 0;
    pairs.forEach(([i, j], e) => {
      const across = U.map((row) => row[i]! - row[j]!);
      const R = across[i]! - across[j]!;
      const next = Math.min(upper, Math.max(0, w[e]! + c / phi[e]! - 1 / R));
      const step = next - w[e]!;
      if (step === 0) return;
      const factor = step / (1 + step * R);
      for (let k = 0; k < N; k++) for (let l = 0; l < N; l++) U[k]![l]! -= factor * across[k]! * across[l]!;
      change = Math.max(change, Math.abs(step) * phi[e]!);
      w[e] = next;
    });
    if (change < 1e-13) break;
  }
  return { w, U };
}

describe('the maximum-entropy layer', () => {
  it.each([
    [0.5, 2, Infinity],
    [0.05, 3, 0.02],
  ])('reaches the point of coordinate ascent for λ = %s, c = %s, C = %s', async (lambda, c, C) => {
    const pairs: [number, number][] = [];
    for (let i = 0; i < Y.length; i++) for (let j = i + 1; j < Y.length; j++) pairs.push([i, j]);
    const scaled = Y.map((row) => row.map((entry) => entry / 10));
    const phi = pairs.map(([i, j]) => scaled[i]!.reduce((sum, entry, d) => sum + (entry - scaled[j]![d]!) ** 2, 0));
    const oracle = coordinateAscent(Y.length, pairs, phi, lambda, c, 4 * C);
    const result = await fit(mpme(scaled, { latentDim: c, basePrecision: lambda, slackPenalty: C }));
    expectClose(result.parameters['field.weights'], oracle.w, 1e-9);
    expectClose(result.covariance!(), oracle.U, 1e-9);
    const { sources, weights } = result.graph!;
    expect(sources.length).toBe(oracle.w.filter((weight) => weight > 1e-12).length);
    if (C !== Infinity) expect(Math.max(...weights)).toBe(4 * C);
    const product = result.precision!();
    const identity = oracle.U.map((row) =>
      Array.from({ length: Y.length }, (_, j) => row.reduce((sum, entry, k) => sum + entry * product.at(k, j), 0)),
    );
    expectClose(identity, completeGraphIdentity(Y.length), 1e-8);
  });

  it('has the value c/2·log|L + λI| − ½Σwφ and gradients as evaluate gives them', () => {
    const weights = Array.from(graph.weights, (_, e) => 0.01 * (1 + (e % 5)));
    const model = meu(Y, { neighbors: 4, basePrecision: 0.3 });
    const { objective, terms } = evaluate(model, { 'field.weights': weights });
    expect(terms.field).toBe(objective);
    const phi = Array.from(graph.sources, (i, e) =>
      Y[i]!.reduce((sum, entry, d) => sum + (entry - Y[graph.targets[e]!]![d]!) ** 2, 0),
    );
    const direct = withDenseField(graph, Float64Array.from(weights), 0.3, (logDeterminant) => logDeterminant);
    expectClose(objective, 1.5 * direct - 0.5 * weights.reduce((sum, w, e) => sum + w * phi[e]!, 0), 1e-13);
    checkModel(model, { values: { 'field.weights': weights } });
    checkModel(drill(Y, { neighbors: 4 }), {
      values: {
        'field.attraction': weights.map((weight) => weight / 50),
        'field.repulsion': weights.map((weight) => weight / 100),
      },
    });
  });

  it('gives the same numbers sparse and dense', () => {
    const points = swissRoll(400);
    const sparseGraph = knnGraph(points, 5);
    const weights = sparseGraph.weights.map((_, e) => (e % 3 === 0 ? 0 : 0.1 + (e % 7)));
    const factor = fieldFactor(sparseGraph);
    expect(factor.sparse).toBe(true);
    const { logDeterminant, resistances } = factor.evaluate(weights, 1e-3);
    withDenseField(sparseGraph, weights, 1e-3, (value, U) => {
      expectClose(logDeterminant, value, 1e-12);
      const R = Array.from(sparseGraph.sources, (i, e) => {
        const j = sparseGraph.targets[e]!;
        return U[i * 401]! + U[j * 401]! - 2 * U[i * 400 + j]!;
      });
      expectClose(resistances, R, 1e-9);
    });
  });

  /** The largest violation of the layer's conditions at latents, by an inverse of its own. */
  function violationAt(latents: Matrix, weights: readonly number[], base: number, copies: number, upper: number) {
    const Q = Array.from({ length: Y.length }, (_, i) => Y.map((__, j) => (i === j ? base : 0)));
    weights.forEach((weight, e) => {
      const [i, j] = [graph.sources[e]!, graph.targets[e]!];
      Q[i]![i]! += weight;
      Q[j]![j]! += weight;
      Q[i]![j]! -= weight;
      Q[j]![i]! -= weight;
    });
    const U = inverseOf(Q);
    const violations = weights.map((weight, e) => {
      const [i, j] = [graph.sources[e]!, graph.targets[e]!];
      const phi = (latents.at(i, 0) - latents.at(j, 0)) ** 2 + (latents.at(i, 1) - latents.at(j, 1)) ** 2;
      const pull = Math.min(copies / phi, upper) * (U[i]![i]! + U[j]![j]! - 2 * U[i]![j]! - phi / copies);
      return (weight <= 0 && pull < 0) || (weight >= upper && pull > 0) ? 0 : Math.abs(pull);
    });
    return Math.max(...violations);
  }
  const kernel = rbf({ variance: fixed(20), lengthscale: fixed(1) });

  it('is a prior on latents, with its weights as parameters, free or fixed', async () => {
    const weights = Array.from(graph.weights, (_, e) => 0.2 + 0.1 * (e % 4));
    const given = { base: 0.5, copies: 2, expect: { weights: squaredDifferences(graph) } };
    const layer = maxEntropy({ ...given, multipliers: { weights: fixed(weights) } });
    checkPrior(layer, { observations: Y, latents: Y.map(([x, , z], i) => [x! / 10 + 0.01 * i, z! / 10]) });
    const open = maxEntropy({ ...given, slack: 10, multipliers: { weights: box(0, 40, weights) } });
    const result = await fit(gplvm(Y, { latentDim: 2, kernel, priors: [open] }), { maxIterations: 30 });
    const learned = result.parameters['priors.field.weights'] as number[];
    expect(Math.min(...learned)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...learned)).toBeLessThanOrEqual(40);
    expect(result.trace.at(-1)!.objective).toBeGreaterThan(result.trace[0]!.objective);
    expectClose(result.diagnostics.kktResidual, violationAt(result.latents, learned, 0.5, 2, 40), 1e-9);
    expect(result.diagnostics.kktResidual).toBeGreaterThan(0);
    expect(result.graph.sources.length).toBe(learned.filter((weight) => weight > 0).length);
    const held = await fit(gplvm(Y, { latentDim: 2, kernel: rbf(), priors: [layer] }), { maxIterations: 2 });
    expect(held.diagnostics.kktResidual).toBeUndefined();
    expectClose(held.precision().at(0, graph.targets[0]!), -weights[0]!, 1e-15);
  });

  it('finds the weights given the latents, and shows their field on fits', async () => {
    const prior = best({ base: 0.5, copies: 2 });
    expect(prior.parameters).toEqual({});
    checkPrior(prior, { observations: Y, latents: Y.map(([x, , z], i) => [x! / 10 + 0.01 * i, z! / 10]) });
    const model = gplvm(Y, { latentDim: 2, kernel, priors: [prior] });
    const result = await fit(model, { maxIterations: 30 });
    const Q = result.precision();
    const learned = Array.from(graph.sources, (i, e) => -Q.at(i, graph.targets[e]!));
    expect(violationAt(result.latents, learned, 0.5, 2, 100)).toBeLessThan(1e-9);
    expect(result.diagnostics.kktResidual).toBeLessThan(1e-9);
    expect(Math.max(...learned)).toBeLessThanOrEqual(100);
    expect(result.graph.sources.length).toBe(learned.filter((weight) => weight > 0).length);
    const U = inverseOf(Y.map((_, i) => Array.from(Q.row(i))));
    expectClose(
      result.covariance(),
      U.map((row) => Array.from(row)),
      1e-9,
    );
    // A mapping fills in rows, as without a layer.
    const holed = Y.map((row, i) => (i === 3 ? [row[0]!, Number.NaN, row[2]!] : row));
    const { mean } = await result.impute(holed.slice(3, 4));
    expect(mean.at(0, 0)).toBe(Y[3]![0]);
    expect(mean.at(0, 1)).not.toBeNaN();
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.graph!.weights).toEqual(result.graph.weights);
    expect(again.predict([[0, 0]]).mean.data).toEqual(result.predict([[0, 0]]).mean.data);
    // The coordinate ascent, which knows of no latents, has the same maximum.
    const phi = Array.from(graph.sources, (i, e) => {
      const j = graph.targets[e]!;
      return [0, 1].reduce((sum, c) => sum + (result.latents.at(i, c) - result.latents.at(j, c)) ** 2, 0);
    });
    const pairs = Array.from(graph.sources, (i, e) => [i, graph.targets[e]!] as [number, number]);
    const oracle = coordinateAscent(Y.length, pairs, phi, 0.5, 2, 100);
    expectClose(learned, oracle.w, 1e-7);
  });

  it('has a maximum where latents meet, and refuses what has none', async () => {
    const together = Y.map(() => [0.1, 0.2]);
    checkPrior(best(), { observations: Y, latents: together });
    for (const slackPenalty of [0.5, 1e4]) {
      const term = evaluate(gplvm(Y, { latentDim: 2, priors: [best({ slack: slackPenalty })] }), {
        latents: together,
      }).terms.field!;
      const upper = graph.weights.map(() => 4 * slackPenalty);
      const most = withDenseField(graph, upper, 1, (logDeterminant) => logDeterminant);
      expectClose(term, 0.5 * most, 1e-12);
    }
    expect(() => best({ slack: Infinity })).toThrow(InvalidInputError);
    expect(() => best({ slack: Infinity })).toThrow(/no bound: two latents that meet .* such as 25/);
  });
});

function completeGraphIdentity(N: number): number[][] {
  return Array.from({ length: N }, (_, i) => Array.from({ length: N }, (_, j) => (i === j ? 1 : 0)));
}

describe('bad input', () => {
  // k(x, y) = (x − y)²: points are less like themselves than like others.
  const notAKernel = defineKernel({
    name: 'notAKernel',
    parameters: {},
    covariance: (_, A, B) => op.squaredDistances(A, B),
    diagonal: (_, A) => op.mul(0, op.sum(A, 1)) as Tensor1D,
  });
  const twice = [...Y.slice(0, 6), Y[2]!];

  it.each<[string, () => unknown, RegExp]>([
    ['points that are all the same', () => mpme(twice.map(() => [1, 2])), /All points are the same/],
    [
      'neighbors that are all the same',
      () =>
        meu(
          twice.map(() => [1, 2]),
          { neighbors: 2 },
        ),
      /All points are the same/,
    ],
    ['k ≥ N', () => meu(Y, { neighbors: 14 }), /^meu takes .* from 1 to 13/],
    ['k ≥ N of alle', () => alle(Y, { neighbors: 14 }), /^alle takes .* from 1 to 13/],
    ['k ≥ N of drill', () => drill(Y, { neighbors: 14 }), /^drill takes .* from 1 to 13/],
    [
      'a point at the mean',
      () => drill([[-1], [0], [1]], { neighbors: 1 }),
      /Point index 1 is at the mean.* add a column that differs from the mean there/,
    ],
    ['NaN', () => mpme([[1], [Number.NaN]]), /entry \[1\]\[0\] is NaN/],
    ['a misspelled option', () => mpme(Y, { lambda: 1 } as never), /no option 'lambda'/],
    ['a base precision of 0', () => mpme(Y, { basePrecision: 0 }), /basePrecision.*above 0/],
    ['distances of no kind', () => mpme(Y, { distances: 'cubed' as never }), /'squared', 'plain' or a kernel/],
    ['an order that is not one', () => alle(Y, { order: [0, 0] }), /each of the points/],
    [
      'negative distances',
      () =>
        squaredDifferences(
          graph,
          graph.weights.map(() => -1),
        ),
      /from 0.*edge 0.*is -1/,
    ],
    [
      'distances that are not numbers',
      () =>
        squaredDifferences(
          graph,
          graph.weights.map((_, e) => (e === 3 ? Number.NaN : 1)),
        ),
      new RegExp(`edge 3, between points ${graph.sources[3]} and ${graph.targets[3]}, is NaN`),
    ],
    [
      'distances that are not finite',
      () =>
        squaredDifferences(
          graph,
          graph.weights.map((_, e) => (e === 3 ? Infinity : 1)),
        ),
      /edge 3, between points .* is Infinity/,
    ],
    [
      'negative squared distances of something that is no kernel',
      () => mpme(Y, { distances: notAKernel(), slackPenalty: 1 }),
      /from 0, but the one of edge 0, between points 0 and 1, is -/,
    ],
    ['NaN for meu', () => meu([[1], [2], [Number.NaN]], { neighbors: 1 }), /entry \[2\]\[0\] is NaN/],
    ['too few distances', () => squaredDifferences(graph, [1]), /one number for each of the/],
    ['a graph without edges', () => squaredDifferences(completeGraph(1)), /edges, but this one has none/],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });

  it('a C at which all pairs have the same weight is degenerate, with a message', async () => {
    const { status, message } = await fit(mpme(Y, { slackPenalty: 1e-9 }));
    expect(status).toBe('degenerate');
    expect(message).toContain(
      'Every weight is at its limit 4C = 4e-9. All pairs have the same weight, so the embedding means nothing. Give a larger slack penalty.',
    );
    // Eigenmaps of the candidate edges mean something, but were not learned.
    const among = await fit(mpme(Y, { slackPenalty: 1e-9, neighbors: 4 }));
    expect(among.status).toBe('converged');
    expect(among.message).toContain('nothing was learned about them');
    const learned = await fit(mpme(Y, { slackPenalty: 25 }));
    expect(learned.message).not.toContain('limit 4C');
  });

  it('more dimensions than the points have are refused by name', () => {
    const three = [
      [0, 1],
      [2, 0],
      [1, 3],
    ];
    const sentence = /shows 3 points in at most 2 dimensions, but latentDim is 3/;
    expect(() => mpme(three, { latentDim: 3 })).toThrow(sentence);
    expect(() => meu(three, { latentDim: 3, neighbors: 2 })).toThrow(sentence);
    expect(() => mpme(three.slice(1), { latentDim: 2 })).toThrow(/in at most 1 dimension, but/);
  });

  it('duplicate points are fine when C is finite', async () => {
    const result = await fit(mpme(twice, { slackPenalty: 0.01 }));
    expect(result.diagnostics.kktResidual).toBeLessThan(1e-8);
  });
});
