import * as v from 'valibot';
import { Matrix } from '../../core/matrix.ts';
import { checkGiven, checkOptions, integerFrom, isWhole, seedOption } from '../../core/options.ts';
import { seededRandom } from '../../core/random.ts';
import { matchedNormals } from '../../engine/special/randomDraws.ts';
import type { Forecast } from '../../model/abilities.ts';
import { equalMixture } from '../../model/equalMixture.ts';
import type { Prediction } from '../../model/posterior.ts';
import type { RowModel } from '../../model/rowModel.ts';

const schema = v.strictObject({
  noise: v.optional(v.boolean(), true),
  calibrated: v.optional(v.boolean()),
  draws: v.optional(integerFrom(2), 256),
  seed: seedOption,
});

/** Draws of paths of the shown variable after its last row, and the moments of the observations over these paths. */
export function forecasting(modelFor: (calibrated?: boolean | undefined) => RowModel) {
  return (steps: number, options: object = {}): object => {
    checkGiven(steps, 'forecast', 'a whole number of steps from 1', isWhole(1));
    const { noise, calibrated, draws, seed } = checkOptions(schema, options, 'forecast');
    const { ahead, observed, predict, shown } = modelFor(calibrated);
    const { paths, start } = ahead!(steps, matchedNormals(draws, seededRandom(seed)));
    const places = overPaths(paths.map((mean) => ({ mean })));
    const predicted = paths.map((rows) => predict!({ [shown]: rows }, noise));
    const found = Object.fromEntries(
      observed.map(({ name }) => [name, overPaths(predicted.map((own) => own[name]!))] as const),
    );
    return {
      start,
      latents: places.mean,
      latentVariances: places.variance,
      ...(observed.length === 1 ? found[observed[0]!.name] : found),
    };
  };
}

/** Moments of the mixture over all paths at each step, with the standard error of the mean. */
function overPaths(
  steps: readonly { readonly mean: Matrix; readonly variance?: Matrix }[],
): Omit<Forecast, 'start' | 'latents' | 'latentVariances'> {
  const ofSteps = steps.map(({ mean, variance = Matrix.zeros(mean.rows, mean.columns) }) =>
    equalMixture(mean, variance, mean.rows),
  );
  const below = (of: (found: Prediction) => Matrix) => Matrix.from(ofSteps.map((found) => of(found).row(0)));
  return {
    mean: below(({ mean }) => mean),
    variance: below(({ variance }) => variance),
    meanError: below(({ meanError }) => meanError!),
  };
}
