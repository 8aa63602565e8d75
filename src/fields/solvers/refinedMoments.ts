import type { ParameterValues, Refinement, RefinementOptions, RefinementStep } from '../../model/model.ts';
import { connectedComponents } from '../../numerics/graph/connectedComponents.ts';
import type { Graph } from '../../numerics/graph/graph.ts';
import { supportGraph } from '../../numerics/graph/supportGraph.ts';
import type { MomentProblem, PrecisionEntries } from '../density/secondMoments.ts';
import { retold } from './fieldSearch.ts';
import { type MomentProgress, type MomentStep, newtonDecrement } from './penalizedNewton.ts';
import { penaltyPath } from './penaltyPath.ts';
import { CONVERGED, inWords, violationInWords } from './refinedField.ts';

export const DIAGONAL = 'field.diagonal';
export const ATTRACTION = 'field.attraction';
export const REPULSION = 'field.repulsion';

export function entriesIn(values: ParameterValues): PrecisionEntries {
  const list = (path: string) => Float64Array.from(values[path] as readonly number[]);
  const attraction = list(ATTRACTION);
  return { diagonal: list(DIAGONAL), edges: list(REPULSION).map((entry, e) => entry - attraction[e]!) };
}

/** The path of penalties as a model's own steps. */
export function* refinedMoments(
  problem: MomentProblem,
  values: ParameterValues,
  { steps, memory }: RefinementOptions,
): Generator<RefinementStep | undefined, Refinement, boolean> {
  const search = penaltyPath(problem, entriesIn(values), steps, memory);
  const result = yield* retold(search, (step: MomentStep) => ({ ...told(problem, step), memory: step.memory }));
  const { entries, kktResidual, iterations } = result;
  const learned = supportGraph(problem, entries.edges);
  const unbounded = seemsUnbounded(problem, entries, kktResidual);
  return {
    ...told(problem, result),
    kktResidual,
    converged: kktResidual <= CONVERGED && unbounded === '',
    course: inWords(iterations, 'Newton step'),
    message: `${violationInWords(kktResidual)} ${described(learned, problem.sources.length)}${unbounded}`,
  };
}

function told({ penalty }: MomentProblem, { entries, value, excess, iterations, evaluations }: MomentProgress) {
  return {
    values: {
      [DIAGONAL]: Array.from(entries.diagonal),
      [ATTRACTION]: Array.from(entries.edges, (entry) => Math.max(0, -entry)),
      [REPULSION]: Array.from(entries.edges, (entry) => Math.max(0, entry)),
    },
    objective: value,
    gradients: {
      [DIAGONAL]: excess.diagonal,
      [ATTRACTION]: excess.edges.map((entry) => -2 * (entry + penalty)),
      [REPULSION]: excess.edges.map((entry) => 2 * (entry - penalty)),
    },
    iterations,
    evaluations,
  };
}

/** A Newton decrement that tells the way to a maximum, where it goes to 0, from the way to none, where it stays at 1 or above. */
const ENDLESS = 0.5;

/** The violation up to which that is asked: on the way to no maximum rounding may leave more than {@link CONVERGED}. */
const ASKED = 1e-6;

/**
 * Says where the density has no maximum in sight, which only penalty 0 allows: its gradient then goes to 0 while the precision grows
 * without end.
 */
function seemsUnbounded(problem: MomentProblem, entries: PrecisionEntries, kktResidual: number): string {
  const { variances, penalty } = problem;
  if (penalty > 0 || kktResidual > ASKED || newtonDecrement(problem, entries) < ENDLESS) return '';
  const largest = entries.diagonal.reduce((most, entry, i) => Math.max(most, entry * variances[i]!), 0);
  return (
    ` The precision has grown to ${largest.toExponential(1)} times that of points on their own, with no end in sight: with penalty 0 the density ` +
    'seems to have no maximum. Give a penalty above 0, or fewer neighbours.'
  );
}

/** What the learned graph looks like, and what that does to the embedding. */
function described(learned: Graph, allowed: number): string {
  const { sizes } = connectedComponents(learned);
  const has = `The learned graph has ${learned.sources.length} of ${allowed} edges`;
  if (sizes.length === 1) return `${has} and is connected.`;
  return (
    `${has} and ${sizes.length} components, the largest of ${sizes.reduce((most, size) => Math.max(most, size))} points: points of different ` +
    'components have no covariance, so that each eigenvector, before the covariance is centred, is 0 outside one component, and columns of the ' +
    'embedding show components one by one, not where they are to each other. A smaller penalty or more neighbours would connect them.'
  );
}
