import { describe, expect, it } from 'vitest';
import { Matrix, seededRandom } from '../../../src/index.ts';
import { essBulk, rHat } from '../../../src/inference/sampling/convergence.ts';
import { latentDraws } from '../../../src/inference/sampling/latentDraws.ts';
import { windowCovariance } from '../../../src/inference/sampling/samplers/hamiltonian.ts';
import { expectClose } from '../../tolerance.ts';

const random = seededRandom(2);

describe('draws of latents that are free to turn', () => {
  const base = Array.from({ length: 4 }, () => [3 * random.normal(), random.normal()]);
  // 2 chains of 30 draws, each turned or reflected by another angle; the last point wanders slowly.
  let drift = 0;
  const plain = Array.from({ length: 60 }, () => {
    drift = 0.9 * drift + random.normal();
    return base.map(([a, b], n) => [a! + 0.1 * random.normal() + (n === 3 ? drift : 0), b! + 0.1 * random.normal()]);
  });
  const turned = plain.map((rows, s) => {
    const [c, d, sign] = [Math.cos(s), Math.sin(s), s % 3 === 0 ? -1 : 1];
    return Matrix.from(rows.map(([a, b]) => [c * a! - d * b!, sign * (d * a! + c * b!)]));
  });
  const found = latentDraws(turned, 2);

  it('are summed up by the worst distance of two points: the largest rHat and the least bulk ESS', () => {
    const distances = [0, 1, 2, 3].flatMap((i) =>
      Array.from({ length: i }, (_, j) => {
        const values = plain.map((rows) => Math.hypot(rows[i]![0]! - rows[j]![0]!, rows[i]![1]! - rows[j]![1]!));
        return [values.slice(0, 30), values.slice(30)];
      }),
    );
    const [worst, least] = [Math.max(...distances.map(rHat)), Math.min(...distances.map(essBulk))];
    expect(found.rHat / worst).toBeCloseTo(1, 9);
    expect(found.essBulk / least).toBeCloseTo(1, 9);
    // Distances differ, so that another one would be noticed.
    expect(Math.max(...distances.map(essBulk))).toBeGreaterThan(1.5 * least);
  });

  it('lie about their mean, which has the distances of the points, with the covariance of the aligned draws', () => {
    const { mean, aligned, covariances } = found;
    expect(Math.hypot(mean.at(0, 0) - mean.at(1, 0), mean.at(0, 1) - mean.at(1, 1))).toBeCloseTo(
      Math.hypot(base[0]![0]! - base[1]![0]!, base[0]![1]! - base[1]![1]!),
      0,
    );
    for (const [a, b] of [
      [0, 0],
      [0, 1],
      [1, 1],
    ] as const) {
      const expected =
        aligned.reduce((sum, X) => sum + (X.at(3, a) - mean.at(3, a)) * (X.at(3, b) - mean.at(3, b)), 0) / 59;
      expect(covariances[3]!.at(a, b)).toBeCloseTo(expected, 10);
    }
  });
});

describe('chains at two maps', () => {
  // Chains 0 and 2 at one map, 1 at another; each draw turned by an angle of its own.
  const maps = [0, 1].map(() => Array.from({ length: 6 }, () => [random.normal(), random.normal()]));
  const drawOf = (map: number, s: number) =>
    Matrix.from(
      maps[map]!.map(([x, y]) => {
        const [a, b] = [x! + 0.05 * random.normal(), y! + 0.05 * random.normal()];
        return [Math.cos(s) * a - Math.sin(s) * b, Math.sin(s) * a + Math.cos(s) * b];
      }),
    );
  const {
    modes,
    chainRHat,
    rHat: worst,
  } = latentDraws(
    [0, 1, 0].flatMap((map) => Array.from({ length: 40 }, (_, s) => drawOf(map, s))),
    3,
  );
  const distance = (X: { at(i: number, d: number): number }, i: number, j: number) =>
    Math.hypot(X.at(i, 0) - X.at(j, 0), X.at(i, 1) - X.at(j, 1));

  it('are distinguished by their distances, with the mean map of each', () => {
    expect(modes.map(({ chains }) => chains)).toEqual([[0, 2], [1]]);
    modes.forEach(({ mean }, m) => {
      const own = Matrix.from(maps[m]!);
      for (const [i, j] of [
        [0, 1],
        [2, 5],
        [3, 4],
      ] as const) {
        expect(Math.abs(distance(mean, i, j) - distance(own, i, j))).toBeLessThan(0.06);
      }
    });
    for (const covariance of modes[1]!.covariances) {
      expect(covariance.at(0, 0) + covariance.at(1, 1)).toBeLessThan(0.01);
    }
  });

  it('are not mixed together, though each chain alone is', () => {
    expect(worst).toBeGreaterThan(1.5);
    expect(Math.max(...chainRHat)).toBeLessThan(1.3);
  });
});

describe('the covariance of a window of a chain', () => {
  const points = Array.from({ length: 9 }, () => Float64Array.from({ length: 3 }, () => random.normal()));
  const mean = Float64Array.from({ length: 3 }, (_, i) => points.reduce((sum, x) => sum + x[i]! / 9, 0));
  /** n/(n + 5) of the covariance and 10⁻³·5/(n + 5) of the identity. */
  const entry = (i: number, j: number) => {
    const covariance = points.reduce((sum, x) => sum + ((x[i]! - mean[i]!) * (x[j]! - mean[j]!)) / 8, 0);
    return (9 / 14) * covariance + (i === j ? 1e-3 * (5 / 14) : 0);
  };

  it.each([true, false])(
    'is regularized as Stan does it: dense %s, also from its memory and after others',
    (isDense) => {
      const expected = isDense
        ? [0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => entry(i, j)))
        : [0, 1, 2].map((i) => entry(i, i));
      const window = windowCovariance(3, isDense);
      window.add(Float64Array.of(100, -50, 7));
      window.restart();
      for (const x of points.slice(0, 4)) window.add(x);
      const resumed = windowCovariance(3, isDense, window.memory());
      for (const x of points.slice(4)) resumed.add(x);
      expectClose(resumed.regularized(), expected, 1e-12);
    },
  );
});
