import { InvalidInputError, LatentFieldError } from '../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../core/matrix.ts';
import { isPart, namedOptions } from '../core/options.ts';
import { valueAndGradients } from '../engine/tensors/gradients.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar } from '../engine/tensors/tensorflow.ts';
import type { KernelCatalog } from '../kernels/json.ts';
import { builtInPriors } from '../models/priorCatalog.ts';
import type { Prior } from '../priors/definePrior.ts';
import { type PriorCatalog, priorFromJSON } from '../priors/json.ts';
import { priorToJSON } from '../priors/priorToJson.ts';
import { densityRequirements } from './checkDensity.ts';
import type { DifferenceOptions } from './checkGradient.ts';
import { densityAt } from './quadrature.ts';
import {
  agreement,
  type CheckOptions,
  type ConformanceReport,
  conformance,
  finite,
  type Requirement,
  randomPoints,
  withCoincident,
} from './report.ts';

export interface PriorCheckOptions extends CheckOptions, DifferenceOptions {
  /** N×q latents; default 8×2 standard normal ones. */
  readonly latents?: MatrixLike;
  /** N×D observations of its context; default N×5 standard normal ones. */
  readonly observations?: MatrixLike;
  /** Factories of custom priors by name, for the JSON round trip. */
  readonly priors?: PriorCatalog;
  /** Factories of custom kernels, for priors that contain one. */
  readonly kernels?: KernelCatalog;
}

/**
 * Checks the requirements on every prior, built-in or custom: its log density is finite and deterministic; gradients in latents and free
 * parameters are right, and finite for coincident latents; `sample`, `expected` and its rows describe the same distribution; JSON restores it; no tensors leak.
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
  namedOptions(options, 'checkPrior', [
    'throws',
    'seed',
    'tolerance',
    'entries',
    'latents',
    'observations',
    'priors',
    'kernels',
  ]);
  if (!isPart(prior, 'density', ['logDensity'])) {
    throw new InvalidInputError(`checkPrior takes a prior, but ${describe(prior)} was given.`);
  }
  const { seed = 1, priors = {}, kernels = {} } = options;
  const X = options.latents === undefined ? randomPoints(8, 2, seed) : Matrix.from(options.latents, 'latents');
  const Y =
    options.observations === undefined
      ? randomPoints(X.rows, 5, seed + 1)
      : Matrix.from(options.observations, 'observations');
  const observationsOf = (count: number) =>
    count === Y.rows ? Y : new Matrix(Y.data.slice(0, count * Y.columns), count, Y.columns);
  const rows = { value: X, given: [] };
  const at = (part: Prior) => densityAt(part, rows, {}, seed, observationsOf);
  const ofDensity = densityRequirements(at(prior), rows, { ...options, seed, support: 'real' });
  const requirements: Requirement[] = [
    ...ofDensity.filter(([name]) => OF_DENSITY.includes(name)),
    [
      'coincident latents',
      () => {
        const meeting = { value: withCoincident(X), given: [] };
        const gradients = at(prior).with(meeting, ({ p, rows, context }) => {
          const free = Object.keys(prior.parameters).filter((name) => prior.parameters[name]!.free);
          const moved = [rows.value, ...free.map((name) => p[name]!)];
          return valueAndGradients(() => op.sum<Scalar>(prior.logDensity(p, rows, context)), moved).gradients;
        });
        for (const gradient of gradients) finite(gradient ?? [], 'a gradient');
        return 'gradients are finite';
      },
    ],
    [
      'JSON round trip',
      () => {
        const text = JSON.stringify(priorToJSON(prior));
        const again = priorFromJSON(JSON.parse(text), { ...builtInPriors, ...priors }, kernels);
        const textAgain = JSON.stringify(priorToJSON(again));
        if (textAgain !== text) throw new LatentFieldError(`the JSON comes back as ${textAgain}, and was ${text}`);
        return agreement(at(again).log(rows), at(prior).log(rows), 0);
      },
    ],
  ];
  return conformance(`Prior '${prior.name}'`, options, requirements);
}

/** Checks of densities that priors pass too. */
const OF_DENSITY = [
  ...['a finite log density', 'the same every time', 'gradients', 'rows', 'normalized', 'draws', 'expectations'],
];
