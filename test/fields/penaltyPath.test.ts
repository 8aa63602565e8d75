import { seededRandom } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { completed } from '../../src/core/progressiveWork.ts';
import type { MomentProblem } from '../../src/fields/solvers/momentProblem.ts';
import { measuredMoments } from '../../src/fields/solvers/penalizedNewton.ts';
import { penaltyPath } from '../../src/fields/solvers/penaltyPath.ts';
import { expectClose } from '../tolerance.ts';

describe('the path of penalties', () => {
  const { normal } = seededRandom(9);
  const N = 12;
  const Y = Array.from({ length: N }, () => Array.from({ length: 20 }, () => normal()));
  const moment = (i: number, j: number) => Y[i]!.reduce((sum, entry, d) => sum + entry * Y[j]![d]!, 0) / 20;
  const pairs = Y.flatMap((_, i) => Y.slice(i + 1).map((_, k) => [i, i + 1 + k] as const));
  const moments = (penalty: number): MomentProblem => ({
    size: N,
    sources: Int32Array.from(pairs, ([i]) => i),
    targets: Int32Array.from(pairs, ([, j]) => j),
    variances: Float64Array.from(Y, (_, i) => moment(i, i)),
    covariances: Float64Array.from(pairs, ([i, j]) => moment(i, j)),
    penalty,
  });
  const independent = { diagonal: new Float64Array(N).fill(1), edges: new Float64Array(pairs.length) };

  it('gives at every step the best point so far, measured with the last penalty', () => {
    const problem = moments(0.01);
    const steps = [...penaltyPath(problem, independent)];
    const whole = completed(penaltyPath(problem, independent));
    expect(whole.kktResidual).toBeLessThan(1e-11);
    expect(steps.map(({ iterations }) => iterations)).toEqual(steps.map((_, k) => k + 1));
    let before = -Infinity;
    for (const step of steps) {
      expect(step.value).toBeGreaterThanOrEqual(before - 1e-12 * Math.abs(step.value));
      const again = measuredMoments(problem, step.entries);
      expectClose(step.value, again.value, 1e-12);
      expectClose(step.kktResidual, again.kktResidual, 1e-10);
      before = step.value;
    }
    expect(before).toBe(whole.value);
  });

  it('is saved by a start near the maximum', () => {
    const whole = completed(penaltyPath(moments(0.01), independent));
    const near = { ...whole.entries, diagonal: whole.entries.diagonal.map((entry) => entry * (1 + 1e-4)) };
    const again = completed(penaltyPath(moments(0.01), near));
    expect(again.iterations).toBeLessThan(4);
    expectClose(again.entries.edges, whole.entries.edges, 1e-9);
  });

  it('jumps to a penalty of 0, where all entries are joined and Θ = S⁻¹', () => {
    const whole = completed(penaltyPath(moments(0), independent));
    expect(whole.kktResidual).toBeLessThan(1e-11);
    expect(whole.iterations).toBeLessThan(40);
    const S = moments(0);
    const theta = Array.from({ length: N }, (_, i) =>
      Array.from({ length: N }, (_, j) => (i === j ? whole.entries.diagonal[i]! : 0)),
    );
    pairs.forEach(([i, j], e) => {
      theta[i]![j] = whole.entries.edges[e]!;
      theta[j]![i] = whole.entries.edges[e]!;
    });
    const full = (i: number, j: number) => (i === j ? S.variances[i]! : moment(i, j));
    const product = theta.map((row) => row.map((_, j) => row.reduce((sum, entry, k) => sum + entry * full(k, j), 0)));
    expectClose(
      product,
      theta.map((_, i) => theta.map((_, j) => (i === j ? 1 : 0))),
      1e-9,
    );
  });
});
