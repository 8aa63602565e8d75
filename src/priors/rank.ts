import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import { checkOptions, type OptionsIn, typed } from '../core/options.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { dot } from '../engine/vectors.ts';
import type { Prior } from '../model/language/density.ts';
import { entriesOf, fixed, type Parameter, type ParameterLike, shapeOf } from '../model/parameter.ts';
import type { Transform } from '../model/transform.ts';
import { priorOfStrengths } from './definePrior.ts';

export interface RankOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  /** α ≥ 0, default fixed at 1; 0 turns the prior off. */
  strength: v.optional(typed<ParameterLike>()),
  /** β ≥ 0, default fixed at 1. */
  beta: v.optional(typed<ParameterLike>()),
  /** 'kept' (the default): free latents keep their initial energy Σ s_i²; 'free': they may shrink. */
  energy: v.optional(v.picklist(['kept', 'free'], "'kept' or 'free'"), 'kept'),
});

/**
 * Rank prior, which favors few latent directions: −α·Σ_i log(1 + β·s_i²) with s_i the singular values of the centered X. The prior is improper. Since
 * shrinking X without lowering its rank would also raise it, free latents keep their energy Σ s_i².
 *
 * @param options - `strength` α ≥ 0 (1) and `beta` β ≥ 0 (1), both fixed unless a free parameter is passed; `energy` 'kept' or 'free'
 * @throws InvalidInputError for an unknown option or one outside its range; when the model is evaluated, for latents that are not free under `energy:
 * 'kept'`
 * @see Geiger, Urtasun & Darrell 2009, eqs. 6–8
 * @example
 * ```ts
 * rank({ strength: 10, beta: 100 });
 * ```
 */
export function rank(options: RankOptions = {}): Prior<never> {
  const { strength, beta, energy } = checkOptions(schema, options, 'rank');
  return priorOfStrengths(
    {
      name: 'rank',
      parameters: { strength: fixed(1), beta: fixed(1) },
      // Σ log(1 + β·s_i²) = log|I + β·XᵀX| with X centered: q×q, and no singular value has to be distinguished from another.
      logDensity: (p, X) => {
        const centered = op.sub<Tensor2D>(X, op.mean(X, 0, true));
        const scatter = op.matMul<Tensor2D>(centered, centered, true, false);
        const spread = op.add<Tensor2D>(op.eye(X.shape[1]), op.mul(p.beta, scatter));
        return op.mul<Scalar>(op.neg(p.strength), op.logDeterminant(spread, { name: "The spread of prior 'rank'" }));
      },
      ...(energy === 'kept' && { search: { restrict: keptEnergy } }),
    },
    { strength, beta },
    [{ strength, beta, energy }],
  );
}

/**
 * Latents X with constant energy ‖X − mean‖²: the solver moves U, and X is U with its deviations from the mean rescaled to that energy.
 *
 * @throws InvalidInputError if all points coincide at the start
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

/** Entries minus their column means. */
function deviations(X: Float64Array, rows: number, columns: number): Float64Array {
  const mean = new Float64Array(columns);
  X.forEach((entry, i) => {
    mean[i % columns]! += entry / rows;
  });
  return X.map((entry, i) => entry - mean[i % columns]!);
}

const energy = (deviation: Float64Array): number => dot(deviation, deviation);
