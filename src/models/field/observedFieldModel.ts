import { InvalidInputError } from '../../core/errors.ts';
import { type FieldValue, fieldFactor } from '../../fields/density/fieldFactor.ts';
import { type FieldProblem, kktResidual, weightScale } from '../../fields/density/kktResidual.ts';
import { supportOf } from '../../fields/embedding/fieldEmbedding.ts';
import { imputedByField, laplacianTerms } from '../../fields/observed/imputedByField.ts';
import { type ObservedValue, observedField } from '../../fields/observed/observedField.ts';
import { observedSquaredDistances } from '../../fields/observed/observedSquaredDistances.ts';
import { type FieldResult, type FieldSearch, retold } from '../../fields/solvers/fieldSearch.ts';
import { inexactNewton } from '../../fields/solvers/inexactNewton.ts';
import { projectedNewton } from '../../fields/solvers/projectedNewton.ts';
import { CONVERGED, inWords, violationInWords, WEIGHTS, weightsIn } from '../../fields/solvers/refinedField.ts';
import type { Model } from '../../model/model.ts';
import { box } from '../../model/parameter.ts';
import { doublesOf } from '../../tensors/doubles.ts';
import type { Save } from '../../tensors/linearAlgebra/operations/operation.ts';
import * as op from '../../tensors/ops.ts';
import { type Scalar, type Tensor, tf } from '../../tensors/tensorflow.ts';
import { described, type FieldParts, fieldPosterior, MOST_POINTS } from './fieldModel.ts';

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
        terms: (values) => ({ field: observedDensity(values[WEIGHTS]!, evaluate, copies) }),
        dispose: () => undefined,
      };
    },
    posterior: (values) => {
      const learned = supportOf(graph, weightsIn(values));
      const completed = imputedByField(laplacianTerms(learned, basePrecision), observations).mean;
      const distancesTo = observedSquaredDistances(completed);
      return fieldPosterior({ ...parts, observations: completed, distancesTo }, learned);
    },
    *refine(values, { steps, memory }) {
      const evaluate = observed();
      let weights: Float64Array = Float64Array.from(weightsIn(values));
      let at = evaluate(weights);
      const expected = (memory?.expected as Float64Array | undefined) ?? at.expectedDistances;
      const reference = { ...first, squaredDistances: expected };
      const direct = { sparse: true, evaluate: (w: Float64Array) => observedGradient(w, evaluate(w), reference) };
      const measured = () => kktResidual(reference, weights, observedGradient(weights, at, reference).resistances);
      let residual = measured();
      const earlier = (name: string) => memory?.[name] as number | undefined;
      let rounds = earlier('rounds') ?? 0;
      let newtonSteps = earlier('newtonSteps') ?? 0;
      let evaluations = earlier('evaluations') ?? 1;
      /** Rounds since the last Newton steps, and the violation before them. */
      let since = earlier('since') ?? 0;
      let before = earlier('before') ?? Infinity;
      let stopped = false;
      const told = () => ({
        values: { ...values, [WEIGHTS]: Array.from(weights) },
        objective: at.value,
        gradients: { [WEIGHTS]: at.resistances.map((R, e) => 0.5 * (copies * R - at.expectedDistances[e]!)) },
        iterations: rounds + newtonSteps,
        evaluations,
      });
      const step = () => {
        const saved = { expected, rounds, newtonSteps, evaluations, since, before };
        return { ...told(), memory: () => saved };
      };
      while (rounds + newtonSteps < steps && !stopped) {
        if (since === 0) {
          if (residual <= GOAL || (residual <= CONVERGED && residual > before / 2)) break;
          before = residual;
        }
        const isRound = since < ROUNDS;
        const problem = { ...first, squaredDistances: at.expectedDistances };
        const found = yield* withoutSteps(
          !isRound
            ? inexactNewton(reference, direct, weights, steps - rounds - newtonSteps)
            : size <= MOST_POINTS
              ? projectedNewton(problem, weights, M_STEPS)
              : inexactNewton(problem, fieldFactor(graph), weights, M_STEPS),
        );
        evaluations += found.evaluations;
        stopped = found.stopped;
        since = isRound ? since + 1 : 0;
        // Newton's method looks for a point where the gradient vanishes, which is worth having only where the density is no smaller.
        const isWorth = isRound
          ? !stopped
          : found.iterations > 0 && found.value >= at.value - 1e-12 * Math.abs(at.value);
        if (!isWorth) continue;
        weights = found.weights;
        at = evaluate(weights);
        evaluations++;
        residual = measured();
        if (isRound) rounds++;
        else newtonSteps += found.iterations;
        if (!stopped) stopped = yield step();
      }
      const given = ' for the distances expected given the observed entries';
      return {
        ...told(),
        kktResidual: residual,
        converged: residual <= CONVERGED,
        course: courseOf(rounds, newtonSteps),
        message: `${violationInWords(residual, given)} ${described(parts, supportOf(graph, weights))}`,
      };
    },
    toJSON: parts.toJSON,
  });
}

function courseOf(rounds: number, newtonSteps: number): string {
  if (rounds === 0) return '';
  const ofEM = `${inWords(rounds, 'round')} of EM`;
  return newtonSteps === 0 ? ofEM : `${ofEM} and ${inWords(newtonSteps, 'Newton step')}`;
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

/** A search of another density, of which only the pauses and the end are told. */
function withoutSteps(search: FieldSearch): Generator<undefined, FieldResult, boolean> {
  return retold(search, () => undefined);
}

/**
 * What Newton's method takes for a field, so that it follows the density of what is observed: its value and conditions are then that
 * density and c·R − E[φ] in the place of c·R − φ.
 */
function observedGradient(
  weights: Float64Array,
  { value, resistances, expectedDistances }: ObservedValue,
  { squaredDistances, copies }: FieldProblem,
): FieldValue {
  let cost = 0;
  for (let e = 0; e < weights.length; e++) cost += weights[e]! * squaredDistances[e]!;
  return {
    logDeterminant: (2 * value + cost) / copies,
    resistances: resistances.map((R, e) => R - (expectedDistances[e]! - squaredDistances[e]!) / copies),
  };
}
