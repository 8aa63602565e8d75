import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/core/random.ts';
import { joiningEntries } from '../../src/fields/placement/joiningEntries.ts';
import { layerResidual, momentResidual } from '../../src/fields/solvers/momentProblem.ts';

describe('the residual of second moments', () => {
  const problem = {
    size: 2,
    sources: Int32Array.of(0),
    targets: Int32Array.of(1),
    variances: Float64Array.of(4, 9),
    penalty: 0.5,
  };
  const residual = (entry: number, gradient: number) =>
    momentResidual(problem, { x: Float64Array.of(1, 1, entry), gradient: Float64Array.of(0, 0, gradient) });

  it.each([
    ['an entry that is 0 may be off by the penalty', 0, 0.5, 0],
    ['and no more', 0, -0.8, 0.3],
    ['one above 0 is off by the penalty upwards', 0.1, 0.5, 0],
    ['not downwards', 0.1, -0.5, 1],
    ['one below 0 is off by the penalty downwards', -0.1, -0.5, 0],
    ['and no more', -0.1, -0.9, 0.4],
  ])('%s', (_, entry, gradient, expected) => {
    // In units of √(4·9).
    expect(residual(entry, gradient)).toBeCloseTo(expected / 6, 14);
  });

  it('of the diagonal is in units of the variance of the diagonal', () => {
    const at = { x: Float64Array.of(1, 1, 0), gradient: Float64Array.of(0.1, -0.9, 0) };
    expect(momentResidual(problem, at)).toBeCloseTo(0.1, 14);
  });

  it('of attraction and repulsion is 0 where each is off by the penalty in its own direction', () => {
    const of = (attraction: number, repulsion: number, excess: number) =>
      6 *
      layerResidual(
        problem,
        { attraction: [attraction], repulsion: [repulsion] },
        { diagonal: Float64Array.of(0, 0), edges: Float64Array.of(excess) },
      );
    expect(of(0.2, 0, -0.5)).toBeCloseTo(0, 14);
    expect(of(0, 0.2, 0.5)).toBeCloseTo(0, 14);
    expect(of(0.2, 0, 0.5)).toBeCloseTo(1, 14);
    expect(of(0, 0.2, -0.5)).toBeCloseTo(1, 14);
    expect(of(0, 0, 0.4)).toBe(0);
    expect(of(0, 0, -0.8)).toBeCloseTo(0.3, 14);
  });
});

describe('a point that joins by entries of the precision', () => {
  const random = seededRandom(12);
  const k = 6;
  const factor = Array.from({ length: k }, () => Array.from({ length: k }, () => random.normal()));
  const covariances = Float64Array.from({ length: k * k }, (_, p) => {
    const [i, j] = [Math.floor(p / k), p % k];
    return factor[i]!.reduce((sum, entry, l) => sum + entry * factor[j]![l]!, i === j ? 0.5 : 0);
  });
  const moments = Float64Array.from({ length: k }, () => random.normal());
  const variance = 0.7;

  it.each([0, 0.3, 0.9, 5])('maximizes its density at penalty %d', (penalty) => {
    const { entries, own } = joiningEntries({ covariances, variance, moments, penalty });
    const through = (theta: Float64Array) =>
      theta.map((_, j) => theta.reduce((sum, entry, l) => sum + covariances[j * k + l]! * entry, 0));
    const quadratic = (theta: Float64Array) => theta.reduce((sum, entry, j) => sum + entry * through(theta)[j]!, 0);
    const density = (t: number, theta: Float64Array) =>
      Math.log(t - quadratic(theta)) -
      variance * t -
      2 * theta.reduce((sum, entry, j) => sum + entry * moments[j]! + penalty * Math.abs(entry), 0);
    expect(own).toBeCloseTo(1 / variance + quadratic(entries), 12);
    const image = through(entries);
    entries.forEach((entry, j) => {
      const g = moments[j]! + variance * image[j]!;
      if (entry === 0) expect(Math.abs(g)).toBeLessThanOrEqual(penalty + 1e-9);
      else expect(g).toBeCloseTo(-penalty * Math.sign(entry), 9);
    });
    if (penalty === 0) expect(entries.every((entry) => entry !== 0)).toBe(true);
    if (penalty === 5) expect([...entries]).toEqual(Array(k).fill(0));
    const most = density(own, entries);
    for (let trial = 0; trial < 20; trial++) {
      const near = entries.map((entry) => entry + 1e-3 * random.normal());
      expect(density(own + 1e-3 * random.normal(), near)).toBeLessThan(most);
    }
  });
});
