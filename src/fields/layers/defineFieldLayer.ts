import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import { checkDefinition, checkMembers, checkName, type Member } from '../../core/options.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { checkGraph, type Graph } from '../../engine/graph/graph.ts';
import { ownGraph } from '../../engine/graph/labelGraph.ts';
import { type EdgeFactor, edgeFactor } from '../../engine/sparse/index.ts';
import { doublesOf } from '../../engine/tensors/doubles.ts';
import { withFloat64 } from '../../engine/tensors/float64/scope.ts';
import type { Tensor } from '../../engine/tensors/tensorflow.ts';
import { calledBy, type FieldMember } from '../../model/language/defineDensity.ts';
import type { Prior } from '../../model/language/density.ts';
import { type Overrides, type OwnParameters, valueTensors } from '../../model/part.ts';
import { definePrior } from '../../priors/definePrior.ts';
import { type EdgePrecision, sparsePrecision } from '../../priors/sparsePrecision.ts';
import { fieldLogDensity } from '../density/momentDensity.ts';
import { momentField } from '../embedding/fieldEmbedding.ts';

/** The definition of a random field over the points of a graph. */
export interface FieldLayerDefinition<Name extends string> {
  /** Name of the layer's term and of its parameters' paths: letters and digits, starting with a letter. */
  readonly name: string;
  /** Default parameters; a bare number is `positive`. They may depend on the graph. Default none. */
  readonly parameters?: OwnParameters<Name> | ((graph: Graph) => OwnParameters<Name>);
  /** The entries of the precision Θ that may differ from 0: the diagonal, N numbers, and one per edge of the graph, in its order. */
  precision(p: Readonly<Record<Name, Tensor>>, graph: Graph): EdgePrecision;
}

const MEMBERS: Readonly<Record<keyof FieldLayerDefinition<string>, Member>> = {
  name: 'anything',
  parameters: 'anything',
  precision: 'function',
};

/**
 * Defines a field layer: a Gaussian random field over the points whose precision Θ is nonzero only on the diagonal and at the edges of a graph. As a
 * prior on latents X (N×q) its term is the log density of their columns,
 *
 * log p(X) = q/2·log|Θ| − ½·tr(XᵀΘX) − qN/2·log 2π,
 *
 * with gradients in X and in the parameters. Fits of such a model have `graph` (the edges where Θ is not 0, with weights |Θ_ij|), `precision()` and
 * `covariance()`; `loadFit(json, { priors: { name: factory } })` loads saved ones.
 *
 * @param definition - see {@link FieldLayerDefinition}
 * @returns a factory `(overrides, graph) => Prior`
 * @throws InvalidInputError if no graph is passed and, on evaluation, for a graph on a different number of points, or unless there is one entry per
 *   point and one per edge; NumericalError if Θ is not positive definite, after which solvers try a shorter step
 * @see Rue & Held, Gaussian Markov Random Fields (2005), §2.2
 * @example
 * ```ts
 * import { bounded } from 'latentfield';
 * import { defineFieldLayer } from 'latentfield/fields';
 * import * as op from 'latentfield/ops';
 *
 * // A conditional autoregression: Θ = strength·(I − part·D^−½·W·D^−½)
 * const autoregressive = defineFieldLayer({
 *   name: 'autoregressive',
 *   parameters: { strength: 1, part: bounded(0, 1, 0.5) },
 *   precision: (p, { size, sources, targets, weights }) => {
 *     const degrees = new Float64Array(size);
 *     weights.forEach((w, e) => {
 *       for (const i of [sources[e]!, targets[e]!]) degrees[i] = degrees[i]! + w;
 *     });
 *     const shares = weights.map((w, e) => -w / Math.sqrt(degrees[sources[e]!]! * degrees[targets[e]!]!));
 *     return {
 *       diagonal: op.mul(p.strength, op.ones([size])),
 *       edges: op.mul(op.mul(p.strength, p.part), op.tensor(shares)),
 *     };
 *   },
 * });
 * const result = await fit(gplvm(Y, { latentDim: 2, priors: [autoregressive({}, knnGraph(Y, 6))] }));
 * result.covariance();
 * ```
 */
export function defineFieldLayer<Name extends string = never>(
  definition: FieldLayerDefinition<Name>,
): (overrides: Overrides<Name>, graph: Graph) => Prior<'field'> {
  const { name, parameters = {} as OwnParameters<Name> } = checkDefinition(definition, 'defineFieldLayer');
  checkName(name, 'A field layer');
  checkMembers(definition, 'defineFieldLayer', MEMBERS);
  const owner = `The field layer '${name}'`;
  return (overrides, given) => {
    const graph = ownGraph(given, owner);
    const at = (p: Readonly<Record<Name, Tensor>>) => checkedPrecision(owner, definition.precision(p, graph), graph);
    const layer = definePrior<Name, () => EdgeFactor, FieldMember>({
      name,
      parameters: typeof parameters === 'function' ? parameters(graph) : parameters,
      independent: false,
      prepare: ({ rows }) => {
        checkGraph(graph, owner, rows);
        return lazily(() => edgeFactor(graph));
      },
      gaussian: {
        isSparse: true,
        precision: (p, _, { constants: factor }) => sparsePrecision(at(p), graph, factor),
      },
      logDensity: (p, X, { constants: factor }) => fieldLogDensity(at(p), X, graph, factor),
      field: {
        learned: (p) =>
          withFloat64(() => {
            const { diagonal, edges } = at(valueTensors(p) as Readonly<Record<Name, Tensor>>);
            return momentField(graph, { diagonal: doublesOf(diagonal).slice(), edges: doublesOf(edges).slice() });
          }),
      },
    });
    return calledBy(layer(overrides), overrides, graph);
  };
}

function checkedPrecision(owner: string, precision: EdgePrecision, { size, sources }: Graph): EdgePrecision {
  for (const [entries, count, of] of [
    ['diagonal', size, 'point'],
    ['edges', sources.length, 'edge'],
  ] as const) {
    const shape = precision?.[entries]?.shape;
    if (shape?.length === 1 && shape[0] === count) continue;
    throw new InvalidInputError(
      `${owner} takes from its precision '${entries}', a tensor of ${count} numbers, one for each ${of}, but ` +
        `${shape === undefined ? describe(precision?.[entries]) : `a tensor of shape [${shape}]`} was returned.`,
    );
  }
  return precision;
}
