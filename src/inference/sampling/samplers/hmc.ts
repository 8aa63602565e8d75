import * as v from 'valibot';
import { exp } from '../../../core/elementary/index.ts';
import { checkOptions, integerFromOne } from '../../../core/options.ts';
import { energyOf, type HamiltonianOptions, hamiltonianOptions, hamiltonianRun, thrown } from './hamiltonian.ts';
import type { Sampler } from './sampler.ts';

export interface HmcOptions extends HamiltonianOptions {
  /** Most leapfrog steps of a trajectory, whose number is drawn from 1 to this; 16 unless given. */
  readonly steps?: number | undefined;
}

const schema = v.strictObject({
  ...hamiltonianOptions,
  steps: v.optional(integerFromOne, 16),
});

/** A trajectory whose energy has risen by more than this has left the true one. */
const DIVERGENT = 1000;

/**
 * Hamiltonian Monte Carlo: trajectories of a number of leapfrog steps that is drawn anew each time, so that no period of the dynamics fits them, accepted by
 * Metropolis' rule. Warm-up as that of `nuts`, which needs no number of steps.
 *
 * @param options - see {@link HmcOptions}
 * @throws InvalidInputError for an unknown option or a value out of its range
 * @see Neal, MCMC Using Hamiltonian Dynamics, Handbook of Markov Chain Monte Carlo (2011), §3.2
 * @example
 * ```ts
 * await draw(model, { method: hmc({ steps: 20 }), warmup: 20, draws: 20, priors: 'weak' });
 * ```
 */
export function hmc(options: HmcOptions = {}): Sampler {
  const settings = checkOptions(schema, options, 'hmc');
  return Object.freeze<Sampler>({
    name: 'hmc',
    options: Object.freeze(settings),
    begin: (start) =>
      hamiltonianRun(start, settings, (from, of, random) => {
        const first = thrown(from, of.metric, random);
        const before = energyOf(first);
        let last = first;
        let evaluations = 0;
        let divergent = 0;
        for (let left = 1 + random.integer(settings.steps); left > 0; left--) {
          last = of.leap(last, 1);
          evaluations++;
          divergent = energyOf(last) - before > DIVERGENT ? 1 : 0;
          if (divergent) break;
        }
        const acceptance = exp(Math.min(0, before - energyOf(last)));
        const kept = random.uniform() < acceptance ? last : first;
        return {
          position: { x: kept.x, value: kept.value, gradient: kept.gradient },
          statistics: { acceptance, depth: 0, evaluations, divergent, energy: energyOf(kept), stepSize: of.step },
        };
      }),
  });
}
