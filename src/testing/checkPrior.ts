import { InvalidInputError, LatentFieldError } from '../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../core/matrix.ts';
import { isPart, namedOptions } from '../core/options.ts';
import { matrixTensor } from '../engine/tensors/doubles.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../engine/tensors/gradients.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { KernelCatalog } from '../kernels/json.ts';
import type { TensorMap } from '../model/model.ts';
import { valueTensors } from '../model/part.ts';
import { builtInPriors } from '../models/priorCatalog.ts';
import type { Prior } from '../priors/definePrior.ts';
import { type PriorCatalog, priorFromJSON } from '../priors/json.ts';
import { priorToJSON } from '../priors/priorToJson.ts';
import { densityRequirements } from './checkDensity.ts';
import { type DifferenceOptions, gradientAgreement } from './checkGradient.ts';
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
 * Checks the requirements on every prior, built-in or custom: its log density is a finite number and deterministic; gradients in latents and free
 * parameters are right, and finite for coincident latents; `pointLogDensity`, `sample` and `expected` describe the same distribution; JSON restores
 * it; no tensors leak.
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
  if (!isPart(prior, 'prior', ['prepare', 'logDensity'])) {
    throw new InvalidInputError(`checkPrior takes a prior, but ${describe(prior)} was given.`);
  }
  const { seed = 1, priors = {}, kernels = {} } = options;
  const X = options.latents === undefined ? randomPoints(8, 2, seed) : Matrix.from(options.latents, 'latents');
  const Y =
    options.observations === undefined
      ? randomPoints(X.rows, 5, seed + 1)
      : Matrix.from(options.observations, 'observations');
  const entries = Object.entries(prior.parameters);
  const held = Object.fromEntries(
    entries.filter(([, { free }]) => !free).map(([name, { initial }]) => [name, initial]),
  );
  const free = Object.fromEntries(
    entries.filter((entry) => entry[1].free).map(([name, { initial }]) => [name, initial]),
  );
  const densityOf = (part: Prior) => {
    const constants = part.prepare(Y);
    return ({ latents, ...t }: TensorMap): Scalar =>
      part.logDensity({ ...valueTensors(held), ...t }, latents as Tensor2D, {
        observations: matrixTensor(Y),
        constants,
      });
  };
  const value = (part: Prior): number =>
    withFloat64(() => op.valueOf(densityOf(part)(valueTensors({ ...free, latents: X }))));

  const requirements: Requirement[] = [
    [
      'a finite scalar',
      () => {
        const density = withFloat64(() => {
          const result = densityOf(prior)(valueTensors({ ...free, latents: X }));
          if (result.rank !== 0) throw new LatentFieldError(`its shape is [${result.shape}]; sum it to a scalar`);
          return op.valueOf(result);
        });
        finite([density], 'the log density');
        return String(density);
      },
    ],
    ['the same every time', () => agreement([value(prior)], [value(prior)], 0)],
    ['gradients', () => gradientAgreement(densityOf(prior), { ...free, latents: X }, options)],
    [
      'coincident latents',
      () => {
        const gradients = withFloat64(() => {
          const t = valueTensors({ ...free, latents: withCoincident(X) });
          return valueAndGradients(() => densityOf(prior)(t), Object.values(t)).gradients;
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
        return agreement([value(again)], [value(prior)], 0);
      },
    ],
  ];
  return conformance(`Prior '${prior.name}'`, options, [...requirements, ...agreements(prior, X, Y, seed)]);
}

/** Names of the checks of its other members: points, draws, expectations. */
const SAID = ['rows', 'normalized', 'draws', 'expectations'];

/** Checks that all members of a prior describe the same distribution. */
function agreements({ density }: Prior, X: Matrix, Y: Matrix, seed: number): Requirement[] {
  const rows = { value: X, given: [] };
  const observationsOf = (count: number) =>
    count === Y.rows ? Y : new Matrix(Y.data.slice(0, count * Y.columns), count, Y.columns);
  const at = densityAt(density, rows, {}, seed, observationsOf);
  return densityRequirements(at, rows, { seed, support: 'real' }).filter(([name]) => SAID.includes(name));
}
