import * as v from 'valibot';
import { cos, exp, sin, square } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import { checkOptions } from '../../core/options.ts';
import { type Random, seededRandom } from '../../core/random.ts';
import { type SamplingOptions, samplingEntries } from './manifolds.ts';

/** A labeled data set: one row of observations and one label per point. */
export interface PipeFlow {
  /** Attenuation of six beams at the low energy, then of the same six at the high energy, N×12. */
  readonly observations: Matrix;
  /** N indices into `labelNames`. */
  readonly labels: number[];
  readonly labelNames: readonly string[];
  readonly columnNames: readonly string[];
  /** Fractions of the cross-section filled by water, oil and gas, N×3. */
  readonly fractions: Matrix;
}

/** The noise is the standard deviation of the attenuation through an empty pipe, 1/√(photons counted); 0 for none. */
export interface PipeFlowOptions extends SamplingOptions {}

const CONFIGURATIONS = ['stratified', 'homogeneous', 'annular'] as const;
type Configuration = (typeof CONFIGURATIONS)[number];

/** Fractions of the cross-section, or lengths along a beam, in the order water, oil, gas. */
type Phases = readonly [water: number, oil: number, gas: number];

const PIPE_RADIUS = 5;

/** Linear attenuation per centimeter of water, a light oil (CH₂, 0.85 g/cm³) and compressed gas at 30 and 60 keV. */
const ATTENUATION: { readonly energy: string; readonly coefficients: Phases }[] = [
  { energy: '30keV', coefficients: [0.376, 0.23, 0.013] },
  { energy: '60keV', coefficients: [0.206, 0.167, 0.01] },
];

/** Beams by their distance from the axis, in pipe radii. For horizontal beams one side is enough, because every configuration is symmetric. */
const BEAMS: { readonly name: string; readonly direction: 'vertical' | 'horizontal'; readonly offset: number }[] = [
  { name: 'vertical1', direction: 'vertical', offset: 0 },
  { name: 'vertical2', direction: 'vertical', offset: 0.4 },
  { name: 'vertical3', direction: 'vertical', offset: 0.8 },
  { name: 'horizontal1', direction: 'horizontal', offset: -0.5 },
  { name: 'horizontal2', direction: 'horizontal', offset: 0 },
  { name: 'horizontal3', direction: 'horizontal', offset: 0.5 },
];

/**
 * Simulates gamma densitometry of oil, water and gas flowing through a pipe: 12 measurements per point that depend
 * nonlinearly on two degrees of freedom (the phase fractions) and on three flow configurations (the labels).
 *
 * The fractions are uniform on the simplex and the configuration uniform over: stratified (flat layers, water below, gas
 * above), homogeneous (mixed), annular (a gas core inside rings of oil and of water). Six beams cross the pipe of radius
 * 5 cm, three down and three across. A beam with path length ℓ_m through phase m has the attenuation at energy E
 * a = −ln(I/I₀) = Σ_m μ_m(E)·ℓ_m, and counting photons adds normal noise of standard deviation noise·e^{a/2} = 1/√I.
 *
 * The real measurement, with the same beams and configurations in another arrangement, is described by Bishop & James (1993),
 * "Analysis of multiphase flows using dual-energy gamma densitometry and neural networks".
 *
 * @param options - points (300), seed (1), noise (0.005)
 * @returns observations N×12, labels N, the names of both, and the underlying fractions N×3
 * @throws InvalidInputError if points is not a positive integer or noise is negative
 * @example
 * ```ts
 * const { observations, labels } = pipeFlow({ points: 100, seed: 1 });
 * observations.columns; // 12
 * ```
 */
export function pipeFlow(options: PipeFlowOptions = {}): PipeFlow {
  const { points, seed, noise } = checkOptions(v.strictObject(samplingEntries(300, 0.005)), options, 'pipeFlow');
  const random = seededRandom(seed);
  const observations: number[][] = [];
  const fractions: number[][] = [];
  const labels: number[] = [];
  for (let n = 0; n < points; n++) {
    const label = random.integer(CONFIGURATIONS.length);
    const phases = uniformFractions(random);
    const paths = BEAMS.map(({ direction, offset }) => pathLengths(CONFIGURATIONS[label]!, phases, direction, offset));
    observations.push(
      ATTENUATION.flatMap(({ coefficients }) =>
        paths.map((lengths) => {
          const attenuation = PIPE_RADIUS * dot(coefficients, lengths);
          return attenuation + noise * exp(attenuation / 2) * random.normal();
        }),
      ),
    );
    fractions.push([...phases]);
    labels.push(label);
  }
  return {
    observations: Matrix.from(observations),
    labels,
    labelNames: CONFIGURATIONS,
    columnNames: ATTENUATION.flatMap(({ energy }) => BEAMS.map(({ name }) => `${name}_${energy}`)),
    fractions: Matrix.from(fractions),
  };
}

/** Uniform on the simplex: the gaps between two uniform numbers in [0, 1]. */
function uniformFractions(random: Random): Phases {
  const a = random.uniform();
  const b = random.uniform();
  const [low, high] = a < b ? [a, b] : [b, a];
  return [low, high - low, 1 - high];
}

/** Path lengths of a beam through each phase, in pipe radii. */
function pathLengths(
  configuration: Configuration,
  [water, oil, gas]: Phases,
  direction: 'vertical' | 'horizontal',
  offset: number,
): Phases {
  const chord = chordLength(1, offset);
  switch (configuration) {
    case 'homogeneous':
      return [water * chord, oil * chord, gas * chord];
    case 'annular': {
      const core = chordLength(Math.sqrt(gas), offset);
      const inner = chordLength(Math.sqrt(gas + oil), offset);
      return [chord - inner, inner - core, core];
    }
    case 'stratified': {
      // A level y splits the chord [−chord/2, chord/2] of a vertical beam; a horizontal beam lies in one layer.
      const below = (level: number) =>
        direction === 'vertical' ? Math.min(Math.max(level + chord / 2, 0), chord) : offset < level ? chord : 0;
      const belowOil = below(levelOfArea(water));
      const belowGas = below(levelOfArea(water + oil));
      return [belowOil, belowGas - belowOil, chord - belowGas];
    }
  }
}

/** Length of the chord of a circle at a distance from its center. */
const chordLength = (radius: number, distance: number) => 2 * Math.sqrt(Math.max(square(radius) - square(distance), 0));

/**
 * Height in the unit circle, −1 … 1, below which a fraction of its area lies: −cos θ where (θ − sin θ·cos θ)/π equals the fraction. Computed by
 * bisection, which needs no initial value.
 */
function levelOfArea(fraction: number): number {
  let low = 0;
  let high = Math.PI;
  for (let i = 0; i < 52; i++) {
    const middle = (low + high) / 2;
    if (middle - sin(middle) * cos(middle) < fraction * Math.PI) low = middle;
    else high = middle;
  }
  return -cos((low + high) / 2);
}

const dot = (a: Phases, b: Phases) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
