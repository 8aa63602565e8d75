import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix } from '../../core/matrix.ts';
import { givenList, namedOptions } from '../../core/options.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar } from '../../engine/tensors/tensorflow.ts';
import type { RowConstraint } from '../rowTransforms.ts';
import { defineDensity } from './defineDensity.ts';
import { type Density, densityOf } from './density.ts';
import type { CheckedHeldRows, HeldRows, LatentPosterior, LatentVariableOptions } from './variable.ts';

/** Checks and copies the option `held`. */
export function heldRows(given: HeldRows, dim: number, posterior: LatentPosterior): CheckedHeldRows {
  const {
    rows: listed,
    at,
    strength,
  } = namedOptions<HeldRows>(given, "Option 'held' of latent", ['rows', 'at', 'strength']);
  if (posterior !== 'point') {
    throw new InvalidInputError(
      "Option 'held' of latent is for points. Omit posterior, or use fixedAt(X) for all rows.",
    );
  }
  const rows = Array.from(givenList(listed, "The rows of option 'held' of latent", 'a list of row numbers'));
  const positions = Matrix.from(at, "The positions of option 'held' of latent");
  const odd = rows.findIndex((row, k) => !(Number.isInteger(row) && row >= 0) || rows.indexOf(row) !== k);
  if (odd >= 0) {
    throw new InvalidInputError(
      `Option 'held' of latent lists different rows from 0, but entry ${odd} is ${describe(rows[odd])}${rows.indexOf(rows[odd]!) === odd ? '' : ' again'}.`,
    );
  }
  if (positions.rows !== rows.length || positions.columns !== dim) {
    throw new InvalidInputError(
      `Option 'held' of latent needs ${rows.length}×${dim} positions, one for each row, but a ${positions.rows}×${positions.columns} matrix was given.`,
    );
  }
  if (strength !== undefined && !(strength > 0 && Number.isFinite(strength))) {
    throw new InvalidInputError(
      `The strength of option 'held' of latent is a number above 0, but ${describe(strength)} was given. Omit it for rows that stay where they are.`,
    );
  }
  return { rows, at: positions, isFixed: strength === undefined };
}

/** −s/2·Σ‖x_r − at_r‖² over the rows of option `held`: a factor, not a density. */
export const drawnTo = ({ rows, at }: CheckedHeldRows, strength: number): Density =>
  densityOf(
    defineDensity({
      name: 'held',
      normalized: false,
      independent: false,
      logDensity: (_, { value }) => {
        const apart = op.sub(op.gather(value, rows), op.tensor(at.toArrays()));
        return op.mul<Scalar>(-strength / 2, op.sum(op.square(apart)));
      },
      // New rows have no fixed position.
      condition: () => ({ logPredictive: ({ value }) => op.zeros([value.shape[0]]) }),
    })(),
    'held',
  );

/** @throws InvalidInputError for an unknown constraint, and for one that is incompatible with the variable's other options */
export function checkConstraint(
  transform: RowConstraint | undefined,
  { dim, posterior = 'point', init }: LatentVariableOptions,
): void {
  if (transform === undefined) return;
  if (posterior !== 'point') {
    throw new InvalidInputError(
      `Option 'transform' of latent constrains points. Omit posterior, or draw the latents with samplePosterior.`,
    );
  }
  if (init === 'tsne') {
    throw new InvalidInputError(
      "A latent variable with a transform does not start at a t-SNE map. Give init 'pca', 'random' or a matrix of rows that meet the constraint.",
    );
  }
  if (transform !== 'positive' && dim < 2) {
    throw new InvalidInputError(`Rows that are '${transform}' have at least 2 columns, but dim is ${dim}.`);
  }
}
