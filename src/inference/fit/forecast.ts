import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix } from '../../core/matrix.ts';
import { checkOptions, integerFrom, seedOption } from '../../core/options.ts';
import { type Random, seededRandom } from '../../core/random.ts';
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
      const between = average((i) => (step.mean.at(i, j) - center) ** 2);
      mean.data[k * columns + j] = center;
      variance.data[k * columns + j] = between + average((i) => step.variance?.at(i, j) ?? 0);
      meanError.data[k * columns + j] = Math.sqrt(between / paths);
    }
  });
  return { mean, variance, meanError };
}

/**
 * Standard normal numbers for n paths, in columns of mean 0 and variance 1 without correlations with the n/4 columns before, so that moments of linear functions of them are exact.
 *
 * @see Barraquand, Numerical valuation of high dimensional multivariate European securities, Management Science 41 (1995)
 */
function matchedNormals(n: number, random: Random): (columns: number) => Matrix {
  const known: Float64Array[] = [];
  const column = () => {
    const own = Float64Array.from({ length: n }, () => random.normal());
    const mean = own.reduce((sum, entry) => sum + entry, 0) / n;
    own.forEach((entry, i) => {
      own[i] = entry - mean;
    });
    for (const other of known.slice(-Math.floor(n / 4))) {
      const part = dot(own, other) / n;
      other.forEach((entry, i) => {
        own[i]! -= part * entry;
      });
    }
    const scale = Math.sqrt(n / dot(own, own));
    known.push(own.map((entry) => scale * entry));
    return known.at(-1)!;
  };
  return (columns) => {
    const made = Array.from({ length: columns }, column);
    return new Matrix(
      Float64Array.from({ length: n * columns }, (_, i) => made[i % columns]![Math.floor(i / columns)]!),
      n,
      columns,
    );
  };
}

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, entry, i) => sum + entry * b[i]!, 0);
