import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import type { Labels } from '../../engine/graph/index.ts';
import { classesOf } from '../../engine/graph/labelGraph.ts';
import { nearestNeighbourScore, selectOptions } from '../../inference/index.ts';
import type { Model } from '../../model/model.ts';

/** Multiples of the strength of 'auto' that are tried. */
const MULTIPLES = [0.1, 1, 10, 100];
const FOLDS = 3;
/** Iterations of each fit: enough to compare strengths. */
const ITERATIONS = 100;

/**
 * Chooses the strength of a model of labelled points among multiples of one, by the error of the nearest neighbour of labelled points that are
 * held out in turn. No other points have a say.
 *
 * @param Y - N×D, complete
 * @param make - the model of some points, their labels and a strength
 * @param chosen - the model of all points
 */
export function validatedStrength(
  Y: MatrixLike,
  labels: Labels,
  strength: number,
  make: (Y: Matrix, labels: Labels, strength: number) => Model,
  chosen: (strength: number) => Model,
): NonNullable<Model['choose']> {
  return async ({ seed, signal, maxSeconds }) => {
    const { classes } = classesOf(labels, 'gplrf');
    const rows = Array.from(classes.keys()).filter((i) => classes[i]! >= 0);
    const all = Matrix.from(Y);
    const known = Matrix.from(rows.map((i) => all.row(i)));
    const own = rows.map((i) => classes[i]!);
    const { best, table } = await selectOptions(
      (options: { strength: number }, { take }) => make(take(known), take(own), options.strength),
      { strength: MULTIPLES.map((multiple) => multiple * strength) },
      {
        score: nearestNeighbourScore(known, own),
        folds: FOLDS,
        seed,
        fit: {
          maxIterations: ITERATIONS,
          ...(maxSeconds !== undefined && { maxSeconds: maxSeconds / (FOLDS * MULTIPLES.length) }),
        },
        ...(signal && { signal }),
      },
    );
    const tried = table.map((row) => `${shown(row.options.strength)} (error ${row.score.toFixed(3)})`).join(', ');
    return {
      model: chosen(best.strength),
      message: ` Strength ${shown(best.strength)} was chosen among ${tried}.`,
    };
  };
}

const shown = (strength: number) => String(Number(strength.toPrecision(3)));
