import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import { checkOptions, numberAboveZero, type OptionsIn, typed } from '../core/options.ts';
import { checkGraph, type Graph, incidentEdges } from '../engine/graph/graph.ts';
import { ownGraph } from '../engine/graph/labelGraph.ts';
import { checkNeighbors } from '../engine/graph/neighborhoodGraph.ts';
import { reconstructionWeights } from '../engine/graph/reconstructionWeights.ts';
import { nearestNeighbors } from '../engine/neighbors/index.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar } from '../engine/tensors/tensorflow.ts';
import type { Prior } from '../model/language/density.ts';
import { fixed, type ParameterLike } from '../model/parameter.ts';
import { priorOfStrengths } from './definePrior.ts';

export interface LocalityOptions extends OptionsIn<typeof schema> {}

const NAME = "Prior 'locality'";

/** The neighbors of every point. */
function neighborLists(Y: Matrix, neighbors: number | Graph): Int32Array[] {
  if (typeof neighbors !== 'number') return adjacency(checkGraph(neighbors, NAME, Y.rows));
  const k = checkNeighbors(neighbors, Y.rows, NAME);
  const { indices } = nearestNeighbors(Y, k);
  return Array.from({ length: Y.rows }, (_, i) => indices.subarray(i * k, (i + 1) * k));
}

function adjacency(graph: Graph): Int32Array[] {
  const { starts, others } = incidentEdges(graph);
  const lists = Array.from({ length: graph.size }, (_, i) => others.subarray(starts[i], starts[i + 1]));
  const alone = lists.findIndex(({ length }) => length === 0);
  if (alone < 0) return lists;
  throw new InvalidInputError(
    `${NAME} has a graph whose point index ${alone} has no neighbors. Join it, for instance by knnGraph(Y, k).`,
  );
}

const schema = v.strictObject({
  /** Strength of the prior, ≥ 0; default fixed at 1. 0 turns the prior off. */
  strength: v.optional(typed<ParameterLike>()),
  /** Ridge added to the diagonal of the neighbors' Gram matrix, relative to its trace, > 0; default 1e-3. */
  regularization: v.optional(numberAboveZero, 1e-3),
});

/**
 * Locality prior: latents are reconstructed from their neighbors with the same weights as the observations, −strength/2·Σ_i ‖x_i − Σ_j w_ij·x_j‖² =
 * −strength/2·tr(XᵀMMᵀX), with the weights w of locally linear embedding on Y. The prior is improper (for example, shifting all latents costs
 * nothing), and the term is the exponent.
 *
 * @param neighbors - number of nearest neighbors of each observation, or a graph of neighbors
 * @param options - `strength` ≥ 0 (1), fixed unless a free parameter is passed; `regularization` > 0 (1e-3)
 * @throws InvalidInputError for an unknown option or one outside its range; when the model is evaluated, for a graph or a number of neighbors that
 *   does not match it
 * @see Urtasun et al. 2008, eq. 7; Roweis & Saul 2000
 * @example
 * ```ts
 * locality(7, { strength: 10 });
 * ```
 */
export function locality(neighbors: number | Graph, options: LocalityOptions = {}): Prior<never> {
  const { strength, regularization } = checkOptions(schema, options, 'locality');
  if (typeof neighbors === 'number') checkNeighbors(neighbors, Infinity, 'locality');
  const own = typeof neighbors === 'number' ? neighbors : ownGraph(neighbors, 'locality');
  return priorOfStrengths(
    {
      name: 'locality',
      parameters: { strength: fixed(1) },
      prepare: ({ observations: Y }) => reconstructionWeights(Y, neighborLists(Y, own), regularization),
      logDensity: (p, X, { constants: reconstruction }) =>
        op.mul<Scalar>(op.mul(-0.5, p.strength), op.reconstructionError(X, reconstruction)),
    },
    { strength },
    [own, { strength, regularization }],
  );
}
