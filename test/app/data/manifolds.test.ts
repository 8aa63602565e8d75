import { describe, expect, it } from 'vitest';
import {
  circle,
  distortedS,
  helix,
  type ManifoldSample,
  swissRoll,
  twinPeaks,
  twoMoons,
} from '../../../src/app/data/index.ts';
import { readTable } from '../../../src/app/io/index.ts';
import { sharedFile } from '../../reference.ts';

const generators = { circle, distortedS, twoMoons, helix, twinPeaks, swissRoll };
const cases = Object.entries(generators);

const sizes = {
  circle: [100, 2, 1],
  distortedS: [100, 2, 1],
  twoMoons: [200, 2, 1],
  helix: [600, 3, 1],
  twinPeaks: [600, 3, 2],
  swissRoll: [1000, 3, 2],
};

describe.each(cases)('%s', (name, generate) => {
  it('has N×D observations and the parameters of every point', () => {
    const { observations, parameters } = generate();
    expect([observations.rows, observations.columns, parameters.columns]).toEqual(sizes[name as keyof typeof sizes]);
    expect(parameters.rows).toBe(observations.rows);
  });

  it('is a function of its seed, and fewer points are the first of more', () => {
    const first = generate({ points: 30, seed: 7 });
    expect(generate({ points: 30, seed: 7 })).toEqual(first);
    expect(generate({ points: 30, seed: 8 }).parameters).not.toEqual(first.parameters);
    const more = generate({ points: 50, seed: 7 });
    expect(more.observations.data.slice(0, first.observations.data.length)).toEqual(first.observations.data);
    expect(more.parameters.data.slice(0, first.parameters.data.length)).toEqual(first.parameters.data);
  });

  it('adds to the same points independent noise of the stated size', () => {
    const points = 5000;
    const exact = generate({ points, noise: 0 });
    const noisy = generate({ points, noise: 0.3 });
    expect(noisy.parameters).toEqual(exact.parameters);
    const added = exact.observations.toArrays().map((row, i) => row.map((y, d) => noisy.observations.at(i, d) - y));
    expectMoments(
      added,
      added[0]!.map(() => 0),
      added[0]!.map((_, a) => added[0]!.map((__, b) => (a === b ? 0.09 : 0))),
    );
  });

  it('explains invalid input', () => {
    expect(() => generate({ points: 1.5 })).toThrow(
      `Option 'points' of ${name} must be a whole number from 1, but 1.5 was given`,
    );
    expect(() => generate({ noise: -1 })).toThrow(
      `Option 'noise' of ${name} must be a number from 0, but -1 was given`,
    );
    if (name === 'twinPeaks' || name === 'swissRoll') {
      expect(() => generators[name]({ height: 0 })).toThrow(
        `Option 'height' of ${name} must be a number above 0, but 0 was given`,
      );
    }
  });
});

/** Distances of noiseless points from the curve or surface that an implicit equation describes. */
const off = ({ observations }: ManifoldSample, equation: (...y: number[]) => number): number =>
  observations.toArrays().reduce((worst, row) => Math.max(worst, Math.abs(equation(...row))), 0);

describe('without noise', () => {
  it('a point of the circle is at distance 1 from the origin, at the angle that is its parameter', () => {
    const sample = circle({ points: 500, noise: 0 });
    expect(off(sample, (x, y) => Math.hypot(x!, y!) - 1)).toBeLessThan(1e-15);
    const angles = sample.observations.toArrays().map(([x, y]) => (Math.atan2(y!, x!) + 2 * Math.PI) % (2 * Math.PI));
    angles.forEach((angle, i) => {
      expect(Math.abs(angle - sample.parameters.at(i, 0))).toBeLessThan(1e-14);
    });
  });

  it('a point of the distorted S, its shear undone, is on one of two half circles about (0, ±1)', () => {
    const sample = distortedS({ points: 500, noise: 0 });
    const determinant = -0.178 * 0.0225 - 0.134 * 0.174;
    const upright = (x: number, y: number) => [
      (0.0225 * x - 0.174 * y) / determinant,
      (-0.134 * x - 0.178 * y) / determinant,
    ];
    expect(
      off(sample, (x, y) => {
        const [width, height] = upright(x!, y!);
        return Math.hypot(width!, height! - Math.sign(height!)) - 1;
      }),
    ).toBeLessThan(1e-14);
    sample.observations.toArrays().forEach(([x, y], i) => {
      const [width, height] = upright(x!, y!);
      // On either half circle the width has the sign of t.
      expect(Math.sign(width!)).toBe(Math.sign(height!));
      expect(Math.sign(height!)).toBe(Math.sign(sample.parameters.at(i, 0)));
    });
  });

  it('a point of the two moons is on the upper or the lower half circle, by its label', () => {
    const sample = twoMoons({ points: 500, noise: 0 });
    sample.observations.toArrays().forEach(([x, y], i) => {
      const isUpper = sample.labels[i] === 0;
      const [center, middle] = isUpper ? [0, 0] : [1, 0.5];
      expect(Math.abs(Math.hypot(x! - center!, y! - middle!) - 1)).toBeLessThan(1e-15);
      expect(isUpper ? y! : 0.5 - y!).toBeGreaterThanOrEqual(0);
    });
    expect([0, 1].map((label) => sample.labels.filter((l) => l === label).length)).toEqual([249, 251]);
  });

  it('a point of the helix is at distance 1 from a circle of radius 2, at eight times its angle', () => {
    const sample = helix({ points: 500, noise: 0 });
    expect(off(sample, (x, y, z) => Math.hypot(Math.hypot(x!, y!) - 2, z!) - 1)).toBeLessThan(1e-14);
    sample.observations.toArrays().forEach(([x, y, z], i) => {
      const winding = Math.atan2(z!, Math.hypot(x!, y!) - 2);
      const turn = (8 * sample.parameters.at(i, 0) - winding) / (2 * Math.PI);
      expect(Math.abs(turn - Math.round(turn))).toBeLessThan(1e-14);
      const around = (Math.atan2(y!, x!) - sample.parameters.at(i, 0)) / (2 * Math.PI);
      expect(Math.abs(around - Math.round(around))).toBeLessThan(1e-14);
    });
  });

  it('the height of a point of the twin peaks follows from its position, by the formula that Mao et al. print', () => {
    for (const height of [1, 10]) {
      const sample = twinPeaks({ points: 500, noise: 0, height });
      const printed = (u: number, v: number) => {
        const [p, q] = [(1 - u) / 2, (1 - v) / 2];
        return height * Math.sin(Math.PI - 2 * Math.PI * p) * Math.tanh(3 - 6 * q);
      };
      expect(off(sample, (u, v, z) => z! - printed(u!, v!))).toBeLessThan(1e-13);
      expect(sample.observations.toArrays().map(([u, v]) => [u, v])).toEqual(sample.parameters.toArrays());
    }
  });

  it('a point of the Swiss roll is at distance t from the axis and h along it', () => {
    const sample = swissRoll({ points: 500, noise: 0, height: 10 });
    sample.observations.toArrays().forEach(([x, y, z], i) => {
      const [t, h] = Array.from(sample.parameters.row(i));
      expect(Math.abs(Math.hypot(x!, z!) - t!)).toBeLessThan(1e-14);
      expect(Math.abs(x! * Math.sin(t!) - z! * Math.cos(t!))).toBeLessThan(1e-14);
      expect(y).toBe(h);
      expect(h! >= 0 && h! < 10 && t! >= 1.5 * Math.PI && t! < 4.5 * Math.PI).toBe(true);
    });
  });
});

describe('the moments agree with the formulas', () => {
  const points = 20_000;
  const noise = 0.1;
  const diagonal = (...variances: number[]) =>
    variances.map((variance, a) => variances.map((_, b) => (a === b ? variance + noise ** 2 : 0)));

  it('of the circle', () => {
    expectMoments(circle({ points, noise }).observations.toArrays(), [0, 0], diagonal(1 / 2, 1 / 2));
  });

  it('of the distorted S', () => {
    // E[sin²] = 1/2, E[(1 − cos)²] = 3/2, and E[sin·sign·(1 − cos)] = 2/π, sheared.
    const A = [
      [-0.178, 0.174],
      [0.134, 0.0225],
    ];
    const upright = [
      [1 / 2, 2 / Math.PI],
      [2 / Math.PI, 3 / 2],
    ];
    const sheared = A.map((left) =>
      A.map((right) =>
        left.reduce((sum, a, i) => sum + a * right.reduce((inner, b, j) => inner + upright[i]![j]! * b, 0), 0),
      ),
    );
    const covariance = sheared.map((row, a) => row.map((entry, b) => entry + (a === b ? noise ** 2 : 0)));
    expectMoments(distortedS({ points, noise }).observations.toArrays(), [0, 0], covariance);
  });

  it('of either moon', () => {
    const { observations, labels } = twoMoons({ points, noise });
    const depth = 1 / 2 - 4 / Math.PI ** 2;
    const of = (label: number) => observations.toArrays().filter((_, i) => labels[i] === label);
    expectMoments(of(0), [0, 2 / Math.PI], diagonal(1 / 2, depth));
    expectMoments(of(1), [1, 0.5 - 2 / Math.PI], diagonal(1 / 2, depth));
  });

  it('of the helix', () => {
    expectMoments(helix({ points, noise }).observations.toArrays(), [0, 0, 0], diagonal(9 / 4, 9 / 4, 1 / 2));
  });

  it('of the twin peaks', () => {
    const height = (1 - Math.tanh(3) / 3) / 2;
    expectMoments(twinPeaks({ points, noise }).observations.toArrays(), [0, 0, 0], diagonal(1 / 3, 1 / 3, height));
  });

  it('of the Swiss roll, as in ../shared/peers/peers.py with its noise of 0.05', () => {
    const mean = (antiderivative: (t: number) => number) =>
      (antiderivative(4.5 * Math.PI) - antiderivative(1.5 * Math.PI)) / (3 * Math.PI);
    const x = mean((t) => t * Math.sin(t) + Math.cos(t));
    const z = mean((t) => Math.sin(t) - t * Math.cos(t));
    const half = (t: number) => (t ** 2 * Math.sin(2 * t)) / 4 + (t * Math.cos(2 * t)) / 4 - Math.sin(2 * t) / 8;
    const xx = mean((t) => t ** 3 / 6 + half(t));
    const zz = mean((t) => t ** 3 / 6 - half(t));
    const xz = mean((t) => -(t ** 2 * Math.cos(2 * t)) / 4 + (t * Math.sin(2 * t)) / 4 + Math.cos(2 * t) / 8);
    expectMoments(
      swissRoll({ points }).observations.toArrays(),
      [x, 10.5, z],
      [
        [xx - x ** 2 + 0.0025, 0, xz - x * z],
        [0, 21 ** 2 / 12 + 0.0025, 0],
        [xz - x * z, 0, zz - z ** 2 + 0.0025],
      ],
    );
  });
});

/** Expects mean and covariance within 5 standard errors, which the sample itself estimates. */
function expectMoments(rows: readonly number[][], mean: readonly number[], covariance: readonly number[][]): void {
  const expectMean = (values: number[], wanted: number, what: string) => {
    const N = values.length;
    const found = values.reduce((sum, value) => sum + value / N, 0);
    const error = Math.sqrt(values.reduce((sum, value) => sum + (value - found) ** 2, 0)) / N;
    expect(Math.abs(found - wanted), `${what}: ${found} for ${wanted}`).toBeLessThan(5 * error);
  };
  mean.forEach((wanted, a) => {
    expectMean(
      rows.map((row) => row[a]!),
      wanted,
      `mean ${a}`,
    );
    covariance[a]!.forEach((entry, b) => {
      expectMean(
        rows.map((row) => (row[a]! - mean[a]!) * (row[b]! - mean[b]!)),
        entry,
        `covariance ${a}, ${b}`,
      );
    });
  });
}

const kegl = { circle: sharedFile('data/kegl_circle_X.npy'), distortedS: sharedFile('data/kegl_distorted_s_X.npy') };

describe.runIf(kegl.circle)('the points of Kégl et al. (shared/data/kegl_circle_X.npy)', () => {
  it('lie about the same circle with a noise of 0.18', async () => {
    const { observations: matrix } = await readTable(kegl.circle!);
    const radii = matrix.toArrays().map(([x, y]) => Math.hypot(x!, y!));
    const spread = Math.sqrt(radii.reduce((sum, radius) => sum + (radius - 1) ** 2 / radii.length, 0));
    expect(spread).toBeCloseTo(0.18, 2);
  });
});

describe.runIf(kegl.distortedS)('the points of Kégl et al. (shared/data/kegl_distorted_s_X.npy)', () => {
  it('lie about the same distorted S, 0.026 off it', async () => {
    const { observations: matrix } = await readTable(kegl.distortedS!);
    const curve = distortedS({ points: 20_000, noise: 0 }).observations.toArrays();
    const nearest = matrix
      .toArrays()
      .map(([x, y]) => curve.reduce((least, [a, b]) => Math.min(least, (x! - a!) ** 2 + (y! - b!) ** 2), Infinity));
    expect(Math.sqrt(nearest.reduce((sum, square) => sum + square / nearest.length, 0))).toBeCloseTo(0.026, 3);
  });
});
