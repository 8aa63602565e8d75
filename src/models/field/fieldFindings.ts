import type { Findings } from '../../model/model.ts';
import { connectedComponents } from '../../numerics/graph/connectedComponents.ts';
import type { Graph } from '../../numerics/graph/graph.ts';
import type { FieldParts } from './fieldModel.ts';

type Learned = Pick<FieldParts, 'squaredDistances' | 'basePrecision' | 'connectingPrecision' | 'notes'>;

/** How near the maximum is, as a sentence. */
export function violationInWords(kktResidual: number, condition = ''): string {
  return `The optimality conditions hold to ${kktResidual.toExponential(1)} (relative)${condition}.`;
}

/** What a learned graph looks like, and what that does to the embedding. */
export function fieldFindings(parts: Learned, learned: Graph, kktResidual: number, condition = ''): Findings {
  const edges = learned.sources.length;
  const { sizes } = connectedComponents(learned);
  const whole = sizes.length === 1;
  const isDegenerate = edges === 0 || sizes.length > MOST_COMPONENTS * learned.size;
  const shape =
    edges === 0
      ? 'The learned graph is empty, so the embedding means nothing.'
      : `The learned graph has ${edges} of ${parts.squaredDistances.length} edges` +
        (whole
          ? ' and is connected.'
          : ` and ${sizes.length} components, the largest of ${sizes.reduce((most, size) => Math.max(most, size))} points. ` +
            'The first dimensions of the embedding only separate them.');
  return {
    message: `${violationInWords(kktResidual, condition)} ${shape}${whole ? '' : remedy(parts)}${parts.notes}`,
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
