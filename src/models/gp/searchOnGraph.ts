import type { ModelParts } from '../../mapping/assembly.ts';
import { familyCurvature } from '../../mapping/curvature/familyCurvature.ts';
import type { Search } from '../../model/model.ts';
import type { Parameter } from '../../model/parameter.ts';

/** Most entries of latents whose Hessian costs less than the evaluations that it saves. */
const MOST_CURVED = 600;

/**
 * The search of a model whose latents X have a field over them, found anew at every X. Its objective falls slowly at first and fast at the end: only
 * its gradient shows where that is. Neighbours' rows are moved together by L-BFGS; where all second derivatives are known, Newton's method follows.
 */
export function searchOnGraph(model: ModelParts): Search {
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
  const isCurved = size <= MOST_CURVED && familyCurvature(model) !== undefined;
  const solver = async () => {
    const { graphSolver } = await import('../../inference/solvers/smoothedNewton.ts');
    // Latents are the first of the variables: see partsByPath.
    return graphSolver({ start: 0, columns, graph }, isCurved);
  };
  return { relativeDecrease: 0, solver };
}
