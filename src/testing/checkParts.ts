import * as v from 'valibot';
import { InvalidInputError, LatentFieldError } from '../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkGiven, isPart, namedOptions, type OptionsIn, typed } from '../core/options.ts';
import { seededRandom } from '../core/random.ts';
import * as op from '../engine/tensors/ops.ts';
import type { KernelCatalog } from '../kernels/json.ts';
import { isLikelihood, type Likelihood } from '../model/entrywise/likelihood.ts';
import type { Density, Prior } from '../model/language/density.ts';
import { bounded, isParameter, type Parameter, positive, real } from '../model/parameter.ts';
import { type LikelihoodCatalog, likelihoodFromJSON } from '../model/parameterJson.ts';
import { isParameterPrior, type OfParameter, type ParameterPrior } from '../model/parameterPrior.ts';
import { builtInPriors } from '../models/priorCatalog.ts';
import { type PriorCatalog, priorFromJSON } from '../priors/json.ts';
import { priorToJSON } from '../priors/priorToJson.ts';
import { densityRequirements } from './checkDensity.ts';
import { differenceEntries } from './checkGradient.ts';
import { densityAt, type PlainRows, randomEntry, type Support, supportBy } from './quadrature.ts';
import {
  agreement,
  type CheckOptions,
  type ConformanceReport,
  checkEntries,
  conformance,
  type Requirement,
  randomPoints,
} from './report.ts';

const LIKELIHOOD_OPTIONS = {
  ...checkEntries,
  ...differenceEntries,
  /** n×D values of the functions, or as many such blocks as it has functions; default 5×2 standard normal ones. */
  functions: v.optional(typed<MatrixLike>()),
  /** Support of an observation: 'real', 'counts' from 0, an interval, or a list of all values; default what the likelihood accepts. */
  support: v.optional(typed<Support>()),
  /** Factories of custom likelihoods by name, for the JSON round trip. */
  likelihoods: v.optional(typed<LikelihoodCatalog>()),
};

export interface LikelihoodCheckOptions extends OptionsIn<typeof LIKELIHOOD_OPTIONS> {}

/** A part that comes back from JSON as what it was. */
function roundTrip<T>(
  part: T,
  toJSON: (part: T) => unknown,
  fromJSON: (json: unknown) => T,
  log: (part: T) => Float64Array,
): Requirement {
  const work = () => {
    const text = JSON.stringify(toJSON(part));
    const again = fromJSON(JSON.parse(text));
    const textAgain = JSON.stringify(toJSON(again));
    if (textAgain !== text) throw new LatentFieldError(`the JSON comes back as ${textAgain}, and was ${text}`);
    return agreement(log(again), log(part), 0);
  };
  return ['JSON round trip', work];
}

/**
 * Checks a likelihood, built-in or custom: {@link checkDensity} at given functions, which compares its total probability, gradients, moments, draws and expectations under uncertain
 * functions; and JSON restores it.
 *
 * @param likelihood - at the parameter values to be checked; parameters that are lists have one entry per column
 * @param options - `functions` (as many columns as its lists have entries), `support` 'real', 'counts', an interval or a list, `likelihoods`
 *   with custom factories, `tolerance` of gradients (1e-7), `seed` (1), `throws`
 * @returns a report with every check
 * @throws ConformanceError if one fails, listing all failures, unless `throws` is false
 * @example
 * ```ts
 * import { gaussian } from 'latentfield';
 * import { checkLikelihood } from 'latentfield/testing';
 *
 * checkLikelihood(gaussian({ variance: 0.5 }));
 * ```
 */
export function checkLikelihood(likelihood: Likelihood, options: LikelihoodCheckOptions = {}): ConformanceReport {
  namedOptions(options, 'checkLikelihood', LIKELIHOOD_OPTIONS);
  if (!isLikelihood(likelihood)) {
    const factory = typeof likelihood === 'function' ? ' Call the factory: gaussian(), not gaussian.' : '';
    throw new InvalidInputError(`checkLikelihood takes a likelihood, but ${describe(likelihood)} was given.${factory}`);
  }
  const { name, support: own, functions, takesRows } = likelihood;
  if (takesRows || own?.refuses(0, 0) !== own?.refuses(0, 1)) {
    throw new InvalidInputError(
      `checkLikelihood takes likelihoods that are densities entry by entry, but '${name}' reads the whole row of an observation. Check it without that option, such as offset, or a model that it is part of with checkModel.`,
    );
  }
  const { seed = 1, support = own === undefined ? 'real' : supportBy(own), likelihoods = {} } = options;
  const F =
    options.functions === undefined
      ? randomPoints(5, 2 * functions, seed)
      : Matrix.from(options.functions, 'functions');
  const random = seededRandom(seed + 1);
  const columns = F.columns / functions;
  const entries = Float64Array.from({ length: F.rows * columns }, () => randomEntry(support, random));
  const rows = { value: new Matrix(entries, F.rows, columns), given: [F] };
  const at = (part: Likelihood) => densityAt(part, rows, {}, seed);
  return conformance(`Likelihood '${name}'`, options, [
    ...densityRequirements(at(likelihood), rows, { ...options, seed, support, isGiven: true }),
    roundTrip(
      likelihood,
      (part) => part.toJSON(),
      (json) => likelihoodFromJSON(json, likelihoods),
      (part) => at(part).log(rows),
    ),
  ]);
}

const PRIOR_OPTIONS = {
  ...checkEntries,
  ...differenceEntries,
  /** N×q latents; default 8×2 standard normal ones. */
  latents: v.optional(typed<MatrixLike>()),
  /** N×D observations of its context; default N×5 standard normal ones. */
  observations: v.optional(typed<MatrixLike>()),
  /** Factories of custom priors by name, for the JSON round trip. */
  priors: v.optional(typed<PriorCatalog>()),
  /** Factories of custom kernels, for priors that contain one. */
  kernels: v.optional(typed<KernelCatalog>()),
};

export interface PriorCheckOptions extends OptionsIn<typeof PRIOR_OPTIONS> {}

/**
 * Checks a prior on latents, built-in or custom: {@link checkDensity} at latents and the observations of their points, with gradients that are finite for coincident latents; and JSON
 * restores it.
 *
 * @param prior - at the parameter values to be checked
 * @param options - `latents` and `observations` (priors on a graph or on labels need as many rows as these have), `priors` with custom factories,
 *   `tolerance` of gradients (1e-7), `entries` moved of each value (30), `seed` (1), `throws`
 * @returns a report with every check
 * @throws ConformanceError if one fails, listing all failures, unless `throws` is false
 * @example
 * ```ts
 * import { checkPrior } from 'latentfield/testing';
 *
 * checkPrior(heavyTails({ strength: 2 }), { priors: { heavyTails } });
 * ```
 */
export function checkPrior(prior: Prior, options: PriorCheckOptions = {}): ConformanceReport {
  namedOptions(options, 'checkPrior', PRIOR_OPTIONS);
  checkGiven(prior, 'checkPrior', 'a prior', (given) => isPart(given, 'density', ['logDensity']));
  const { seed = 1, priors = {}, kernels = {} } = options;
  const X = options.latents === undefined ? randomPoints(8, 2, seed) : Matrix.from(options.latents, 'latents');
  const Y =
    options.observations === undefined
      ? randomPoints(X.rows, 5, seed + 1)
      : Matrix.from(options.observations, 'observations');
  const observationsOf = (count: number) =>
    count <= Y.rows
      ? new Matrix(Y.data.slice(0, count * Y.columns), count, Y.columns)
      : randomPoints(count, Y.columns, seed + 1);
  const rows: PlainRows = { value: X, given: [] };
  const at = (part: Density) => densityAt(part, rows, {}, seed, observationsOf);
  return conformance(`Prior '${prior.name}'`, options, [
    ...densityRequirements(at(prior), rows, { ...options, seed, support: 'real', isLatent: true }),
    roundTrip<Prior>(
      prior,
      priorToJSON,
      (json) => priorFromJSON(json, { ...builtInPriors, ...priors }, kernels),
      (part) => at(part).log(rows),
    ),
  ]);
}

/**
 * Checks a prior on a parameter: {@link checkDensity} at numbers of its support, with all of its values free.
 *
 * @param prior - such as `gamma({ shape: 2, rate: 1 })`
 * @param options - `throws`
 * @returns a report with every check
 * @throws ConformanceError if one fails, listing all failures, unless `throws` is false
 * @example
 * ```ts
 * import { checkDistribution } from 'latentfield/testing';
 *
 * checkDistribution(gamma({ shape: 2, rate: 1 }));
 * ```
 */
export function checkDistribution(prior: ParameterPrior, options: CheckOptions = {}): ConformanceReport {
  namedOptions(options, 'checkDistribution', checkEntries);
  if (!isParameterPrior(prior)) {
    throw new InvalidInputError(
      `checkDistribution takes the distribution of a parameter, such as gamma({ shape: 2, rate: 1 }), but ${describe(prior)} was given.`,
    );
  }
  const { values, ranges, support: ends, logDensity } = prior.ofParameter;
  const parameters = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, parameterOf(value, ranges[key]!)]),
  );
  const [above, below] = ends;
  const support: Support = {
    ...(above > -Infinity && { above }),
    ...(below < Infinity && { below }),
  };
  const { seed = 1 } = options;
  const random = seededRandom(seed);
  const entry = () => randomEntry(above === -Infinity && below === Infinity ? 'real' : support, random);
  const rows: PlainRows = { value: new Matrix(Float64Array.from({ length: 6 }, entry), 6, 1), given: [] };
  const density: Density = { ...prior, parameters, logDensity: (p, { value }) => op.sum(logDensity(p, value), 1) };
  const settings = { seed, support: above === -Infinity && below === Infinity ? ('real' as const) : support };
  return conformance(
    `Distribution '${prior.name}'`,
    options,
    densityRequirements(densityAt(density, rows, {}, seed), rows, settings).filter(
      ([name]) => name !== 'missing entries',
    ),
  );
}

/** A free parameter at a value of a prior; where this is a path, between its ends. */
function parameterOf(value: OfParameter['values'][string], [above, below]: OfParameter['ranges'][string]): Parameter {
  if (isParameter(value)) return value;
  const isBelow = Number.isFinite(below);
  const start =
    typeof value === 'number' ? value : above === 0 ? (isBelow ? below / 2 : 1) : isBelow ? (above + below) / 2 : 0.3;
  if (Number.isFinite(above) && isBelow) return bounded(above, below, start);
  return above === 0 ? positive(start) : real(start);
}
