import { InvalidInputError } from '../core/errors.ts';
import { lazily } from '../core/progressiveWork.ts';
import type { LayeredPosterior, LearnedByLayer, Posterior } from './posterior.ts';

/**
 * A posterior with the random fields of a model's layers: the graph and the field are those of the first. They are computed when they are asked
 * for, which may take a search.
 */
export function withLayers<P extends Posterior>(
  posterior: P,
  layers: readonly (() => LearnedByLayer)[],
): P | (P & LayeredPosterior) {
  if (layers.length === 0) return posterior;
  if (layers.length > 1) {
    throw new InvalidInputError(
      `The model has ${layers.length} layers that are random fields over the same points. Constraints hold together in one field only: put all sets in ` +
        'expect of one maxEntropy({ expect: { … } }).',
    );
  }
  const learned = lazily(() => layers.map((layer) => layer()));
  return {
    ...posterior,
    get graph() {
      return learned()[0]!.graph;
    },
    get field() {
      return learned()[0]!.field;
    },
    kktResidual: () => {
      const residuals = learned().flatMap(({ kktResidual }) => kktResidual ?? []);
      return residuals.length === 0 ? undefined : Math.max(...residuals);
    },
  };
}
