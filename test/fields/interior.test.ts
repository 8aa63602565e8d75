import { describe, expect, it } from 'vitest';
import type { FieldProblem } from '../../src/fields/solvers/fieldProblem.ts';
import {
  type Interior,
  interiorStart,
  onSupport,
  pathTarget,
  stepLengths,
} from '../../src/fields/solvers/interiorState.ts';

/** Four edges of a square; c/φ is 2, 1, 0.5 and 4, the bound 3. */
const problem: FieldProblem = {
  size: 4,
  sources: Int32Array.of(0, 0, 1, 2),
  targets: Int32Array.of(1, 3, 2, 3),
  squaredDistances: Float64Array.of(1, 2, 4, 0.5),
  basePrecision: 1e-3,
  copies: 2,
  upper: 3,
};
const R = Float64Array.of(0.4, 1.7, 2.5, 0.2);

/** As after some steps: weights within (0, 3), multipliers above 0. */
function state(given = problem): Interior {
  const interior = interiorStart(given);
  interior.weights.set([0.5, 1.2, 2.9, 0.01]);
  interior.lower.set([0.3, 0.02, 0.001, 2]);
  interior.upper?.set([0.04, 0.06, 1.5, 0.07]);
  return interior;
}

const target = 0.02;

describe('a step along the central path', () => {
  it('solves the linearized conditions: stationarity, w·u = τ and (4C − w)·v = τ', () => {
    const interior = state();
    const { weights, lower, upper } = interior;
    const [w, u, v] = [weights.slice(), lower.slice(), upper!.slice()];
    const { shift, right } = pathTarget(problem, interior, R, target);
    const dw = Float64Array.of(0.1, -0.2, 0.03, 0.004);
    interior.move(dw, target, { weights: 1, multipliers: 1 });
    for (let e = 0; e < 4; e++) {
      const [du, dv] = [lower[e]! - u[e]!, upper![e]! - v[e]!];
      expect(weights[e]).toBeCloseTo(w[e]! + dw[e]!, 14);
      expect(w[e]! * u[e]! + w[e]! * du + u[e]! * dw[e]!).toBeCloseTo(target, 14);
      expect((3 - w[e]!) * v[e]! + (3 - w[e]!) * dv - v[e]! * dw[e]!).toBeCloseTo(target, 14);
      // R − φ/c − H·Δw + (u + Δu) − (v + Δv) = 0, with the multipliers put in.
      const gradient = R[e]! - problem.squaredDistances[e]! / 2;
      expect(R[e]! * (right[e]! - shift[e]! * R[e]! * dw[e]!)).toBeCloseTo(gradient + u[e]! + du - v[e]! - dv, 12);
    }
  });

  it('knows no upper multipliers where there is no upper bound', () => {
    const free = { ...problem, upper: Infinity };
    const { shift, right } = pathTarget(free, state(free), R, target);
    expect(shift[1]! * R[1]! ** 2).toBeCloseTo(0.02 / 1.2, 14);
    expect(right[1]! * R[1]!).toBeCloseTo(R[1]! - 1 + target / 1.2, 14);
  });

  it('ends short of the first bound that it meets', () => {
    const interior = state();
    const dw = Float64Array.of(-1, 0, 0.5, 0);
    const lengths = stepLengths(problem, interior, dw, target);
    expect(lengths.weights).toBeCloseTo(0.98 * Math.min(0.5 / 1, 0.1 / 0.5), 14);
    interior.move(dw, target, lengths);
    for (let e = 0; e < 4; e++) {
      expect(Math.min(interior.weights[e]!, 3 - interior.weights[e]!)).toBeGreaterThan(0);
      expect(Math.min(interior.lower[e]!, interior.upper![e]!)).toBeGreaterThan(0);
    }
  });
});

describe('weights of an interior point', () => {
  it('are multiplied by c·R/φ, but no more than halfway to the bound', () => {
    const interior = state();
    interior.multiply(R);
    const expected = [0.5 * 0.4 * 2, 1.2 * 1.7 * 1, 0.5 * (2.9 + 3), 0.01 * 0.2 * 3];
    expected.forEach((weight, e) => {
      expect(interior.weights[e]).toBeCloseTo(weight, 14);
    });
  });

  it('leave when they carry nothing and have slack, and come back when their constraint is violated', () => {
    const interior = state();
    interior.weights[3] = 1e-5;
    interior.select(R);
    expect([[...interior.edges], interior.weights[3]]).toEqual([[0, 1, 2], 0]);
    interior.select(R);
    expect([...interior.edges]).toEqual([0, 1, 2]);
    const before = interior.meanProduct();
    interior.select(Float64Array.of(0.4, 1.7, 2.5, 0.3));
    expect([...interior.edges]).toEqual([0, 1, 2, 3]);
    expect(interior.weights[3]).toBeGreaterThan(0);
    expect(interior.weights[3]! * interior.lower[3]!).toBeCloseTo(before, 12);
  });

  it('are at a bound where its multiplier outweighs the remainder', () => {
    const interior = state();
    // Less than u·c/φ, c/φ = 3 by the bound.
    expect([...onSupport(problem, interior, R)]).toEqual([0, 1.2, 3, 0]);
    interior.lower[0] = 0.05;
    expect(onSupport(problem, interior, R)[0]).toBe(0.5);
  });
});
