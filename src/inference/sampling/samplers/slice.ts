import * as v from 'valibot';
import { cos, log, sin, square } from '../../../core/elementary/index.ts';
import { checkOptions, numberAboveZero, type OptionsIn } from '../../../core/options.ts';
import type { Position, Sampler } from './sampler.ts';

export interface EllipticalSliceOptions extends OptionsIn<typeof ellipticalOptions> {}

const ellipticalOptions = v.strictObject({
  /** Mean of the normal distribution, shared by all variables; default 0. */
  mean: v.optional(v.pipe(v.number('a finite number'), v.finite('a finite number')), 0),
  /** Standard deviation of the normal distribution; default 1. */
  deviation: v.optional(numberAboveZero, 1),
});

/**
 * Elliptical slice sampling: moves all variables jointly along an ellipse through a draw from their normal prior N(mean, deviation²), without
 * gradients or tuned steps. It is exact for any density, with the quotient of the density and that normal as the likelihood, and efficient if the
 * normal is the actual prior and the likelihood is weak, as for latents under `standardNormal`.
 *
 * @param options - see {@link EllipticalSliceOptions}
 * @throws InvalidInputError for an unknown option or a value out of range
 * @see Murray, Adams & MacKay, Elliptical slice sampling, AISTATS 2010, figure 2; Nishihara, Murray & Adams, JMLR 15 (2014)
 * @example
 * ```ts
 * await samplePosterior(model, { method: ellipticalSlice(), warmup: 20, draws: 20, priors: 'weak' });
 * ```
 */
export function ellipticalSlice(options: EllipticalSliceOptions = {}): Sampler {
  const settings = checkOptions(ellipticalOptions, options, 'ellipticalSlice');
  const { mean, deviation } = settings;
  const logQuotient = ({ x, value }: Position) =>
    value + x.reduce((sum, entry) => sum + square((entry - mean) / deviation), 0) / 2;
  return Object.freeze<Sampler>({
    name: 'ellipticalSlice',
    options: Object.freeze(settings),
    begin: ({ density }) => ({
      transition(from, random) {
        const other = from.x.map(() => deviation * random.normal());
        const level = logQuotient(from) + log(1 - random.uniform());
        let angle = 2 * Math.PI * random.uniform();
        let [lower, upper] = [angle - 2 * Math.PI, angle];
        let position = from;
        let evaluations = 0;
        for (;;) {
          const [c, s] = [cos(angle), sin(angle)];
          const x = from.x.map((entry, i) => mean + (entry - mean) * c + other[i]! * s);
          const point = { x, ...density(x) };
          evaluations++;
          if (logQuotient(point) > level) {
            position = point;
            break;
          }
          if (angle < 0) lower = angle;
          else upper = angle;
          angle = lower + (upper - lower) * random.uniform();
          // A bracket that rounding has closed: the point stays where it is.
          if (angle === 0) break;
        }
        const energy = -position.value;
        return {
          position,
          statistics: { acceptance: 1, depth: 0, evaluations, divergent: 0, energy, stepSize: Number.NaN },
        };
      },
      memory: () => ({}),
    }),
  });
}

export interface SliceSamplerOptions extends OptionsIn<typeof sliceOptions> {}

const sliceOptions = v.strictObject({
  /** Width of the initial interval for each variable; default 1. The warm-up adapts one for each variable. */
  width: v.optional(numberAboveZero, 1),
});

/** Maximum growth of an interval, in widths. */
const MOST_WIDTHS = 50;

/**
 * Slice sampling, one variable after the other, by stepping out and shrinking: for a few hyperparameters, without gradients or tuned steps.
 *
 * @param options - see {@link SliceSamplerOptions}
 * @throws InvalidInputError for an unknown option or a width that is not above 0
 * @see Neal, Slice Sampling, Annals of Statistics 31 (2003), figures 3 and 5
 * @example
 * ```ts
 * await samplePosterior(model, { method: slice(), hold: ['latents'], warmup: 20, draws: 20, priors: 'weak' });
 * ```
 */
export function slice(options: SliceSamplerOptions = {}): Sampler {
  const settings = checkOptions(sliceOptions, options, 'slice');
  return Object.freeze<Sampler>({
    name: 'slice',
    options: Object.freeze(settings),
    begin({ density, position, warmup, memory }) {
      const n = position.x.length;
      const widths = (memory?.widths as Float64Array | undefined)?.slice() ?? new Float64Array(n).fill(settings.width);
      return {
        transition(from, random, iteration) {
          let current: Position = from;
          let evaluations = 0;
          for (let i = 0; i < n; i++) {
            const at = (entry: number): Position => {
              const x = current.x.with(i, entry);
              evaluations++;
              return { x, ...density(x) };
            };
            // log u, u uniform below the density.
            const level = current.value + log(1 - random.uniform());
            const center = current.x[i]!;
            let lower = center - widths[i]! * random.uniform();
            let upper = lower + widths[i]!;
            const below = random.integer(MOST_WIDTHS);
            for (let k = 0; k < below && at(lower).value > level; k++) lower -= widths[i]!;
            for (let k = 0; k < MOST_WIDTHS - 1 - below && at(upper).value > level; k++) upper += widths[i]!;
            const length = upper - lower;
            for (;;) {
              const entry = lower + (upper - lower) * random.uniform();
              // An interval that rounding has closed: the variable stays where it is.
              if (entry === center) break;
              const point = at(entry);
              if (point.value > level) {
                current = point;
                break;
              }
              if (entry < center) lower = entry;
              else upper = entry;
            }
            // The mean length of the intervals so far.
            if (iteration < warmup) widths[i] = widths[i]! + (length - widths[i]!) / (iteration + 2);
          }
          const energy = -current.value;
          return {
            position: current,
            statistics: { acceptance: 1, depth: 0, evaluations, divergent: 0, energy, stepSize: Number.NaN },
          };
        },
        memory: () => ({ widths: widths.slice() }),
      };
    },
  });
}
