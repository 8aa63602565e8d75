import { connectedComponents } from '../engine/graph/connectedComponents.ts';
import type { Graph } from '../engine/graph/graph.ts';
import type { Findings } from '../model/model.ts';

/** A learned graph and the problem it solves. */
interface Learned {
  /** The edges with positive weight. */
  readonly graph: Graph;
  /** Number of candidate edges. */
  readonly candidates: number;
  /** Largest weight of an edge, 4C. */
  readonly upper: number;
  readonly kktResidual: number;
  /** λ. */
  readonly base: number;
  /** Subject of the optimality conditions, appended to the size of their violation. */
  readonly connecting: () => number;
  /** Subject of the optimality conditions, appended to the size of their violation. */
  readonly condition?: string;
}

/** Number of components, relative to the number of points, above which a graph is not a neighborhood graph. */
const MOST_COMPONENTS = 0.5;

/** Description of a learned graph, and of its effect on an embedding. */
export function fieldFindings(learned: Learned): Findings {
  const { graph, candidates, upper, kktResidual, condition = '' } = learned;
  const edges = graph.sources.length;
  const { sizes } = connectedComponents(graph);
  const isWhole = sizes.length === 1;
  const isFull = edges > 0 && edges === candidates && graph.weights.every((w) => w >= upper);
  // With equal weights between all pairs every direction is an eigenvector, so the embedding is arbitrary.
  const isShapeless = isFull && graph.size > 2 && 2 * edges === graph.size * (graph.size - 1);
  const components = isWhole
    ? ' and is connected.'
    : ` and ${sizes.length} components, the largest of ${sizes.reduce((most, size) => Math.max(most, size))} points. ` +
      'The first dimensions of the embedding only separate them.';
  const sentences = [
    `The optimality conditions are met to ${kktResidual.toExponential(1)} (relative)${condition}.`,
    edges === 0
      ? ' The learned graph is empty, so the embedding means nothing.'
      : ` The learned graph has ${edges} of ${candidates} edges${components}`,
    isWhole ? '' : remedy(learned),
    isFull ? limited(upper, isShapeless) : '',
  ];
  return {
    message: sentences.join(''),
    kktResidual,
    isDegenerate: edges === 0 || sizes.length > MOST_COMPONENTS * graph.size || isShapeless,
  };
}

function remedy({ base, connecting }: Learned): string {
  const connected = connecting();
  return base <= connected ? '' : ` A base precision of ${Number(connected.toPrecision(4))} connects all points.`;
}

/** The finding that every weight is at its cap of 4C. */
function limited(upper: number, isShapeless: boolean): string {
  const means = isShapeless
    ? 'All pairs have the same weight, so the embedding means nothing.'
    : 'The embedding uses the candidate edges with equal weights: nothing was learned about them.';
  return ` Every weight is at its limit 4C = ${Number(upper.toPrecision(4))}. ${means} Give a larger slack penalty.`;
}
