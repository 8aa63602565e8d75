import { beforeAll, describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/core/matrix.ts';
import { seededRandom } from '../../../src/core/random.ts';
import {
  circle,
  defineModel,
  type Fit,
  fit,
  fixedAt,
  type Geometry,
  gaussianProcess,
  geometry,
  known,
  latent,
  latentVariableModel,
  mapped,
  mlpMap,
  observed,
  ppca,
  rbf,
} from '../../../src/index.ts';
import { exactField } from '../../../src/inference/geometry/metricField.ts';
import { geodesicFrom, graphStarts } from '../../../src/inference/geometry/paths.ts';
import { expectClose } from '../../tolerance.ts';

/** A process that was given points of a surface at its coordinates, without noise to speak of. */
async function surface(
  range: readonly (readonly [number, number])[],
  at: (x: number[]) => number[],
  lengthscale: number[],
  variance: number,
  points: number,
) {
  const random = seededRandom(5);
  const X = Array.from({ length: points }, () => range.map(([from, to]) => from + (to - from) * random.uniform()));
  const options = {
    latentDim: 2,
    posterior: fixedAt(X),
    kernel: rbf({ variance, lengthscale }),
    noise: 1e-6 * variance,
  };
  const result = await fit(latentVariableModel({ observations: X.map(at), ...options }), { maxIterations: 0 });
  return { X, found: geometry(result) };
}

const onSphere = ([turn, tilt]: number[]) => [
  Math.sin(tilt!) * Math.cos(turn!),
  Math.sin(tilt!) * Math.sin(turn!),
  Math.cos(tilt!),
];

describe('geodesics on a sphere', () => {
  let found: Geometry;
  const inside = [
    [0.1, 3.1],
    [0.6, 2.5],
  ] as const;
  beforeAll(async () => {
    ({ found } = await surface(inside, onSphere, [1, 1], 1, 250));
  });

  it('are great circles, and lengths agree with their arcs to 1 %', () => {
    expect(found.interpolationError).toBeLessThan(0.005);
    const pairs = [
      [
        [0.4, 1.2],
        [2.6, 1.7],
      ],
      [
        [0.3, 0.9],
        [1.2, 2.2],
      ],
      [
        [1, 1.5],
        [1.1, 1.6],
      ],
      [
        [0.5, 1],
        [2.5, 1.0],
      ],
    ] as const;
    for (const [from, to] of pairs) {
      const [a, b] = [onSphere([...from]), onSphere([...to])];
      const angle = Math.acos(a.reduce((sum, entry, k) => sum + entry * b[k]!, 0));
      const geodesic = found.geodesic([...from], [...to], { points: 9 });
      expect(geodesic.converged).toBe(true);
      expect(Math.abs(geodesic.length / angle - 1)).toBeLessThan(0.01);
      // All points lie in the plane of the great circle, equally far from each other.
      const normal = [a[1]! * b[2]! - a[2]! * b[1]!, a[2]! * b[0]! - a[0]! * b[2]!, a[0]! * b[1]! - a[1]! * b[0]!];
      const size = Math.hypot(...normal);
      geodesic.latents.toArrays().forEach((x, i) => {
        const y = onSphere(x);
        expect(Math.abs(y.reduce((sum, entry, k) => sum + (entry * normal[k]!) / size, 0))).toBeLessThan(0.02);
        const along = Math.acos(
          Math.min(
            1,
            y.reduce((sum, entry, k) => sum + entry * a[k]!, 0),
          ),
        );
        expect(Math.abs(along - (angle * i) / 8)).toBeLessThan(0.02);
      });
      expect(found.length([[...from], [...to]])).toBeGreaterThanOrEqual(geodesic.length * 0.999);
      expect(found.distance([...to], [...from])).toBe(geodesic.length);
    }
  });

  it('leave a point with a velocity and arrive where a geodesic of that length leads', () => {
    const [from, to] = [
      [0.5, 1],
      [2, 1.6],
    ];
    const geodesic = found.geodesic(from!, to!, { points: 200 });
    const speed = [0, 1].map((k) => 199 * (geodesic.latents.at(1, k) - geodesic.latents.at(0, k)));
    const path = found.exponential(from!, speed, { points: 3 });
    expect(path.rows).toBe(3);
    expect(Math.hypot(path.at(2, 0) - to![0]!, path.at(2, 1) - to![1]!)).toBeLessThan(0.05);
    expect(found.length(path)).toBeCloseTo(geodesic.length, 1);
  });

  it('have the magnification of the sphere, the sine of the tilt, to 1 %', () => {
    const magnification = found.magnification([
      [1, 1],
      [2, 2],
    ]);
    expect(Math.abs(magnification[0]! / Math.sin(1) - 1)).toBeLessThan(0.01);
    expect(Math.abs(magnification[1]! / Math.sin(2) - 1)).toBeLessThan(0.01);
  });
});

describe('geodesics on a Swiss roll', () => {
  it('have the lengths of straight lines on the sheet that is rolled up, to 2 %', { tags: 'long' }, async () => {
    const roll = ([t, h]: number[]) => [t! * Math.cos(t!), h!, t! * Math.sin(t!)];
    const range = [
      [4.7, 14.1],
      [0, 21],
    ] as const;
    const { found, X } = await surface(range, roll, [1.5, 15], 60, 400);
    const sheet = (t: number) => (t * Math.sqrt(1 + t * t) + Math.asinh(t)) / 2;
    const middle = X.map((x, i) => ({ x, i })).filter(
      ({ x }) => x[0]! > 5.5 && x[0]! < 13.3 && x[1]! > 2 && x[1]! < 19,
    );
    for (let k = 0; k < 12; k++) {
      const [a, b] = [middle[k]!, middle[middle.length - 1 - k]!];
      const truth = Math.hypot(sheet(a.x[0]!) - sheet(b.x[0]!), a.x[1]! - b.x[1]!);
      expect(Math.abs(found.distance(a.i, b.i) / truth - 1)).toBeLessThan(0.02);
    }
  });
});

describe('geodesics of other dimensions', () => {
  const Y = Array.from({ length: 30 }, (_, i) =>
    [0, 1, 2, 3, 4].map((d) => Math.sin(i * (d + 1)) + 0.2 * d * Math.cos(3 * i)),
  );

  it.each([1, 2, 3])(
    'of PPCA in %i dimensions are straight lines, as long as the lines between its means',
    async (latentDim) => {
      const result = await fit(ppca(Y, { latentDim }));
      const found = geometry(result);
      const { latents, length } = found.geodesic(3, 17, { points: 5 });
      const ends = result.predict([Array.from(result.latents.row(3)), Array.from(result.latents.row(17))]).mean;
      const truth = Math.hypot(...Array.from(ends.row(0), (entry, d) => entry - ends.at(1, d)));
      expect(length).toBeCloseTo(truth, 5);
      for (let k = 0; k < latentDim; k++) {
        expect(latents.at(2, k)).toBeCloseTo((result.latents.at(3, k) + result.latents.at(17, k)) / 2, 3);
      }
      const all = found.distances([3, 17, 5]);
      expect(all.at(1, 0)).toBe(all.at(0, 1));
      expect(all.at(0, 1)).toBeCloseTo(length, 10);
      expect(all.at(2, 2)).toBe(0);
    },
  );

  it('keep to the data where the straight line leaves them', async () => {
    const arc = Array.from({ length: 40 }, (_, i) => {
      const angle = (1.5 * Math.PI * i) / 39;
      return [Math.cos(angle), Math.sin(angle)];
    });
    const options = { latentDim: 2, posterior: fixedAt(arc), kernel: rbf({ lengthscale: 0.4 }), noise: 1e-3 };
    const observations = arc.map(([a, b]) => [a!, b!, a! * b!]);
    const result: Fit = (await fit(latentVariableModel({ observations, ...options }), { maxIterations: 0 })) as never;
    const { latents, converged } = geometry(result).geodesic(0, 39, { points: 21 });
    expect(converged).toBe(true);
    for (const [a, b] of latents.toArrays()) expect(Math.hypot(a!, b!)).toBeGreaterThan(0.7);
  });
});

it('an exact metric has the slopes of its entries, side by side for each column', () => {
  const metricAt = (X: Matrix) => Float64Array.from(X.toArrays().flatMap(([a, b]) => [a! * a!, a! * b!, a! * b!, b!]));
  const { metric, slopes } = exactField(metricAt, 2, 0.01).withSlopes(Float64Array.of(2, 3, -1, 0.5));
  expect(Array.from(metric)).toEqual([4, 6, 6, 3, 1, -0.5, -0.5, 0.5]);
  expectClose(slopes, [4, 3, 3, 0, 0, 2, 2, 1, -2, 0.5, 0.5, 0, 0, -1, -1, 1], 1e-13);
});

describe('the start of a geodesic in three dimensions', () => {
  it('goes from point to point around where lengths are many times as large', () => {
    const onArc = (i: number) => [Math.cos(0.2 * i), Math.sin(0.2 * i), 0];
    const elsewhere = Array.from({ length: 12 }, (_, i) => [9, 0, i / 10]);
    const points = [...elsewhere, ...Array.from({ length: 24 }, (_, i) => onArc(i))];
    // Lengths within the circle are exp(40·(1 − r)) as large, so that the way is the shorter the nearer it keeps to the circle.
    const metricAt = (X: Matrix) =>
      Float64Array.from(
        X.toArrays().flatMap((x) => {
          const square = Math.exp(80 * (1 - Math.hypot(...x)));
          return [square, 0, 0, 0, square, 0, 0, 0, square];
        }),
      );
    const start = graphStarts(exactField(metricAt, 3, 1e-3), Matrix.from(points));
    const path = start(Float64Array.from(onArc(2.5)), Float64Array.from(onArc(17.5)));
    const wanted = [2.5, ...Array.from({ length: 15 }, (_, k) => 3 + k), 17.5].flatMap(onArc);
    expect(Array.from(path)).toEqual(wanted);
  });
});

describe('interpolation along a geodesic', () => {
  it('predicts at its points, and names the columns of a table', async () => {
    const arc = Array.from({ length: 30 }, (_, i) => [Math.cos(i / 8), Math.sin(i / 8)]);
    const observations = arc.map(([a, b]) => [a!, b!, a! * b!]);
    const options = { latentDim: 2, posterior: fixedAt(arc), kernel: rbf({ lengthscale: 0.4 }), noise: 1e-3 };
    const model = latentVariableModel({ observations, ...options });
    const table = { observations: Matrix.from(observations), columns: ['a', 'b', 'c'] };
    const result = await fit(model, { maxIterations: 0, table });
    const found = await result.interpolate(0, 29, 6, { along: 'geodesic' });
    expect(found.columns).toEqual(['a', 'b', 'c']);
    const path = geometry(result).geodesic(0, 29, { points: 6 }).latents;
    expect(found.latents.toArrays()).toEqual(path.toArrays());
    expect(found.mean.toArrays()).toEqual(result.predict(path).mean.toArrays());
    expect(result.interpolate(0, 29, 6).latents.toArrays()).not.toEqual(path.toArrays());
    expect(() => result.interpolate(0, 29, 6, { along: 'curve' } as never)).toThrow(/line/);
    await expect(async () => result.interpolate(0, 29, 1, { along: 'geodesic' })).rejects.toThrow(/from 2/);
  });

  it('leads along what is mapped from the observations, where there are no latents', async () => {
    const model = defineModel({
      name: 'encoder',
      variables: ({ y }: { y: number[][] }) => {
        const measured = known(y);
        const x = mapped(measured, mlpMap({ hidden: 3 }), { dim: 1 });
        const density = gaussianProcess({ kernel: rbf(), noise: 0.01 });
        return { measured, x, y: observed(measured, { density, given: x }) };
      },
    });
    const y = Array.from({ length: 6 }, (_, i) => [Math.cos(i / 3), Math.sin(i / 3), i / 6]);
    const result = await fit(model({ y }), { maxIterations: 0 });
    const { latents, mean } = await result.interpolate(0, 5, 3, { along: 'geodesic' });
    const ends = [0, 2].map((k) => latents.at(k, 0));
    expectClose(
      ends,
      [0, 5].map((k) => result.latents.at(k, 0)),
      1e-12,
    );
    expect(mean.toArrays()).toEqual(result.predict({ x: latents }).y.mean.toArrays());
  });

  it('goes the shorter of the two ways around a circle, by the metric', { tags: 'long' }, async () => {
    const angles = Array.from({ length: 60 }, (_, i) => (2 * Math.PI * i) / 60);
    // An ellipse: its long side between angles of 0.6 and 2.5 has 1.9 radians, but more length than its ends.
    const at = (t: number) => [3 * Math.cos(t), Math.sin(t), 0.5 * Math.cos(t)];
    const model = defineModel({
      name: 'ring',
      variables: ({ y }: { y: number[][] }) => {
        const angle = latent({ dim: 1, init: angles.map((t) => [t]) });
        const x = mapped(angle, circle());
        const density = gaussianProcess({ kernel: rbf({ variance: 4 }), noise: 1e-4 });
        return { angle, x, y: observed(y, { density, given: x }) };
      },
    });
    const result = await fit(model({ y: angles.map(at) }), { maxIterations: 0 });
    const found = geometry(result);
    const arc = (from: number, to: number) => {
      let sum = 0;
      for (let k = 0; k < 2000; k++) {
        const [a, b] = [at(from + ((to - from) * k) / 2000), at(from + ((to - from) * (k + 1)) / 2000)];
        sum += Math.hypot(...a.map((entry, d) => entry - b[d]!));
      }
      return sum;
    };
    for (const [from, to] of [
      [0.6, 2.5],
      [6, 0.4],
      [1, 5.9],
      [0.2, 3.6],
    ] as const) {
      const ways = [to - from, to - from - 2 * Math.PI * Math.sign(to - from)].map((way) => arc(from, from + way));
      expect(Math.abs(found.distance([from], [to]) / Math.min(...ways) - 1)).toBeLessThan(0.01);
    }
    const { latents, mean } = await result.interpolate(57, 4, 7, { along: 'geodesic' });
    expect(latents.columns).toBe(1);
    // Through an angle of 0, where the first column is largest.
    expect(Math.max(...mean.toArrays().map(([y]) => y!))).toBeGreaterThan(2.95);
  });
});

it('a geodesic is not a number where the metric gives a direction no length', () => {
  // The second direction, by cos x₁, has no length from a quarter turn on.
  const metricAt = (x: number) => [1, 0, 0, Math.max(0, Math.cos(x))];
  const flat = exactField((X) => Float64Array.from(Array.from(X.column(0), metricAt).flat()), 2, 1e-4);
  const path = (speed: number) => geodesicFrom(flat, Float64Array.of(0, 0), Float64Array.of(speed, 0.1), 40);
  expect(path(1).data.every(Number.isFinite)).toBe(true);
  expect(path(2).data.some(Number.isNaN)).toBe(true);
});
