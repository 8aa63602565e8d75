import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { doublesOf } from '../../engine/tensors/doubles.ts';
import type { Save } from '../../engine/tensors/linearAlgebra/operations/operation.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor } from '../../engine/tensors/tensorflow.ts';
import { type CurvedField, curvedField } from '../../fields/density/curvedField.ts';
import { supportOf } from '../../fields/embedding/fieldEmbedding.ts';
import { observedSquaredDistances } from '../../fields/observed/commonEntries.ts';
import { imputedByField, laplacianTerms } from '../../fields/observed/imputedByField.ts';
import { observedCurvature, observedField } from '../../fields/observed/observedField.ts';
import { boundedNewton } from '../../inference/solvers/boundedNewton.ts';
import { type FieldProblem, kktResidual, weightScale } from '../../inference/solvers/fields/fieldProblem.ts';
import { box } from '../../model/parameter.ts';
import { fieldFindings } from './fieldFindings.ts';
import {
  checkDimensions,
  embeddedField,
  type FieldParts,
  learnedField,
  type UnplacedFieldModel,
  weightsIn,
} from './fieldModel.ts';

/**
 * The model of {@link fieldModel} for copies with missing entries (NaN): it maximises the density of the observed ones by its own gradient,
 * with the curvature that the field has at the expected distances. A step is therefore one of EM's, whose M-step is a single Newton step,
 * halved until the density of what is observed rises. Where that density is concave, as about a maximum, steps are Newton's: see {@link observedCurvature}.
 *
 * @param parts - `observations` with missing entries; `squaredDistances` a first guess from common entries
 * @throws InvalidInputError when such a distance is 0 and C = ∞
 */
export function observedFieldModel(parts: FieldParts & { readonly observations: Matrix }): UnplacedFieldModel {
  const { graph, squaredDistances, basePrecision, copies, slackPenalty, observations } = parts;
  checkDimensions(parts);
  const { size, sources, targets } = graph;
  const upper = 4 * slackPenalty;
  const equal = upper === Infinity ? squaredDistances.indexOf(0) : -1;
  if (equal >= 0) {
    throw new InvalidInputError(
      `Points ${sources[equal]} and ${targets[equal]} are the same in all entries that both have, so with slackPenalty Infinity nothing bounds the ` +
        'weight between them. Remove one, or give a finite slackPenalty.',
    );
  }
  const first: FieldProblem = { size, sources, targets, squaredDistances, basePrecision, copies, upper };
  const scale = squaredDistances.map((distance) => weightScale(first, distance));
  /** Weights for which all edges together meet their constraints on average: Σ w_e·R_e = N − 1 nearly. */
  const start = Array.from(scale, (weight) => (weight * (size - 1)) / sources.length);
  return embeddedField({
    ...parts,
    density: {
      parameters: () => ({ weights: box(0, upper, start, { scale }) }),
      prepare: (): ObservedConstants => {
        const curved = curvedField(graph);
        const evaluate = lazily(() => observedField(observations, graph, curved, basePrecision));
        return { curved, evaluate, dispose: curved.dispose };
      },
      logDensity: ({ weights }, _, { constants }) =>
        observedDensity(weights!, (constants as ObservedConstants).evaluate(), copies),
      search: { solver: boundedNewton({ unit: copies / 2 }), tolerance: 0, relativeDecrease: 0 },
      curvature: ({ weights }, constants) => {
        const complete = (constants as ObservedConstants).curved.curvature(weights!, basePrecision, copies);
        return observedCurvature(complete, observations, graph, weights!, basePrecision);
      },
      findings: (p, constants) => {
        const weights = weightsIn(p);
        const { resistances, expectedDistances } = (constants as ObservedConstants).evaluate()(weights);
        const residual = kktResidual({ ...first, squaredDistances: expectedDistances }, weights, resistances);
        const given = ' for the distances expected given the observed entries';
        return fieldFindings(parts, supportOf(graph, weights), residual, given);
      },
      field: (p) => {
        const learned = supportOf(graph, weightsIn(p));
        const completed = imputedByField(laplacianTerms(learned, basePrecision), observations).mean;
        const distancesTo = observedSquaredDistances(completed);
        return learnedField({ ...parts, observations: completed, distancesTo }, learned);
      },
    },
  });
}

interface ObservedConstants {
  readonly curved: CurvedField;
  readonly evaluate: () => ReturnType<typeof observedField>;
  dispose(): void;
}

function observedDensity(weights: Tensor, evaluate: ReturnType<typeof observedField>, copies: number): Scalar {
  return tf.customGrad((...args: unknown[]) => {
    const [w, save] = args as [Tensor, Save];
    const { value, resistances, expectedDistances } = evaluate(doublesOf(w));
    save([op.tensor(resistances.map((R, e) => 0.5 * (copies * R - expectedDistances[e]!)))]);
    const gradFunc = (dy: Tensor, [gradient]: Tensor[]) => op.mul(gradient!, dy);
    return { value: op.scalar(value), gradFunc };
  })(weights) as Scalar;
}
