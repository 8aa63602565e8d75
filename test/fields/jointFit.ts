import { expectedMoments, fit, type Graph, gplvm, knnGraph, maxEntropy, squaredDifferences } from 'latentfield';
import { bestMultipliers } from 'latentfield/fields';
import { expect } from 'vitest';

/** The largest violation of c·R_e ≤ φ_e, = where 0 < w_e < 4C, and ≥ where w_e = 4C, from a fit's own precision and covariance. */
function violationOfDistances(
  { precision, covariance, latents }: Awaited<ReturnType<typeof jointFits>>['distances'],
  graph: Graph,
): number {
  const [Q, U] = [precision(), covariance()];
  return Array.from(graph.sources, (i, e) => {
    const j = graph.targets[e]!;
    const weight = -Q.at(i, j);
    const phi = Array.from(latents.row(i)).reduce((sum, entry, c) => sum + (entry - latents.at(j, c)) ** 2, 0);
    const pull = Math.min(1 / phi, 100) * (U.at(i, i) + U.at(j, j) - 2 * U.at(i, j) - phi);
    return (weight <= 0 && pull < 0) || (weight >= 100 && pull > 0) ? 0 : Math.abs(pull);
  }).reduce((most, each) => Math.max(most, each), 0);
}

/** The largest violation of W_ii = S_ii + ρ and |W_ij − S_ij| ≤ ρ, = where Θ_ij is not 0. */
function violationOfMoments(
  { precision, covariance, latents }: Awaited<ReturnType<typeof jointFits>>['moments'],
  graph: Graph,
): number {
  const [Q, W] = [precision(), covariance()];
  const moment = (i: number, j: number) =>
    Array.from(latents.row(i)).reduce((sum, entry, c) => sum + entry * latents.at(j, c), 0) + (i === j ? 0.01 : 0);
  const own = Array.from({ length: latents.rows }, (_, i) => Math.abs(W.at(i, i) - moment(i, i)) / moment(i, i));
  const across = Array.from(graph.sources, (i, e) => {
    const j = graph.targets[e]!;
    const excess = W.at(i, j) - moment(i, j);
    const entry = Q.at(i, j);
    const pull = entry === 0 ? Math.max(0, Math.abs(excess) - 0.01) : excess - 0.01 * Math.sign(entry);
    return Math.abs(pull) / Math.sqrt(moment(i, i) * moment(j, j));
  });
  return [...own, ...across].reduce((most, each) => Math.max(most, each), 0);
}

/** Evaluations of the latents that each fit may take. */
interface Evaluations {
  readonly distances: number;
  readonly moments: number;
}

async function jointFits(Y: readonly ArrayLike<number>[], neighbors: number, most: Evaluations) {
  const points = Y.map((row) => Array.from(row));
  const graph = knnGraph(points, neighbors);
  const near = squaredDifferences(graph);
  const layer = maxEntropy({ copies: 1, slack: 25, multipliers: bestMultipliers(), expect: { near } });
  return {
    graph,
    distances: await fit(gplvm(points, { latentDim: 2, priors: [layer] }), {
      maxEvaluations: most.distances,
    }),
    moments: await fit(gplvm(points, { latentDim: 2, priors: [expectedMoments({ graph })] }), {
      maxEvaluations: most.moments,
    }),
  };
}

/**
 * Fits latents together with a field of each kind, everything at its default, and asks for the conditions of both fields at the latents, and for the
 * gradient in these.
 */
export async function expectJointFits(
  Y: readonly ArrayLike<number>[],
  neighbors: number,
  most: Evaluations,
  isStationary = true,
): Promise<void> {
  const { graph, distances, moments } = await jointFits(Y, neighbors, most);
  for (const { status, objective, trace, diagnostics, graph: learned } of [distances, moments]) {
    expect(diagnostics.kktResidual).toBeLessThan(1e-5);
    if (isStationary) {
      expect(status).toBe('converged');
      expect(diagnostics.gradientNorm).toBeLessThanOrEqual(1e-5);
    }
    expect(objective).toBeGreaterThan(trace[0]!.objective);
    expect(learned.sources.length).toBeGreaterThan(Y.length / 2);
  }
  expect(violationOfDistances(distances, graph)).toBeLessThan(1e-5);
  expect(violationOfMoments(moments, graph)).toBeLessThan(1e-5);
}
