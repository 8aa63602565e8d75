import * as v from 'valibot';
import { cos, log, sin, square } from '../../../core/elementary/index.ts';
import { checkOptions } from '../../../core/options.ts';
import type { Position, Sampler } from './sampler.ts';

export interface EllipticalSliceOptions {
  /** Mean of the normal distribution, one of all variables; 0 unless given. */
  readonly mean?: number | undefined;
  /** Its standard deviation; 1 unless given. */
  readonly deviation?: number | undefined;
}

const schema = v.strictObject({
  mean: v.optional(v.pipe(v.number('a finite number'), v.finite('a finite number')), 0),
  deviation: v.optional(
    v.pipe(
      v.number('a number above 0'),
      v.check((value) => value > 0 && value < Infinity, 'a number above 0'),
    ),
    1,
  ),
});

/**
 * Elliptical slice sampling: all variables together along an ellipse through a draw from their normal prior N(mean, deviation²), without gradients or steps to
 * be tuned. It is exact for any density, whose quotient with that normal takes the place of the likelihood, and efficient where the normal is its prior
 * and the likelihood is weak: latents under `standardNormal`, say.
 *
 * @param options - see {@link EllipticalSliceOptions}
 * @throws InvalidInputError for an unknown option or a value out of its range
 * @see Murray, Adams & MacKay, Elliptical slice sampling, AISTATS 2010, figure 2; Nishihara, Murray & Adams, JMLR 15 (2014)
 * @example
 * ```ts
 * await draw(model, { method: ellipticalSlice(), warmup: 20, draws: 20, priors: 'weak' });
 * ```
 */
export function ellipticalSlice(options: EllipticalSliceOptions = {}): Sampler {
  const settings = checkOptions(schema, options, 'ellipticalSlice');
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
