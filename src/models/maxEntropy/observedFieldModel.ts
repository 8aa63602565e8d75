import { InvalidInputError } from '../../core/errors.ts';
import type { Save } from '../../core/linalg/kernels/kernel.ts';
import { doublesOf } from '../../core/matrix.ts';
import type { Model, Refinement } from '../../core/model.ts';
import * as op from '../../core/ops.ts';
import { box } from '../../core/parameter.ts';
import { type Scalar, type Tensor, tf } from '../../core/tensorflow.ts';
import { fieldFactor } from '../../priors/constraints/fieldFactor.ts';
import { inexactNewton } from '../../priors/constraints/inexactNewton.ts';
import { type FieldProblem, kktResidual, weightScale } from '../../priors/constraints/kktResidual.ts';
import { projectedNewton } from '../../priors/constraints/projectedNewton.ts';
import { supportOf } from './fieldEmbedding.ts';
import {
  CONVERGED,
  described,
  type FieldParts,
  fieldPosterior,
  MOST_POINTS,
  WEIGHTS,
  weightsIn,
} from './fieldModel.ts';
import { imputedByField, laplacianTerms } from './imputedByField.ts';
import { type ObservedValue, observedField } from './observedField.ts';
import { observedSquaredDistances } from './observedSquaredDistances.ts';

/** The solver's own violation of the optimality conditions at which EM takes over. */
const NEAR = 1e-1;

/** Violation after which rounds of EM are only rounding. */
const GOAL = 1e-11;

/** Newton steps of an M-step: each raises the density, so they need not end at the maximum for the expected distances. */
const M_STEPS = 3;

/** Rounds of EM at a time. */
const ROUNDS = 2;

/**
 * The model of {@link fieldModel} for copies with missing entries (NaN): it maximises the density of the observed ones. The solver does so directly,
 * by the gradient; rounds of EM follow, each filling in what is missing by its conditional mean and finding the weights for the
 * expected distances then, until the optimality conditions hold at the distances expected under the weights themselves.
 *
 * @param parts - `observations` with missing entries; `squaredDistances` a first guess from common entries
 * @throws InvalidInputError when such a distance is 0 and C = ∞
 */
export function observedFieldModel(parts: Omit<FieldParts, 'distancesTo'>): Model {
  const { name, graph, squaredDistances, basePrecision, copies, slackPenalty, observations } = parts;
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
  const observed = () => observedField(observations, graph, fieldFactor(graph), basePrecision);
  return Object.freeze<Model>({
    name,
    tolerance: (copies / 2) * NEAR,
    relativeDecrease: 1e-5,
    assemble: () => {
      const evaluate = observed();
      return {
        parameters: { [WEIGHTS]: box(0, upper, start, { scale }) },
        factors: [{ name: 'field', logDensity: (values) => observedDensity(values[WEIGHTS]!, evaluate, copies) }],
        dispose: () => undefined,
      };
    },
    posterior: (values) => {
      const learned = supportOf(graph, weightsIn(values));
      const completed = imputedByField(laplacianTerms(learned, basePrecision), observations).mean;
      const distancesTo = observedSquaredDistances(completed);
      return fieldPosterior({ ...parts, observations: completed, distancesTo }, learned);
    },
    *refine(values, { steps }): Generator<void, Refinement, unknown> {
      const evaluate = observed();
      let weights: Float64Array = Float64Array.from(weightsIn(values));
      let at = evaluate(weights);
      const reference = { ...first, squaredDistances: at.expectedDistances };
      const direct = { sparse: true, evaluate: (w: Float64Array) => observedGradient(evaluate(w), reference) };
      const measured = () => kktResidual(reference, weights, observedGradient(at, reference).resistances);
      let residual = measured();
      let rounds = 0;
      let newtonSteps = 0;
      let evaluations = 1;
      while (rounds < steps && residual > GOAL) {
        for (let round = 0; round < ROUNDS; round++, rounds++) {
          const problem = { ...first, squaredDistances: at.expectedDistances };
          const { weights: next, evaluations: more } =
            size <= MOST_POINTS
              ? yield* projectedNewton(problem, weights, M_STEPS)
              : yield* inexactNewton(problem, fieldFactor(graph), weights, M_STEPS);
          weights = next;
          at = evaluate(weights);
          evaluations += more + 1;
        }
        const before = residual;
        const found = yield* inexactNewton(reference, direct, weights, steps);
        const there = evaluate(found.weights);
        evaluations += found.evaluations + 1;
        // Newton's method looks for a point where the gradient vanishes, which is worth having only where the density is no smaller.
        if (there.value >= at.value - 1e-12 * Math.abs(at.value)) {
          weights = found.weights;
          at = there;
          newtonSteps += found.iterations;
        }
        residual = measured();
        if (residual <= CONVERGED && residual > before / 2) break;
      }
      return {
        values: { ...values, [WEIGHTS]: Array.from(weights) },
        kktResidual: residual,
        converged: residual <= CONVERGED,
        iterations: rounds + newtonSteps,
        evaluations,
        message:
          `${rounds === 0 ? '' : `${rounds} rounds of EM and ${newtonSteps} Newton steps followed. `}The optimality conditions hold to ` +
          `${residual.toExponential(1)} (relative) for the distances expected given the observed entries. ` +
          described(parts, supportOf(graph, weights)),
      };
    },
    toJSON: parts.toJSON,
  });
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

/**
 * What Newton's method takes for resistances, so that it follows the density of what is observed: its conditions are then
 * c·R − E[φ] in the place of c·R − φ.
 */
function observedGradient({ value, resistances, expectedDistances }: ObservedValue, reference: FieldProblem) {
  const { squaredDistances, copies } = reference;
  return {
    logDeterminant: value,
    resistances: resistances.map((R, e) => R - (expectedDistances[e]! - squaredDistances[e]!) / copies),
  };
}
