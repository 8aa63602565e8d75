import { isCount, isFiniteArray } from '../../core/plainNumbers.ts';
import type { SolverMemory } from '../../model/solver.ts';
import { type FieldProblem, weightScale, weightScales } from './fieldProblem.ts';
import { damagedMemory } from './fieldSearch.ts';

/** Fraction of the distance to the first bound that a step may cover. */
const SHORT_OF = 0.98;

/** An edge leaves if its weight carries less than this fraction of the current between its ends, and its constraint has at least this much slack. */
const FAINT = 1e-4;
const SLACK = 1e-2;

/** Smallest fraction of the edges that leave at once: the remaining ones need a new factor, whose ordering takes as long as a few factorizations. */
const LEAVING = 0.05;

/** Least multiplier at the beginning, in units of φ/c. */
const LEAST = 0.1;

/** Weights within their bounds and the multipliers of these bounds. */
export interface Interior {
  /** One per edge of the problem; 0 if the edge has left. */
  readonly weights: Float64Array;
  /** u > 0 for w ≥ 0, and v > 0 for w ≤ upper if it is finite, in units of R. */
  readonly lower: Float64Array;
  readonly upper: Float64Array | undefined;
  /** The edges that remain, ascending. */
  readonly edges: Int32Array;
  /** Mean of the products w·u and (upper − w)·v. */
  meanProduct(): number;
  /** w ← w·c·R/φ, within the bounds. */
  multiply(R: Float64Array): void;
  /** Initializes the multipliers from the slack of the constraints at the weights. */
  begin(R: Float64Array): void;
  move(change: Float64Array, target: number, lengths: StepLengths): void;
  /** Removes edges whose weights clearly tend to 0, and restores those whose constraint is violated. */
  select(R: Float64Array): void;
  /** A copy of the state for {@link interiorStart}. */
  memory(): SolverMemory;
}

interface StepLengths {
  readonly weights: number;
  readonly multipliers: number;
}

/**
 * The initial state: equal fractions of the weight at which each edge alone would meet its constraint.
 *
 * @param memory - saved state to restore instead
 * @throws InvalidInputError if the memory does not match the problem
 */
export function interiorStart(problem: FieldProblem, memory?: SolverMemory): Interior {
  const { squaredDistances, copies, size } = problem;
  const count = squaredDistances.length;
  const scale = weightScales(problem);
  const part = Math.min(0.9, (size - 1) / count);
  if (memory !== undefined) checkMemory(problem, memory);
  const saved = (name: string) => (memory?.[name] as Float64Array | undefined)?.slice();
  const weights = saved('weights') ?? scale.map((weight) => part * weight);
  const lower = saved('lower') ?? new Float64Array(count);
  const upper = problem.upper === Infinity ? undefined : (saved('upper') ?? new Float64Array(count));
  let edges = Int32Array.from(saved('edges') ?? weights.keys());

  const meanProduct = () => {
    let sum = 0;
    for (const e of edges) {
      sum += weights[e]! * lower[e]!;
      if (upper !== undefined) sum += (problem.upper - weights[e]!) * upper[e]!;
    }
    return edges.length === 0 ? 0 : sum / edges.length;
  };

  return {
    weights,
    lower,
    upper,
    get edges() {
      return edges;
    },
    meanProduct,
    memory: () => ({
      weights: weights.slice(),
      lower: lower.slice(),
      ...(upper !== undefined && { upper: upper.slice() }),
      edges: Float64Array.from(edges),
    }),
    multiply(R) {
      for (let e = 0; e < count; e++) {
        weights[e] = Math.min(weights[e]! * R[e]! * scale[e]!, 0.5 * (weights[e]! + problem.upper));
      }
    },
    begin(R) {
      for (let e = 0; e < count; e++) {
        const slack = squaredDistances[e]! / copies - R[e]!;
        lower[e] = Math.max(slack, LEAST / scale[e]!);
        if (upper !== undefined) upper[e] = Math.max(-slack, LEAST / scale[e]!);
      }
    },
    move(change, target, lengths) {
      for (let a = 0; a < edges.length; a++) {
        const e = edges[a]!;
        const { ofLower, ofUpper } = multiplierChange(problem, { weights, lower, upper }, e, change[a]!, target);
        weights[e]! += lengths.weights * change[a]!;
        lower[e]! += lengths.multipliers * ofLower;
        if (upper !== undefined) upper[e]! += lengths.multipliers * ofUpper;
      }
    },
    select(R) {
      const mean = meanProduct();
      const staying = new Uint8Array(count);
      for (const e of edges) staying[e] = 1;
      const leaving = edges.filter(
        (e) =>
          weights[e]! * R[e]! < FAINT &&
          (squaredDistances[e]! / copies - R[e]!) * scale[e]! > SLACK &&
          lower[e]! * scale[e]! > SLACK,
      );
      if (leaving.length >= LEAVING * edges.length) {
        for (const e of leaving) {
          weights[e] = 0;
          staying[e] = 0;
        }
      }
      for (let e = 0; e < count; e++) {
        if (staying[e] === 1 || weights[e]! > 0 || R[e]! <= squaredDistances[e]! / copies) continue;
        staying[e] = 1;
        weights[e] = FAINT * Math.min(scale[e]!, 1 / R[e]!);
        lower[e] = mean / weights[e]!;
        if (upper !== undefined) upper[e] = mean / problem.upper;
      }
      const next: number[] = [];
      for (let e = 0; e < count; e++) if (staying[e] === 1) next.push(e);
      if (next.length !== edges.length || next.some((e, a) => e !== edges[a])) edges = Int32Array.from(next);
    },
  };
}

function checkMemory({ squaredDistances, upper: bound }: FieldProblem, memory: SolverMemory): void {
  const count = squaredDistances.length;
  const { weights, lower, upper, edges } = memory;
  const isWithin = (entries: unknown, most: number) =>
    isFiniteArray(entries, count) && entries.every((entry) => entry >= 0 && entry <= most);
  if (!isWithin(weights, bound)) throw damagedMemory('weights');
  if (!isWithin(lower, Infinity)) throw damagedMemory('lower');
  if (bound < Infinity && !isWithin(upper, Infinity)) throw damagedMemory('upper');
  const areEdges =
    edges instanceof Float64Array && edges.every((e, a) => isCount(e, a === 0 ? 0 : edges[a - 1]! + 1, count - 1));
  if (!areEdges) throw damagedMemory('edges');
}

type Multipliers = Pick<Interior, 'weights' | 'lower' | 'upper'>;

/** Linearized w·u = τ and (upper − w)·v = τ. */
function multiplierChange(
  problem: FieldProblem,
  { weights, lower, upper }: Multipliers,
  e: number,
  change: number,
  target: number,
): { ofLower: number; ofUpper: number } {
  const w = weights[e]!;
  const ofLower = (target - lower[e]! * change) / w - lower[e]!;
  if (upper === undefined) return { ofLower, ofUpper: 0 };
  return { ofLower, ofUpper: (target + upper[e]! * change) / (problem.upper - w) - upper[e]! };
}

/** Shift of the Hessian's diagonal and right-hand side, in z = R·Δw, for the remaining edges. */
export function pathTarget(
  problem: FieldProblem,
  { weights, lower, upper, edges }: Interior,
  resistances: Float64Array,
  target: number,
): { readonly shift: Float64Array; readonly right: Float64Array } {
  const shift = new Float64Array(edges.length);
  const right = new Float64Array(edges.length);
  for (let a = 0; a < edges.length; a++) {
    const e = edges[a]!;
    const R = resistances[a]!;
    shift[a] = lower[e]! / weights[e]! / (R * R);
    right[a] = (R - problem.squaredDistances[e]! / problem.copies + target / weights[e]!) / R;
    if (upper === undefined) continue;
    const slack = problem.upper - weights[e]!;
    shift[a]! += upper[e]! / slack / (R * R);
    right[a]! -= target / slack / R;
  }
  return { shift, right };
}

/** Step lengths at which the first of the weights and of the multipliers almost reaches 0 or its bound. */
export function stepLengths(problem: FieldProblem, state: Interior, change: Float64Array, target: number): StepLengths {
  const { weights, lower, upper, edges } = state;
  let ofWeights = 1;
  let ofMultipliers = 1;
  for (let a = 0; a < edges.length; a++) {
    const e = edges[a]!;
    const dw = change[a]!;
    if (dw < 0) ofWeights = Math.min(ofWeights, (SHORT_OF * weights[e]!) / -dw);
    else if (upper !== undefined && dw > 0) {
      ofWeights = Math.min(ofWeights, (SHORT_OF * (problem.upper - weights[e]!)) / dw);
    }
    const { ofLower, ofUpper } = multiplierChange(problem, state, e, dw, target);
    if (ofLower < 0) ofMultipliers = Math.min(ofMultipliers, (SHORT_OF * lower[e]!) / -ofLower);
    if (ofUpper < 0) ofMultipliers = Math.min(ofMultipliers, (SHORT_OF * upper![e]!) / -ofUpper);
  }
  return { weights: ofWeights, multipliers: ofMultipliers };
}

/** The weights, with those at a bound whose multiplier indicates it. */
export function onSupport(
  problem: FieldProblem,
  { weights, lower, upper, edges }: Interior,
  R: Float64Array,
): Float64Array {
  const result = weights.slice();
  for (const e of edges) {
    const scale = weightScale(problem, problem.squaredDistances[e]!);
    if (weights[e]! * R[e]! < lower[e]! * scale) result[e] = 0;
    else if (upper !== undefined && (problem.upper - weights[e]!) * R[e]! < upper[e]! * scale)
      result[e] = problem.upper;
  }
  return result;
}
