import { InvalidInputError } from '../core/errors.ts';
import { entriesOf, type Parameter, shapeOf } from '../model/parameter.ts';
import type { Transform } from '../model/transform.ts';
import { dot } from '../numerics/vectors.ts';

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
