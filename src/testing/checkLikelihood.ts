import { exp, square } from '../core/elementary/index.ts';
import { InvalidInputError, LatentFieldError } from '../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../core/matrix.ts';
import { namedOptions } from '../core/options.ts';
import { seededRandom } from '../core/random.ts';
import { doublesOf, matrixTensor } from '../engine/tensors/doubles.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import { valueTensors } from '../model/part.ts';
import { type LikelihoodCatalog, likelihoodFromJSON } from '../processes/likelihoods/json.ts';
import { isLikelihood, type Likelihood } from '../processes/likelihoods/likelihood.ts';
import { located, within } from './checkDensity.ts';
import { type DifferenceOptions, gradientAgreement } from './checkGradient.ts';
import { type DiscreteOrReal, normalNodes, type SupportNode, supportByRefusals, supportNodes } from './quadrature.ts';
import {
  agreement,
  type CheckOptions,
  type ConformanceReport,
  conformance,
  finite,
  type Requirement,
  randomPoints,
  skip,
} from './report.ts';
import { movedValues } from './totalProbability.ts';

export interface LikelihoodCheckOptions extends CheckOptions, DifferenceOptions {
  /** n×D values of the functions; default 5×2 standard normal ones. */
  readonly functions?: MatrixLike;
  /** Support of an observation: 'real', 'counts' from 0, or a list of all values; default the first of these that the likelihood's `refuses` accepts. */
  readonly support?: 'real' | 'counts' | readonly number[];
  /** Factories of custom likelihoods by name, for the JSON round trip. */
  readonly likelihoods?: LikelihoodCatalog;
}

/** Error of quadrature for total probabilities, and for moments relative to the largest. */
const QUADRATURE = 1e-7;

/**
 * Checks the requirements on every likelihood, built-in or custom: its density integrates to 1 over the observations, entry by entry; gradients in
 * the functions and the free parameters are right; moments, if it has any, are those of its density averaged over a normal function; JSON restores
 * it; no tensors leak.
 *
 * @param likelihood - at the parameter values to be checked; parameters that are lists have one entry per column
 * @param options - `functions` (as many columns as its lists have entries), `support` 'real', 'counts' or a list (by its `refuses`), `likelihoods`
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
  namedOptions(options, 'checkLikelihood', [
    'throws',
    'seed',
    'tolerance',
    'entries',
    'functions',
    'support',
    'likelihoods',
  ]);
  if (!isLikelihood(likelihood)) {
    const factory = typeof likelihood === 'function' ? ' Call the factory: gaussian(), not gaussian.' : '';
    throw new InvalidInputError(`checkLikelihood takes a likelihood, but ${describe(likelihood)} was given.${factory}`);
  }
  if (likelihood.functions > 1) {
    throw new InvalidInputError(
      `checkLikelihood takes likelihoods of one function, but '${likelihood.name}' has ${likelihood.functions}. Use checkDensity, which takes any.`,
    );
  }
  const { seed = 1, support = supportOf(likelihood), likelihoods = {} } = options;
  const F = options.functions === undefined ? randomPoints(5, 2, seed) : Matrix.from(options.functions, 'functions');
  const parameters = Object.entries(likelihood.parameters);
  const initial = (wanted: boolean) =>
    Object.fromEntries(parameters.filter(([, p]) => p.free === wanted).map(([path, p]) => [path, p.initial]));
  const [free, held] = [initial(true), initial(false)];
  const movedFree = { ...free, ...movedValues(likelihood.parameters, { ...held, ...free }) };
  const tensors = (t: TensorMap) => ({ ...valueTensors(held), ...t });
  const [n, D] = [F.rows, F.columns];

  const at = (f: number, value: number) => (support === 'real' ? f + value : value);
  /** log p(y|f) of every entry of f and the observation at a node. */
  const densitiesAt =
    (values: ParameterValues): Densities =>
    (part, f, value) =>
      withFloat64(() => {
        const Y = new Matrix(
          f.data.map((entry) => at(entry, value)),
          f.rows,
          D,
        );
        const result = part.logDensity(tensors(valueTensors(values)), matrixTensor(f), matrixTensor(Y));
        if (String(result.shape) === String([f.rows, D])) return doublesOf(result);
        throw new LatentFieldError(
          `log densities of shape [${f.rows},${D}] were expected, one an entry, but they are [${result.shape}]`,
        );
      });
  const densities = densitiesAt(free);
  const nodes = supportNodes(support);
  const typical = support === 'real' ? [-1.3, 0.2, 0.9] : nodes.slice(0, 4).map(({ value }) => value);
  const observed = new Matrix(
    F.data.map((f, i) => at(f, typical[i % typical.length]!)),
    n,
    D,
  );

  const requirements: Requirement[] = [
    [
      'a finite log density of every entry',
      () => {
        for (const y of typical) finite(densities(likelihood, F, y), `the log density of ${y}`);
        return `of shape [${n},${D}]`;
      },
    ],
    [
      'entries depend on their own function and observation',
      () => {
        const whole = densities(likelihood, F, typical[0]!);
        const moved = Matrix.from(F);
        moved.data[0] = moved.data[0]! + 0.5;
        const again = densities(likelihood, moved, typical[0]!);
        return agreement(again.slice(1), whole.slice(1), 0);
      },
    ],
    [
      'a total probability of 1',
      () => {
        const totalAt = (values: ParameterValues) => {
          const total = new Float64Array(n * D);
          for (const { value, weight } of nodes) {
            densitiesAt(values)(likelihood, F, value).forEach((density, i) => {
              total[i] = total[i]! + weight * exp(density);
            });
          }
          return agreement(total, new Float64Array(n * D).fill(1), QUADRATURE);
        };
        const found = totalAt(free);
        located('where its parameters move', () => totalAt(movedFree));
        return found;
      },
    ],
    [
      'gradients',
      () => {
        const sum = ({ functions, ...t }: TensorMap): Scalar => {
          const density = likelihood.logDensity(tensors(t), functions as Tensor2D, matrixTensor(observed));
          return op.sum(op.mul(density, matrixTensor(randomPoints(n, D, seed + 2))));
        };
        return gradientAgreement(sum, { ...free, functions: F }, options);
      },
    ],
    [
      'the moments of its density',
      () => {
        const momentsAgree = (values: ParameterValues) => {
          const given = momentsOf(likelihood, F, () => tensors(valueTensors(values)));
          if (given === undefined) return skip('it gives none');
          const expected = integratedMoments(likelihood, F, densitiesAt(values), nodes, at);
          agreement(given.mean, expected.mean, QUADRATURE);
          return agreement(given.variance, expected.variance, QUADRATURE);
        };
        const found = momentsAgree(free);
        located('where its parameters move', () => momentsAgree(movedFree));
        return found;
      },
    ],
    [
      'draws',
      () => {
        const { sample } = likelihood.density;
        if (sample === undefined) return skip('it makes none');
        const [mean, second] = [new Float64Array(n * D), new Float64Array(n * D)];
        for (const { value, weight } of nodes) {
          densitiesAt(movedFree)(likelihood, F, value).forEach((density, i) => {
            const [share, gap] = [weight * exp(density), at(F.data[i]!, value) - F.data[i]!];
            if (!(share > 0)) return;
            mean[i] = mean[i]! + share * gap;
            second[i] = second[i]! + share * gap * gap;
          });
        }
        const deviation = second.map((own, i) => Math.sqrt(own - square(mean[i]!)));
        const random = seededRandom(seed + 4);
        const drawn = Array.from({ length: DRAWS }, () =>
          withFloat64(() =>
            doublesOf(sample(tensors(valueTensors(movedFree)), random, [n, D], [matrixTensor(F)])).map(
              (own, i) => (own - F.data[i]! - mean[i]!) / deviation[i]!,
            ),
          ),
        );
        const average = (of: (own: number) => number) =>
          drawn.map((one) => one.reduce((sum, own) => sum + of(own) / one.length, 0));
        within(
          'the mean of draws, less that of the density in standard deviations,',
          average((own) => own),
          0,
        );
        return within('the variance of draws, relative to that of the density,', average(square), 1);
      },
    ],
    [
      'JSON round trip',
      () => {
        const text = JSON.stringify(likelihood.toJSON());
        const again = likelihoodFromJSON(JSON.parse(text), likelihoods);
        if (JSON.stringify(again.toJSON()) !== text) throw new LatentFieldError('the JSON comes back as another');
        return agreement(densities(again, F, typical[0]!), densities(likelihood, F, typical[0]!), 0);
      },
    ],
  ];
  return conformance(`Likelihood '${likelihood.name}'`, options, requirements);
}

/**
 * Support of the observations.
 *
 * @throws InvalidInputError if it depends on the row of an observation, as such a likelihood does not factorize over entries
 */
function supportOf({ name, refuses }: Likelihood): DiscreteOrReal {
  if (refuses(0, 0) === refuses(0, 1)) return supportByRefusals(refuses);
  throw new InvalidInputError(
    `checkLikelihood takes likelihoods that are densities entry by entry, but '${name}' reads the whole row of an observation. Check it without that option, such as offset.`,
  );
}

/** Number of draws whose moments are compared. */
const DRAWS = 400;

/** log p(y|f) of every entry of f and the observation at a node. */
type Densities = (part: Likelihood, f: Matrix, value: number) => Float64Array;

/** Variance of the function for the comparison of moments. */
const SPREAD = 0.3;

interface PlainMoments {
  readonly mean: Float64Array;
  readonly variance: Float64Array;
}

/** The likelihood's moments; undefined if it has none. */
function momentsOf(likelihood: Likelihood, F: Matrix, values: () => TensorMap): PlainMoments | undefined {
  return withFloat64(() => {
    try {
      const spread = op.tensor<Tensor2D>(new Float64Array(F.data.length).fill(SPREAD), [F.rows, F.columns]);
      const { mean, variance } = likelihood.moments(values(), matrixTensor(F), spread);
      return { mean: doublesOf(mean), variance: doublesOf(variance) };
    } catch (error) {
      if (error instanceof InvalidInputError) return undefined;
      throw error;
    }
  });
}

/** Mean and variance of y for f ~ N(F, SPREAD), entry by entry, by quadrature over both. */
function integratedMoments(
  likelihood: Likelihood,
  F: Matrix,
  densities: Densities,
  nodes: readonly SupportNode[],
  at: (f: number, value: number) => number,
): PlainMoments {
  const outer = normalNodes();
  const { length } = F.data;
  const functions = new Matrix(
    Float64Array.from({ length: length * outer.length }, (_, k) => {
      return F.data[k % length]! + Math.sqrt(SPREAD) * outer[Math.floor(k / length)]!.value;
    }),
    F.rows * outer.length,
    F.columns,
  );
  const mean = new Float64Array(length);
  const squares = new Float64Array(length);
  for (const { value, weight } of nodes) {
    densities(likelihood, functions, value).forEach((density, k) => {
      const share = weight * outer[Math.floor(k / length)]!.weight * exp(density);
      // Distances from F, so that the variance is not a difference of large numbers.
      const gap = at(functions.data[k]!, value) - F.data[k % length]!;
      if (!(share > 0)) return;
      mean[k % length] = mean[k % length]! + share * gap;
      squares[k % length] = squares[k % length]! + share * gap * gap;
    });
  }
  return {
    mean: mean.map((gap, i) => gap + F.data[i]!),
    variance: squares.map((sum, i) => sum - square(mean[i]!)),
  };
}
