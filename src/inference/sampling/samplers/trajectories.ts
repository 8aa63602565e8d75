import * as v from 'valibot';
import { exp } from '../../../core/elementary/index.ts';
import { checkOptions, integerFromOne, type OptionsIn } from '../../../core/options.ts';
import type { Random } from '../../../core/random.ts';
import {
  type Dynamics,
  energyOf,
  hamiltonianOptions,
  hamiltonianRun,
  logAddExp,
  type PhasePoint,
  thrown,
} from './hamiltonian.ts';
import type { Position, Sampler, Transition } from './sampler.ts';

export interface HmcOptions extends OptionsIn<typeof hmcOptions> {}

const hmcOptions = v.strictObject({
  ...hamiltonianOptions,
  /** Maximum number of leapfrog steps per trajectory; the number is drawn uniformly from 1 to this; default 16. */
  steps: v.optional(integerFromOne, 16),
});

/**
 * Hamiltonian Monte Carlo: trajectories with a random number of leapfrog steps, so that they do not resonate with a period of the dynamics, accepted
 * by the Metropolis rule. The warm-up is that used by `nuts`, which does not need a number of steps.
 *
 * @param options - see {@link HmcOptions}
 * @throws InvalidInputError for an unknown option or a value out of range
 * @see Neal, MCMC Using Hamiltonian Dynamics, Handbook of Markov Chain Monte Carlo (2011), §3.2
 * @example
 * ```ts
 * await samplePosterior(model, { method: hmc({ steps: 20 }), warmup: 20, draws: 20, priors: 'weak' });
 * ```
 */
export function hmc(options: HmcOptions = {}): Sampler {
  const settings = checkOptions(hmcOptions, options, 'hmc');
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

export interface NutsOptions extends OptionsIn<typeof nutsOptions> {}

const nutsOptions = v.strictObject({
  ...hamiltonianOptions,
  /** Maximum number of doublings of a trajectory; default 10. */
  maxDepth: v.optional(integerFromOne, 10),
});

/** Increase in energy above which a trajectory counts as divergent. */
const DIVERGENT = 1000;

/**
 * No-U-Turn sampler: trajectories of Hamiltonian dynamics double until they turn back, and a point of the trajectory is drawn by its density
 * (multinomial, with biased progressive sampling), with the generalized criterion on whole trajectories and across their halves. The warm-up follows Stan.
 *
 * @param options - see {@link NutsOptions}
 * @throws InvalidInputError for an unknown option or a value out of range
 * @see Hoffman & Gelman, JMLR 15 (2014); Betancourt, A Conceptual Introduction to Hamiltonian Monte Carlo (2017), appendix A
 * @example
 * ```ts
 * await samplePosterior(model, { method: nuts({ metric: 'dense', targetAcceptance: 0.95 }), warmup: 20, draws: 20, priors: 'weak' });
 * ```
 */
export function nuts(options: NutsOptions = {}): Sampler {
  const settings = checkOptions(nutsOptions, options, 'nuts');
  return Object.freeze<Sampler>({
    name: 'nuts',
    options: Object.freeze(settings),
    begin: (start) =>
      hamiltonianRun(start, settings, (from, of, random) => trajectory(from, of, random, settings.maxDepth)),
  });
}

/** Part of a trajectory, in the order of construction. */
interface Subtree {
  readonly begin: PhasePoint;
  readonly end: PhasePoint;
  /** Σp over the points of the subtree. */
  readonly momenta: Float64Array;
  /** Point of the subtree, drawn by weight. */
  readonly proposal: PhasePoint;
  /** log Σ exp(H₀ − H) over the points of the subtree. */
  readonly logWeight: number;
}

function trajectory(from: Position, of: Dynamics, random: Random, maxDepth: number): Transition {
  const start = thrown(from, of.metric, random);
  const initialEnergy = energyOf(start);
  let evaluations = 0;
  let acceptance = 0;
  let divergent = 0;

  const build = (after: PhasePoint, direction: 1 | -1, height: number): Subtree | undefined => {
    if (height === 0) {
      const point = of.leap(after, direction);
      const change = energyOf(point) - initialEnergy;
      evaluations++;
      acceptance += change > 0 ? exp(-change) : 1;
      if (change > DIVERGENT) {
        divergent = 1;
        return undefined;
      }
      return { begin: point, end: point, momenta: point.p, proposal: point, logWeight: -change };
    }
    const first = build(after, direction, height - 1);
    const second = first && build(first.end, direction, height - 1);
    if (first === undefined || second === undefined) return undefined;
    const logWeight = logAddExp(first.logWeight, second.logWeight);
    const proposal = random.uniform() < exp(second.logWeight - logWeight) ? second.proposal : first.proposal;
    if (turnsBack(first, second)) return undefined;
    return { begin: first.begin, end: second.end, momenta: sum(first.momenta, second.momenta), proposal, logWeight };
  };

  let whole: Subtree = { begin: start, end: start, momenta: start.p, proposal: start, logWeight: 0 };
  let height = 0;
  while (height < maxDepth) {
    const direction = random.uniform() > 0.5 ? 1 : -1;
    const subtree = build(direction === 1 ? whole.end : whole.begin, direction, height);
    if (subtree === undefined) break;
    height++;
    // Biased progressive sampling: the new half is taken with probability min(1, its weight over the old half's).
    const isTaken = random.uniform() < exp(Math.min(0, subtree.logWeight - whole.logWeight));
    const proposal = isTaken ? subtree.proposal : whole.proposal;
    const logWeight = logAddExp(whole.logWeight, subtree.logWeight);
    const added = direction === 1 ? subtree : { ...subtree, begin: subtree.end, end: subtree.begin };
    const [left, right] = direction === 1 ? [whole, added] : [added, whole];
    const isOver = turnsBack(left, right);
    whole = { begin: left.begin, end: right.end, momenta: sum(left.momenta, right.momenta), proposal, logWeight };
    if (isOver) break;
  }
  const { proposal } = whole;
  return {
    position: { x: proposal.x, value: proposal.value, gradient: proposal.gradient },
    statistics: {
      acceptance: evaluations === 0 ? 0 : acceptance / evaluations,
      depth: height,
      evaluations,
      divergent,
      energy: energyOf(proposal),
      stepSize: of.step,
    },
  };
}

/**
 * True if a trajectory of two halves turns back, as a whole or at the seam of its halves: the sum of its momenta, ρ, and the velocity at either end
 * no longer point in the same direction.
 */
function turnsBack(first: Subtree, second: Subtree): boolean {
  return (
    isTurning(first.momenta, second.momenta, first.begin, second.end) ||
    isTurning(first.momenta, second.begin.p, first.begin, second.begin) ||
    isTurning(second.momenta, first.end.p, first.end, second.end)
  );
}

/** Criterion for ρ as a sum of two vectors. */
function isTurning(first: Float64Array, second: Float64Array, a: PhasePoint, b: PhasePoint): boolean {
  let atA = 0;
  let atB = 0;
  for (let i = 0; i < first.length; i++) {
    const momentum = first[i]! + second[i]!;
    atA += momentum * a.velocity[i]!;
    atB += momentum * b.velocity[i]!;
  }
  return !(atA > 0 && atB > 0);
}

function sum(a: Float64Array, b: Float64Array): Float64Array {
  const result = new Float64Array(a.length);
  for (let i = 0; i < a.length; i++) result[i] = a[i]! + b[i]!;
  return result;
}
