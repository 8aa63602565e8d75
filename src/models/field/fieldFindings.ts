import { connectedComponents } from '../../engine/graph/connectedComponents.ts';
import type { Graph } from '../../engine/graph/graph.ts';
import type { Findings } from '../../model/model.ts';
import type { FieldParts } from './fieldModel.ts';

type Learned = Pick<
  FieldParts,
  'squaredDistances' | 'basePrecision' | 'connectingPrecision' | 'notes' | 'slackPenalty'
>;

/** How near the maximum is, as a sentence. */
export function violationInWords(kktResidual: number, condition = ''): string {
  return `The optimality conditions hold to ${kktResidual.toExponential(1)} (relative)${condition}.`;
}

/** What a learned graph looks like, and what that does to the embedding. */
export function fieldFindings(parts: Learned, learned: Graph, kktResidual: number, condition = ''): Findings {
  const edges = learned.sources.length;
  const { sizes } = connectedComponents(learned);
  const whole = sizes.length === 1;
  const isFull =
    edges > 0 && edges === parts.squaredDistances.length && learned.weights.every((w) => w >= 4 * parts.slackPenalty);
  // With equal weights between all pairs every direction is an eigenvector, so the embedding is arbitrary.
  const isShapeless = isFull && learned.size > 2 && 2 * edges === learned.size * (learned.size - 1);
  const isDegenerate = edges === 0 || sizes.length > MOST_COMPONENTS * learned.size || isShapeless;
  const shape =
    edges === 0
      ? 'The learned graph is empty, so the embedding means nothing.'
      : `The learned graph has ${edges} of ${parts.squaredDistances.length} edges` +
        (whole
          ? ' and is connected.'
          : ` and ${sizes.length} components, the largest of ${sizes.reduce((most, size) => Math.max(most, size))} points. ` +
            'The first dimensions of the embedding only separate them.');
  return {
    message: `${violationInWords(kktResidual, condition)} ${shape}${whole ? '' : remedy(parts)}${isFull ? limited(parts, isShapeless) : ''}${parts.notes}`,
    kktResidual,
    isDegenerate,
  };
}

/** A graph of more components than this part of the points is no neighbourhood graph. */
const MOST_COMPONENTS = 0.5;

function remedy({ basePrecision, connectingPrecision }: Learned): string {
  const connecting = connectingPrecision();
  if (basePrecision <= connecting) return '';
  return ` A basePrecision of ${Number(connecting.toPrecision(4))}, the default, connects all points.`;
}

/** The finding that every weight is at its cap of 4C. */
function limited({ slackPenalty }: Learned, isShapeless: boolean): string {
  const means = isShapeless
    ? 'All pairs have the same weight, so the embedding means nothing.'
    : 'The embedding is that of the candidate edges with equal weights: nothing was learned about them.';
  return ` Every weight is at its limit 4C = ${Number((4 * slackPenalty).toPrecision(4))}. ${means} Give a larger slackPenalty.`;
}
