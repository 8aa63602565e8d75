import * as v from 'valibot';
import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix } from '../../core/matrix.ts';
import { checkOptions, integerFrom, seedOption } from '../../core/options.ts';
import { seededRandom } from '../../core/random.ts';
import { matchedNormals } from '../../engine/special/randomDraws.ts';
import type { Forecast } from '../../model/abilities.ts';
import type { RowModel } from '../../model/rowModel.ts';

const schema = v.strictObject({
  noise: v.optional(v.boolean(), true),
  calibrated: v.optional(v.boolean()),
  draws: v.optional(integerFrom(2), 256),
  seed: seedOption,
});

/** Draws of paths of the shown variable after its last row, and the moments of the observations over them. */
export function forecasting(modelFor: (calibrated?: boolean | undefined) => RowModel) {
  return (steps: number, options: object = {}): object => {
    if (!Number.isInteger(steps) || steps < 1) {
      throw new InvalidInputError(`forecast takes a whole number of steps from 1, but ${describe(steps)} was given.`);
    }
    const { noise, calibrated, draws, seed } = checkOptions(schema, options, 'forecast');
    const { ahead, observed, predict, shown } = modelFor(calibrated);
    const paths = ahead!(steps, matchedNormals(draws, seededRandom(seed)));
    const places = overPaths(paths.map((mean) => ({ mean })));
    const predicted = paths.map((rows) => predict!({ [shown]: rows }, noise));
    const found = Object.fromEntries(
      observed.map(({ name }) => [name, overPaths(predicted.map((own) => own[name]!))] as const),
    );
    return {
      latents: places.mean,
      latentVariances: places.variance,
      ...(observed.length === 1 ? found[observed[0]!.name] : found),
    };
  };
}

/** Moments of the mixture of all paths at each step, with the standard error of its mean. */
function overPaths(
  steps: readonly { readonly mean: Matrix; readonly variance?: Matrix }[],
): Omit<Forecast, 'latents' | 'latentVariances'> {
  const { rows: paths, columns } = steps[0]!.mean;
  const [mean, variance, meanError] = [0, 1, 2].map(() => Matrix.zeros(steps.length, columns)) as [
    Matrix,
    Matrix,
    Matrix,
  ];
  steps.forEach((step, k) => {
    for (let j = 0; j < columns; j++) {
      const average = (of: (path: number) => number) => {
        let sum = 0;
        for (let i = 0; i < paths; i++) sum += of(i);
        return sum / paths;
      };
      const center = average((i) => step.mean.at(i, j));
      const between = average((i) => square(step.mean.at(i, j) - center));
      mean.data[k * columns + j] = center;
      variance.data[k * columns + j] = between + average((i) => step.variance?.at(i, j) ?? 0);
      meanError.data[k * columns + j] = Math.sqrt(between / paths);
    }
  });
  return { mean, variance, meanError };
}
