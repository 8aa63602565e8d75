import * as v from 'valibot';
import { exp } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import { Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkNumbers, observationsFrom, standardizationOf, standardized } from '../core/observations.ts';
import { checkOptions, integerFromOne, type OptionsIn, seedOption } from '../core/options.ts';
import { seededRandom } from '../core/random.ts';
import { engineChoice } from '../engine/dense/index.ts';
import { openProblem } from '../inference/fit/fitProblem.ts';
import { solve } from '../inference/minimize/minimize.ts';
import { solveInSlices } from '../inference/minimize/slices.ts';
import { lbfgsb } from '../inference/solvers/lbfgsb.ts';
import { add } from '../kernels/algebra.ts';
import { bias } from '../kernels/constant.ts';
import { rbf } from '../kernels/rbf.ts';
import { fixedAt } from '../latents/pointLatents.ts';
import { meanVariance } from '../model/leastNoise.ts';
import type { VariableLayout } from '../model/variables.ts';
import { latentVariableModel } from './gp/latentVariableModel.ts';

/** Options of {@link gpScore}. */
export interface GpScoreOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  /** Number of starts, from 1; default 5. The first five are always the same, further ones are drawn from the seed. */
  starts: v.optional(integerFromOne, 5),
  /** Seed of the starts after the fifth; default 0. */
  seed: seedOption,
  /** Linear algebra engine; default LATENTFIELD_ENGINE, or 'auto'. */
  engine: v.optional(engineChoice),
});

/** Bounds on the logarithm of a variance; an unneeded term's would go to −∞. */
const VARIANCE = [-25, 12] as const;
/**
 * Bounds on the logarithm of the lengthscale, for columns of unit variance: e⁻⁶ = 0.0025. Without a limit, points that coincide in X up to rounding
 * are explained by functions of the rounding errors.
 */
const LENGTHSCALE = [-6, 12.5] as const;

/** Variances of rbf, bias and noise, and 1/lengthscale². */
type Hyperparameters = readonly [variance: number, inverseWidth: number, bias: number, noise: number];

/**
 * Score of an embedding by the likelihood of a GPLVM with its latents fixed at the embedding: the maximum, over the variance and the lengthscale of
 * an rbf, a bias and a noise variance, of
 * log p(Y|X) = −DN/2·log 2π − D/2·log|K| − ½·tr(K⁻¹YYᵀ). The columns of Y are centered, and the columns of X scaled to unit variance.
 *
 * The likelihood has several maxima; the score is the best maximum reached from the starts.
 *
 * @param Y - data, N×D
 * @param X - embedding, N×q
 * @param options - `starts`, `seed`, `engine`: see {@link GpScoreOptions}
 * @returns nats; comparable between embeddings of the same Y
 * @throws InvalidInputError if a number is not finite, or Y and X differ in their rows
 * @see Harmeling, Exploring model selection techniques for nonlinear dimensionality reduction (2007); Lawrence, JMLR 13 (2012), §4
 * @example
 * ```ts
 * const score = await gpScore(Y, result.latents);
 * ```
 */
export async function gpScore(Y: MatrixLike, X: MatrixLike, options: GpScoreOptions = {}): Promise<number> {
  const { starts, seed, engine } = checkOptions(schema, options, 'gpScore');
  const observations = observationsFrom(Y);
  const latents = checkNumbers(Matrix.from(X, 'X'), 'X');
  if (latents.rows !== observations.rows) {
    throw new InvalidInputError(
      `Y and X must have the same rows, but they have ${observations.rows} and ${latents.rows}.`,
    );
  }
  const problem = openProblem(heldModel(observations, standardized(latents, standardizationOf(latents, true, true))), {
    seed: 0,
    engine,
  });
  try {
    const { layout, objective } = problem;
    const variance = meanVariance(standardized(observations, standardizationOf(observations, true, false)));
    const box = boxOf(layout);
    let best = Number.NEGATIVE_INFINITY;
    for (const start of startsFor(variance, starts, seed)) {
      const x = problem.variablesAt(valuesAt(start));
      const run = solve(objective, x, lbfgsb(), { ...box, relativeDecrease: 1e-14, tolerance: 1e-7 });
      best = Math.max(best, -(await solveInSlices(problem, run)).value);
    }
    return best;
  } finally {
    problem.dispose();
  }
}

/** GPLVM with fixed latents. */
function heldModel(observations: Matrix, X: Matrix) {
  const kernel = add(rbf(), bias());
  return latentVariableModel({ observations, latentDim: X.columns, posterior: fixedAt(X), kernel, noise: 1 });
}

/** Box in the solver's variables. The solver works with the logarithm of 1/lengthscale², as for the variances, since half of it would be badly scaled. */
function boxOf({ variables }: VariableLayout) {
  const isLengthscale = variables.filter(({ start }) => start >= 0).map(({ path }) => path.endsWith('.lengthscale'));
  const ranges = isLengthscale.map((is) => (is ? LENGTHSCALE : VARIANCE));
  return {
    bounds: { lower: ranges.map(([lower]) => lower), upper: ranges.map(([, upper]) => upper) },
    scale: isLengthscale.map((is) => (is ? 0.5 : 1)),
  };
}

const valuesAt = ([variance, inverseWidth, biasVariance, noise]: Hyperparameters) => ({
  'mapping.kernel.rbf.variance': variance,
  'mapping.kernel.rbf.lengthscale': 1 / Math.sqrt(inverseWidth),
  'mapping.kernel.bias.variance': biasVariance,
  'mapping.noise': noise,
});

/** Starts for smooth and rough functions, with much and little noise, on the scale of the data. */
function startsFor(v: number, count: number, seed: number): Hyperparameters[] {
  const listed: Hyperparameters[] = [
    [1, 1, exp(-2), exp(-2)],
    [v, 1, v / 10, v / 10],
    [v, 10, v / 10, v / 100],
    [v, 0.1, v / 10, v / 100],
    [10 * v, 0.1, v, v / 1000],
  ];
  const random = seededRandom(seed);
  const near = (value: number) => value * exp(2 * random.normal());
  const drawn = Array.from({ length: Math.max(0, count - listed.length) }, (): Hyperparameters => {
    return [near(v), near(1), near(v / 10), near(v / 30)];
  });
  return [...listed, ...drawn].slice(0, count);
}
