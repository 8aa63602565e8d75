import { followedBy } from '../../inference/solvers/followedBy.ts';
import { lbfgs } from '../../inference/solvers/lbfgs.ts';
import { newton } from '../../inference/solvers/newton.ts';
import { smoothed } from '../../inference/solvers/smoothed.ts';
import type { Solver } from '../../inference/solvers/solver.ts';
import type { ModelParts } from '../../mapping/assembly.ts';
import { familyCurvature } from '../../mapping/curvature/familyCurvature.ts';
import type { Parameter } from '../../model/parameter.ts';

/** Most correction pairs: as many as there are variables take half the evaluations of forty. */
const MOST_PAIRS = 400;
/** Iterations after which second derivatives lead to the end. */
const ITERATIONS_BEFORE = 100;
/** Most entries of latents whose Hessian costs less than the evaluations that it saves. */
const MOST_CURVED = 600;

/**
 * The search of a model whose latents X have a field over them, found anew at every X. Its objective falls slowly at first and fast at the end: only
 * its gradient shows where that is. Neighbours' rows are moved together by L-BFGS; where all second derivatives are known, Newton's method follows.
 */
export function searchOnGraph(model: ModelParts): { solver?: Solver; relativeDecrease?: number } {
  const { latents, priors, views, observations, latentDim: columns } = model;
  const graph = priors.find(({ prior }) => prior.graph !== undefined)?.prior.graph;
  if (graph === undefined) return {};
  const parameters = [...views.map(({ process }) => process), ...priors.map(({ prior }) => prior)].flatMap(
    (part): Parameter[] => Object.values(part.parameters),
  );
  const isBounded = parameters.some(({ free, support }) => free && support === 'box');
  const areRows = latents.name === 'free' && priors.every(({ prior }) => prior.restrict === undefined);
  if (isBounded || !areRows || graph.size !== observations.rows) return { relativeDecrease: 0 };
  const size = observations.rows * columns;
  const history = Math.max(10, Math.min(MOST_PAIRS, size));
  // Latents are the first of the variables: see partsByPath.
  const first = smoothed(lbfgs({ history, scaling: 'diagonal' }), { start: 0, columns, graph });
  const isCurved = size <= MOST_CURVED && familyCurvature(model) !== undefined;
  return { relativeDecrease: 0, solver: isCurved ? followedBy(first, ITERATIONS_BEFORE, newton()) : first };
}
