import * as v from 'valibot';
import { log } from '../../../core/elementary/index.ts';
import { checkOptions } from '../../../core/options.ts';
import type { Position, Sampler } from './sampler.ts';

export interface SliceSamplerOptions {
  /** Width of the first interval about a variable; 1 unless given. The warm-up learns one for each variable. */
  readonly width?: number | undefined;
}

const schema = v.strictObject({
  width: v.optional(
    v.pipe(
      v.number('a number above 0'),
      v.check((value) => value > 0 && value < Infinity, 'a number above 0'),
    ),
    1,
  ),
});

/** Most widths by which an interval grows. */
const MOST_WIDTHS = 50;

/**
 * Slice sampling, one variable after the other, by stepping out and shrinking: for a few hyperparameters, without gradients or steps to be tuned.
 *
 * @param options - see {@link SliceSamplerOptions}
 * @throws InvalidInputError for an unknown option or a width that is not above 0
 * @see Neal, Slice Sampling, Annals of Statistics 31 (2003), figures 3 and 5
 * @example
 * ```ts
 * await draw(model, { method: slice(), hold: ['latents'], warmup: 20, draws: 20, priors: 'weak' });
 * ```
 */
export function slice(options: SliceSamplerOptions = {}): Sampler {
  const settings = checkOptions(schema, options, 'slice');
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
