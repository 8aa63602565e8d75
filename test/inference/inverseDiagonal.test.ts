import { expect, test } from 'vitest';
import { seededRandom } from '../../src/core/random.ts';
import { lbfgs } from '../../src/inference/index.ts';
import { minimize } from '../../src/inference/minimize/minimize.ts';
import { correctionPairs, inverseDiagonal } from '../../src/inference/solvers/lbfgs.ts';
import { expectClose } from '../tolerance.ts';

const n = 6;

/** The diagonal of the scaled BFGS update, written with matrices: B ← fB + yyᵀ/sᵀy − fB s sᵀ B/sᵀBs, f = yᵀB⁻¹y/sᵀy, B kept diagonal. */
function updated(B: readonly number[], s: readonly number[], y: readonly number[]): number[] {
  const sum = (term: (i: number) => number) => B.reduce((total, _, i) => total + term(i), 0);
  const sy = sum((i) => s[i]! * y[i]!);
  const f = sum((i) => y[i]! ** 2 / B[i]!) / sy;
  const sBs = sum((i) => s[i]! ** 2 * B[i]!);
  return B.map((b, i) => f * b + y[i]! ** 2 / sy - (f * (b * s[i]!) ** 2) / sBs);
}

test('the diagonal agrees with scaled BFGS updates, and starts again when cleared', () => {
  const random = seededRandom(4);
  const normals = () => Float64Array.from({ length: n }, () => random.normal());
  const curvature = Float64Array.from({ length: n }, (_, i) => 10 ** (i - 2));
  const memory = {};
  const pairs = correctionPairs(memory, 3, n);
  const diagonal = inverseDiagonal(memory, pairs, 'lbfgs');
  for (const round of [0, 1]) {
    let expected: number[] = [];
    for (let k = 0; k < 7; k++) {
      const s = normals();
      const y = s.map((entry, i) => entry * curvature[i]!);
      const zero = new Float64Array(n);
      const slot = pairs.add({ x: zero, value: 0, gradient: zero }, { x: s, value: -1, gradient: y });
      if (k === 0) expected = Array.from(zero, () => 1 / pairs.inverseScale);
      expected = updated(expected, Array.from(s), Array.from(y));
      diagonal.learn(slot);
      expectClose(
        diagonal.entries.map((d) => 1 / d),
        Float64Array.from(expected),
        1e-12,
        `B after pair ${k} of ${round}`,
      );
    }
    pairs.clear();
    diagonal.clear();
  }
});

test('a variable that moved alone, without a change of its gradient, keeps its scale', () => {
  const memory = {};
  const pairs = correctionPairs(memory, 3, 2);
  const diagonal = inverseDiagonal(memory, pairs, 'lbfgs');
  const zero = new Float64Array(2);
  const to = (s: number[], y: number[]) => ({ x: Float64Array.from(s), value: -1, gradient: Float64Array.from(y) });
  diagonal.learn(pairs.add({ x: zero, value: 0, gradient: zero }, to([1, 1e-170], [1e-12, 1])));
  expect(diagonal.entries.every((d) => d > 0 && d < Number.POSITIVE_INFINITY)).toBe(true);
});

test('a state without the diagonal is refused', () => {
  const objective = ([a = 0, b = 0]: ArrayLike<number> & Iterable<number>) => ({
    value: a ** 4 + b ** 2,
    gradient: [4 * a ** 3, 2 * b],
  });
  const { state } = minimize((x) => objective(x), [1, 2], lbfgs({ scaling: 'diagonal' }), { maxIterations: 3 });
  const { diagonal: _, ...memory } = state.memory;
  expect(() =>
    minimize((x) => objective(x), [1, 2], lbfgs({ scaling: 'diagonal' }), { state: { ...state, memory } }),
  ).toThrow(/does not contain the scale of 2 variables/);
});
