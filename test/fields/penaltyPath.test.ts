import { seededRandom } from 'latentfield';
import { describe, expect, it } from 'vitest';
import type { MomentProblem } from '../../src/fields/density/secondMoments.ts';
import { penalizedNewton } from '../../src/fields/solvers/penalizedNewton.ts';
import { penaltyPath } from '../../src/fields/solvers/penaltyPath.ts';
import { withFloat64 } from '../../src/tensors/float64/scope.ts';
import { expectClose } from '../tolerance.ts';

function ended(search: ReturnType<typeof penaltyPath>) {
  for (;;) {
    const step = withFloat64(() => search.next(false));
    if (step.done) return step.value;
  }
}

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

  it('takes no more steps in all than it may', () => {
    const whole = ended(penaltyPath(moments(0.01), independent, 1000));
    expect(whole.kktResidual).toBeLessThan(1e-11);
    for (const steps of [0, 1, 4, whole.iterations - 1]) {
      const some = ended(penaltyPath(moments(0.01), independent, steps));
      expect(some.iterations).toBe(steps);
      expect(some.value).toBeLessThan(whole.value);
      // Measured with the last penalty, wherever on the path it ended.
      const again = ended(penalizedNewton(moments(0.01), some.entries, 0));
      expectClose(some.value, again.value, 1e-12);
      expectClose(some.kktResidual, again.kktResidual, 1e-10);
    }
  });

  it('is saved by a start near the maximum', () => {
    const whole = ended(penaltyPath(moments(0.01), independent, 1000));
    const near = { ...whole.entries, diagonal: whole.entries.diagonal.map((entry) => entry * (1 + 1e-4)) };
    const again = ended(penaltyPath(moments(0.01), near, 1000));
    expect(again.iterations).toBeLessThan(4);
    expectClose(again.entries.edges, whole.entries.edges, 1e-9);
  });

  it('jumps to a penalty of 0, where all entries are joined and Θ = S⁻¹', () => {
    const whole = ended(penaltyPath(moments(0), independent, 1000));
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
