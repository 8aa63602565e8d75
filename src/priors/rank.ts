import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import { checkOptions } from '../core/options.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { dot } from '../engine/vectors.ts';
import { calledBy } from '../model/language/defineDensity.ts';
import type { Prior } from '../model/language/density.ts';
import { entriesOf, fixed, type Parameter, type ParameterLike, shapeOf } from '../model/parameter.ts';
import type { Transform } from '../model/transform.ts';
import { definePrior, notNegative } from './definePrior.ts';

export interface RankOptions {
  /** α ≥ 0, held at 1 unless given; 0 turns the prior off. */
  readonly strength?: ParameterLike;
  /** β ≥ 0, held at 1 unless given. */
  readonly beta?: ParameterLike;
  /** 'kept', the default: free latents keep the energy Σ s_i² that they start with; 'free': they may shrink. */
  readonly energy?: 'kept' | 'free';
}

const schema = v.strictObject({
  strength: v.optional(v.any()),
  beta: v.optional(v.any()),
  energy: v.optional(v.picklist(['kept', 'free'], "'kept' or 'free'"), 'kept'),
});

/**
 * Rank prior: latents are drawn into few directions, −α·Σ_i log(1 + β·s_i²) with s_i the singular values of the centered X. Improper.
 * A prior that shrinks X could be satisfied by a smaller X of the same rank; free latents therefore keep their energy Σ s_i².
 *
 * @param options - `strength` α ≥ 0 (1) and `beta` β ≥ 0 (1), both held unless a free parameter is given; `energy` 'kept' or 'free'
 * @throws InvalidInputError for an unknown option or one out of its range; when the model is evaluated, for latents that are not free
 * under `energy: 'kept'`
 * @see Geiger, Urtasun & Darrell 2009, eqs. 6–8
 * @example
 * ```ts
 * rank({ strength: 10, beta: 100 });
 * ```
 */
export function rank(options: RankOptions = {}): Prior<never> {
  const { strength, beta, energy } = checkOptions(schema, options, 'rank');
  const rank = definePrior({
    name: 'rank',
    parameters: { strength: fixed(1), beta: fixed(1) },
    independent: false,
    // Σ log(1 + β·s_i²) = log|I + β·XᵀX| with X centered: q×q, and no singular value has to be distinguished from another.
    logDensity: (p, X) => {
      const centered = op.sub<Tensor2D>(X, op.mean(X, 0, true));
      const scatter = op.matMul<Tensor2D>(centered, centered, true, false);
      const spread = op.add<Tensor2D>(op.eye(X.shape[1]), op.mul(p.beta, scatter));
      return op.mul<Scalar>(op.neg(p.strength), op.logDeterminant(spread, { name: "The spread of prior 'rank'" }));
    },
    ...(energy === 'kept' && { search: { restrict: keptEnergy } }),
  });
  const own = { strength, beta } as Record<'strength' | 'beta', ParameterLike>;
  return calledBy(notNegative(rank(own), ['strength', 'beta']), { ...own, energy });
}

/**
 * Latents X whose energy ‖X − mean‖² stays what it is at the start: the solver moves U, and X is U with its deviations from its mean
 * brought to that energy.
 *
 * @throws InvalidInputError when all points start in one place
 */
export function keptEnergy(latents: Parameter): Parameter {
  const [rows, columns] = shapeOf(latents.initial) as [number, number];
  const kept = energy(deviations(entriesOf(latents.initial), rows, columns));
  if (!(kept > 0)) {
    throw new InvalidInputError(
      "Prior 'rank' keeps the energy of the latents, but they all start in one place. Give another start, or rank({ energy: 'free' }).",
    );
  }
  const scaleAt = (deviation: Float64Array) => Math.sqrt(kept / energy(deviation));
  const transform: Transform = {
    toNatural: (unconstrained) => {
      const deviation = deviations(unconstrained, rows, columns);
      const scale = scaleAt(deviation);
      return unconstrained.map((entry, i) => entry + (scale - 1) * deviation[i]!);
    },
    toUnconstrained: (natural) => natural.slice(),
    // With C the deviations of U, X = mean + s·C and s = √(E/‖C‖²): ds = −s·⟨C, dC⟩/‖C‖².
    pullBack: (gradient, _, unconstrained) => {
      const deviation = deviations(unconstrained, rows, columns);
      const scale = scaleAt(deviation);
      const own = deviations(gradient, rows, columns);
      const along = dot(own, deviation) / energy(deviation);
      return gradient.map((entry, i) => entry - own[i]! + scale * (own[i]! - along * deviation[i]!));
    },
  };
  return Object.freeze({ ...latents, transform });
}

/** Entries less the means of their columns. */
function deviations(X: Float64Array, rows: number, columns: number): Float64Array {
  const mean = new Float64Array(columns);
  X.forEach((entry, i) => {
    mean[i % columns]! += entry / rows;
  });
  return X.map((entry, i) => entry - mean[i % columns]!);
}

const energy = (deviation: Float64Array): number => dot(deviation, deviation);
