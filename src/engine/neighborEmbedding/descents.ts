import { exp, log, pow } from '../../core/elementary/index.ts';
import { seededRandom, shuffled } from '../../core/random.ts';
import type { Graph } from '../graph/graph.ts';
import { type SimilarityCurve, SOFTENING } from './edgeLikelihood.ts';
import { attractionOf } from './studentDivergence.ts';
import { exactRepulsion, planarRepulsion } from './studentRepulsion.ts';

/** A search along a schedule of steps that are independent of function values. */
export interface Descent {
  /** Performs one step on X, in place. */
  step(number: number): void;
  /** State between steps, as live arrays. */
  readonly memory: Readonly<Record<string, Float64Array>>;
}

/** Early exaggeration of t-SNE's attraction, and its duration. */
export interface Exaggeration {
  readonly factor: number;
  readonly steps: number;
}

/** Momentum during and after exaggeration. */
const MOMENTUM = [0.5, 0.8] as const;
const LEAST_GAIN = 0.01;
/** Number of points per unit of the learning rate, relative to the exaggeration; and the least rate. */
const POINTS = 4;
const LEAST_RATE = 50;

/**
 * The optimizer of t-SNE: gradient descent with momentum and a gain for each variable, early exaggeration of the attraction, and learning rate
 * max(N/(4·exaggeration), 50).
 *
 * @param P - joint probabilities
 * @param X - N×q, updated in place
 * @see van der Maaten 2014, §4.2; Belkina et al. 2019 (learning rate)
 */
export function tsneDescent(
  P: Graph,
  q: number,
  X: Float64Array,
  early: Exaggeration,
  memory?: Readonly<Record<string, Float64Array>>,
): Descent {
  const { size: N } = P;
  const attraction = attractionOf(P, q);
  const repulsion = q > 2 ? exactRepulsion(N, q) : planarRepulsion(N, q);
  const gradient = new Float64Array(N * q);
  const velocity = memory?.velocity ?? new Float64Array(N * q);
  const gains = memory?.gains ?? new Float64Array(N * q).fill(1);
  return {
    memory: { velocity, gains },
    step(number) {
      const isEarly = number < early.steps;
      const factor = isEarly ? early.factor : 1;
      if (number === early.steps) {
        velocity.fill(0);
        gains.fill(1);
      }
      const Z = repulsion(X, gradient);
      for (let i = 0; i < gradient.length; i++) gradient[i]! /= Z;
      attraction.addGradient(X, factor, gradient);
      const rate = Math.max(N / (POINTS * factor), LEAST_RATE);
      const momentum = MOMENTUM[isEarly ? 0 : 1];
      for (let i = 0; i < X.length; i++) {
        const slope = gradient[i]!;
        const gain = velocity[i]! * slope < 0 ? gains[i]! + 0.2 : Math.max(LEAST_GAIN, 0.8 * gains[i]!);
        gains[i] = gain;
        velocity[i] = momentum * velocity[i]! - rate * gain * slope;
        X[i]! += velocity[i]!;
      }
    },
  };
}

/** Number of parts of [1, 2) on which a power is linear. */
const PARTS = 1024;

/** x ↦ xᵇ of normal numbers x > 0, linear between 1024 numbers from each power of two to the next: a relative error below 3e-7 for 0 < b ≤ 2, in a fraction of the time of `exp` and `log`. */
export function tabulatedPower(b: number): (x: number) => number {
  const double = new Float64Array(1);
  const halves = new Uint32Array(double.buffer);
  const scales = Float64Array.from({ length: 2047 }, (_, exponent) => exp(b * (exponent - 1023) * Math.LN2));
  const powers = Float64Array.from({ length: PARTS + 1 }, (_, part) => exp(b * log(1 + part / PARTS)));
  return (x) => {
    double[0] = x;
    const high = halves[1]!;
    const part = (high >>> 10) & (PARTS - 1);
    const along = ((high & (PARTS - 1)) + halves[0]! / 4294967296) / PARTS;
    const power = powers[part]!;
    return scales[high >>> 20]! * (power + along * (powers[part + 1]! - power));
  };
}

/** Separates the random streams of steps for consecutive seeds. */
const STREAM = 104_729;
/** Number of times that every point meets two others in a step. */
const MEETINGS = 5;
/** Decay rates of the means of gradients and of their squares. */
const DECAY = [0.5, 0.9] as const;

/**
 * The optimizer of UMAP: in each step all edges attract, and every point is repelled by ten others, drawn at random, as strongly as by the negative
 * samples on average. X is updated by Adam, with a learning rate that decreases from 1.
 *
 * @param X - N×q, updated in place
 * @param steps - number of steps in the whole schedule
 * @param seed - seed of the draws, which also depend on the step's number
 * @see McInnes, Healy & Melville 2018, §4; Kingma & Ba 2015, Algorithm 1
 */
export function edgeDescent(
  graph: Graph,
  q: number,
  X: Float64Array,
  { curve, negatives, steps, seed }: EdgeSchedule,
  memory?: Readonly<Record<string, Float64Array>>,
): Descent {
  const { size: N, sources, targets, weights } = graph;
  const { a, b } = curve;
  const charges = new Float64Array(N);
  for (let e = 0; e < weights.length; e++) {
    charges[sources[e]!]! += weights[e]!;
    charges[targets[e]!]! += weights[e]!;
  }
  for (let i = 0; i < N; i++) charges[i]! *= negatives / (4 * MEETINGS);
  const order = shuffled(N, seededRandom(seed));
  const gradient = new Float64Array(N * q);
  const mean = memory?.mean ?? new Float64Array(N * q);
  const square = memory?.square ?? new Float64Array(N * q);

  const powerOf = tabulatedPower(b);

  /** Adds the force between two points; the charge is negative for attraction. */
  const act = (i: number, j: number, charge: number): void => {
    let squared = 0;
    for (let c = 0; c < q; c++) {
      const difference = X[i + c]! - X[j + c]!;
      squared += difference * difference;
    }
    if (squared === 0) return;
    const power = a * powerOf(squared);
    const slope = (2 * charge * b * power) / (squared * (1 + power));
    const factor = charge < 0 ? slope : slope / (power + SOFTENING);
    for (let c = 0; c < q; c++) {
      const force = factor * (X[i + c]! - X[j + c]!);
      gradient[i + c]! += force;
      gradient[j + c]! -= force;
    }
  };

  return {
    memory: { mean, square },
    step(number) {
      gradient.fill(0);
      for (let e = 0; e < weights.length; e++) act(q * sources[e]!, q * targets[e]!, -weights[e]!);
      const random = seededRandom(seed + STREAM * (number + 1));
      for (let m = 0; m < MEETINGS; m++) {
        const shift = 1 + random.integer(N - 1);
        for (let place = 0; place < N; place++) {
          const i = order[place]!;
          const j = order[place + shift < N ? place + shift : place + shift - N]!;
          act(q * i, q * j, charges[i]! + charges[j]!);
        }
      }
      const [own, ofSquares] = DECAY;
      const rate = (1 - number / steps) / (1 - pow(own, number + 1));
      const correction = 1 - pow(ofSquares, number + 1);
      for (let i = 0; i < X.length; i++) {
        mean[i] = own * mean[i]! + (1 - own) * gradient[i]!;
        square[i] = ofSquares * square[i]! + (1 - ofSquares) * gradient[i]! * gradient[i]!;
        X[i]! += (rate * mean[i]!) / (Math.sqrt(square[i]! / correction) + 1e-7);
      }
    },
  };
}

export interface EdgeSchedule {
  readonly curve: SimilarityCurve;
  /** Negative samples per edge. */
  readonly negatives: number;
  readonly steps: number;
  readonly seed: number;
}
