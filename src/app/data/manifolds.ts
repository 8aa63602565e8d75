import * as v from 'valibot';
import { cos, sin, tanh } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import {
  checkOptions,
  integer,
  integerFromOne,
  numberAboveZero,
  numberFromZero,
  type OptionsIn,
} from '../../core/options.ts';
import { type Random, seededRandom } from '../../core/random.ts';

/** Points scattered around a curve or a surface. */
export interface ManifoldSample {
  /** N×D. */
  readonly observations: Matrix;
  /** Coordinates of each point on the curve (N×1) or surface (N×2), before noise was added. */
  readonly parameters: Matrix;
}

/** Curve or surface: the distribution of its parameters, and the map from them to R^D. */
interface Manifold {
  readonly draw: (random: Random) => readonly number[];
  readonly at: (parameters: readonly number[]) => readonly number[];
}

/**
 * Draws points on a manifold and adds independent normal noise to every feature. Noise is drawn even if its deviation is 0, so that the same seed
 * places the same points for any noise, and fewer points are the first of more.
 */
export function sampleManifold(
  { draw, at }: Manifold,
  { points, seed, noise }: { readonly [Name in keyof SamplingOptions]-?: number },
): ManifoldSample {
  const random = seededRandom(seed);
  const parameters: (readonly number[])[] = [];
  const observations: number[][] = [];
  for (let n = 0; n < points; n++) {
    const drawn = draw(random);
    parameters.push(drawn);
    observations.push(at(drawn).map((coordinate) => coordinate + noise * random.normal()));
  }
  return {
    observations: Matrix.from(observations),
    parameters: Matrix.from(parameters.map((drawn) => [...drawn])),
  };
}

/**
 * Points about the unit circle: y = (cos t, sin t) + noise·ε with t uniform on [0, 2π) and ε standard normal.
 *
 * The 100 points of Kégl et al. have a noise of about 0.18.
 *
 * @param options - points (100), seed (1), noise (0.1)
 * @returns observations N×2, and the angles t in parameters N×1
 * @throws InvalidInputError if points is not a positive integer or noise is negative
 * @see Kégl, Krzyżak, Linder & Zeger, Learning and design of principal curves (2000); Mao et al. 2017, Fig. 5
 * @example
 * ```ts
 * const { observations, parameters } = circle({ points: 200, noise: 0 });
 * observations.at(0, 0) === Math.cos(parameters.at(0, 0)); // true
 * ```
 */
export function circle(options: SamplingOptions = {}): ManifoldSample {
  const sampling = checkOptions(v.strictObject(samplingEntries(100, 0.1)), options, 'circle');
  return sampleManifold(
    {
      draw: (random) => [2 * Math.PI * random.uniform()],
      at: ([t]) => [cos(t!), sin(t!)],
    },
    sampling,
  );
}

/** Points of two classes, each around a separate curve. */
export interface TwoMoons extends ManifoldSample {
  /** N numbers: 0 on the upper moon, 1 on the lower. */
  readonly labels: number[];
}

/**
 * Points around two interleaving half circles: y = (cos t, sin t) + noise·ε on the upper moon and
 * (1 − cos t, ½ − sin t) + noise·ε on the lower, with t uniform on [0, π), the moon either with probability ½, ε standard normal.
 *
 * @param options - points (200), seed (1), noise (0.1)
 * @returns observations N×2, the angles t in parameters N×1, and labels N
 * @throws InvalidInputError if points is not a positive integer or noise is negative
 * @see Belkin, Niyogi & Sindhwani, Manifold regularization (2006); Mao et al. 2017, Fig. 5
 * @example
 * ```ts
 * const { observations, labels } = twoMoons({ points: 200 });
 * new Set(labels).size; // 2
 * ```
 */
export function twoMoons(options: SamplingOptions = {}): TwoMoons {
  const sampling = checkOptions(v.strictObject(samplingEntries(200, 0.1)), options, 'twoMoons');
  const labels: number[] = [];
  const sample = sampleManifold(
    {
      draw: (random) => {
        labels.push(random.integer(2));
        return [Math.PI * random.uniform()];
      },
      at: ([t]) => (labels.at(-1) === 0 ? [cos(t!), sin(t!)] : [1 - cos(t!), 0.5 - sin(t!)]),
    },
    sampling,
  );
  return { ...sample, labels };
}

export interface SwissRollOptions extends OptionsIn<typeof rollSchema> {}

const rollSchema = v.strictObject({
  ...samplingEntries(1000, 0.05),
  /** Length of the roll along its axis, above 0; default 21. */
  height: v.optional(numberAboveZero, 21),
});

/**
 * Points about a rolled-up rectangle: y = (t·cos t, h, t·sin t) + noise·ε with t uniform on [3π/2, 9π/2), h uniform on [0, height) and ε
 * standard normal.
 *
 * @param options - points (1000), seed (1), noise (0.05), height (21)
 * @returns observations N×3, and (t, h) in parameters N×2
 * @throws InvalidInputError if points is not a positive integer, noise is negative, or height is not above 0
 * @see Tenenbaum, de Silva & Langford, A global geometric framework for nonlinear dimensionality reduction (2000), Fig. 3
 * @example
 * ```ts
 * const { observations } = swissRoll({ points: 1000, noise: 0 });
 * const { latents } = await fit(isomap(observations, { neighbors: 10 }));
 * ```
 */
export function swissRoll(options: SwissRollOptions = {}): ManifoldSample {
  const { height, ...sampling } = checkOptions(rollSchema, options, 'swissRoll');
  return sampleManifold(
    {
      draw: (random) => [1.5 * Math.PI * (1 + 2 * random.uniform()), height * random.uniform()],
      at: ([t, h]) => [t! * cos(t!), h!, t! * sin(t!)],
    },
    sampling,
  );
}

/**
 * Points about a helix that closes upon itself, wound eight times around a circle of radius 2:
 * y = ((2 + cos 8t)·cos t, (2 + cos 8t)·sin t, sin 8t) + noise·ε with t uniform on [0, 2π) and ε standard normal.
 *
 * Mao et al. print t uniform on [0, 1], which is an arc of 1 radian; the drtoolbox they used runs once around.
 *
 * @param options - points (600), seed (1), noise (0.05)
 * @returns observations N×3, and the angles t in parameters N×1
 * @throws InvalidInputError if points is not a positive integer or noise is negative
 * @see van der Maaten, Postma & van den Herik, Dimensionality reduction: a comparative review (2009); Mao et al. 2017, §4.3.1
 * @example
 * ```ts
 * const { observations } = helix({ points: 600 });
 * observations.columns; // 3
 * ```
 */
export function helix(options: SamplingOptions = {}): ManifoldSample {
  const sampling = checkOptions(v.strictObject(samplingEntries(600, 0.05)), options, 'helix');
  return sampleManifold(
    {
      draw: (random) => [2 * Math.PI * random.uniform()],
      at: ([t]) => {
        const radius = 2 + cos(8 * t!);
        return [radius * cos(t!), radius * sin(t!), sin(8 * t!)];
      },
    },
    sampling,
  );
}

export interface TwinPeaksOptions extends OptionsIn<typeof peaksSchema> {}

const peaksSchema = v.strictObject({
  ...samplingEntries(600, 0.05),
  /** Factor of the third coordinate, above 0; default 1, 10 in the drtoolbox. */
  height: v.optional(numberAboveZero, 1),
});

/**
 * Points about a surface of two peaks and two hollows: y = (u, v, height·sin(πu)·tanh(3v)) + noise·ε with u and v uniform on (−1, 1] and
 * ε standard normal.
 *
 * Mao et al. print its first and third coordinates, with u = 1 − 2p and v = 1 − 2q.
 *
 * @param options - points (600), seed (1), noise (0.05), height (1)
 * @returns observations N×3, and (u, v) in parameters N×2
 * @throws InvalidInputError if points is not a positive integer, noise is negative, or height is not above 0
 * @see van der Maaten, Postma & van den Herik, Dimensionality reduction: a comparative review (2009); Mao et al. 2017, §4.3.1
 * @example
 * ```ts
 * const { observations, parameters } = twinPeaks({ points: 600, height: 10 });
 * [observations.columns, parameters.columns]; // [3, 2]
 * ```
 */
export function twinPeaks(options: TwinPeaksOptions = {}): ManifoldSample {
  const { height, ...sampling } = checkOptions(peaksSchema, options, 'twinPeaks');
  return sampleManifold(
    {
      draw: (random) => [1 - 2 * random.uniform(), 1 - 2 * random.uniform()],
      at: ([u, v]) => [u!, v!, height * sin(Math.PI * u!) * tanh(3 * v!)],
    },
    sampling,
  );
}

/** Matrix that shears the upright S, fitted to the 100 points of Kégl et al. */
const SHEAR = [
  [-0.178, 0.174],
  [0.134, 0.0225],
] as const;

/**
 * Points about an S that is sheared until its arms lie flat: y = A·(sin πt, sign(t)·(1 − cos πt)) + noise·ε with t uniform on [−1, 1),
 * A = (−0.178, 0.174; 0.134, 0.0225) and ε standard normal. Without A the curve consists of two half circles that meet at the origin, and is
 * point-symmetric about it.
 *
 * @param options - points (100), seed (1), noise (0.025)
 * @returns observations N×2, and the positions t along the curve in parameters N×1
 * @throws InvalidInputError if points is not a positive integer or noise is negative
 * @see Kégl, Krzyżak, Linder & Zeger, Learning and design of principal curves (2000), for the shape; Mao et al. 2017, Figs. 2, 3 and 5
 * @example
 * ```ts
 * const { observations, parameters } = distortedS({ points: 100, seed: 2 });
 * observations.columns; // 2
 * ```
 */
export function distortedS(options: SamplingOptions = {}): ManifoldSample {
  const sampling = checkOptions(v.strictObject(samplingEntries(100, 0.025)), options, 'distortedS');
  return sampleManifold(
    {
      draw: (random) => [2 * random.uniform() - 1],
      at: ([t]) => {
        const width = sin(Math.PI * t!);
        const height = Math.sign(t!) * (1 - cos(Math.PI * t!));
        return SHEAR.map(([a, b]) => a * width + b * height);
      },
    },
    sampling,
  );
}

/** Options of every generator. */
export interface SamplingOptions extends OptionsIn<ReturnType<typeof samplingEntries>> {}

/** Entries of these options with the defaults of one generator. */
export function samplingEntries(points: number, noise: number) {
  return {
    /** Number of points, at least 1. */
    points: v.optional(integerFromOne, points),
    /** Any integer; default 1. */
    seed: v.optional(integer, 1),
    /** Standard deviation of the normal noise on each feature; 0 for none. */
    noise: v.optional(numberFromZero, noise),
  };
}
