import { InvalidInputError, Matrix, seededRandom } from 'latentfield';
import { compareMaps } from 'latentfield/inference';
import { describe, expect, it } from 'vitest';

const random = seededRandom(2);
const X = Matrix.from(Array.from({ length: 40 }, () => [random.normal(), 0.6 * random.normal()]));
const [cos, sin] = [Math.cos(0.7), Math.sin(0.7)];
/** Turned, reflected, shifted and doubled. */
const moved = Matrix.from(X.toArrays().map(([a, b]) => [2 * (cos * a! + sin * b!) + 5, 2 * (sin * a! - cos * b!) - 1]));

describe('compareMaps', () => {
  it('finds maps the same that differ by a turn, a reflection, a shift and a scale', () => {
    const found = compareMaps(X, { latents: moved });
    expect(found).toMatchObject({ neighbors: 9, overlap: 1, byChance: 9 / 39 });
    expect(found.procrustes).toBeLessThan(1e-13);
    expect(Math.max(...found.pointwise.displacement)).toBeLessThan(1e-6);
  });

  it('is at the level of chance for maps that have nothing to do with each other, and 1 − R² in one dimension', () => {
    const draws = Array.from({ length: 60 }, () => {
      const other = Matrix.from(Array.from({ length: 40 }, () => [random.normal(), random.normal()]));
      return compareMaps(X, other, { neighbors: 5 }).overlap;
    });
    const mean = draws.reduce((sum, own) => sum + own, 0) / draws.length;
    expect(Math.abs(mean - 5 / 39)).toBeLessThan(0.02);
    const [x, y] = [
      [1, 2, 3, 5, 9],
      [2, 1, 4, 4, 8],
    ];
    const center = (of: number[]) => of.map((own) => own - of.reduce((a, b) => a + b) / of.length);
    const dot = (a: number[], b: number[]) => a.reduce((sum, own, i) => sum + own * b[i]!, 0);
    const [a, b] = [center(x), center(y)];
    const { procrustes } = compareMaps(
      x.map((own) => [own]),
      y.map((own) => [own]),
    );
    expect(procrustes).toBeCloseTo(1 - dot(a, b) ** 2 / (dot(a, a) * dot(b, b)), 12);
  });

  it('matches points by their names, in any order', () => {
    const ids = Array.from({ length: 40 }, (_, i) => `p${i}`);
    const order = Array.from({ length: 30 }, (_, i) => 39 - i);
    const some = Matrix.from(order.map((i) => moved.row(i)));
    const found = compareMaps(X, some, { ids: [ids, order.map((i) => ids[i]!)], neighbors: 3 });
    expect(Array.from(found.points.first)).toEqual(Array.from({ length: 30 }, (_, i) => i + 10));
    expect(Array.from(found.points.second)).toEqual(Array.from({ length: 30 }, (_, i) => 29 - i));
    expect(found.overlap).toBe(1);
    expect(found.procrustes).toBeLessThan(1e-13);
  });

  it('refuses maps that cannot be matched', () => {
    const refused = (make: () => unknown, message: RegExp) => {
      expect(make).toThrow(InvalidInputError);
      expect(make).toThrow(message);
    };
    refused(() => compareMaps(X, X.toArrays().slice(1)), /40 and 39 points\. Give `ids`/);
    refused(() => compareMaps(X, X, { neighbors: 40 }), /less than the 40 points that both maps have, but 40/);
    const names = Array.from({ length: 40 }, (_, i) => `p${i % 39}`);
    refused(() => compareMaps(X, X, { ids: [names, names] }), /several points 'p0'/);
    const apart = names.map((_, i) => `q${i}`);
    refused(
      () => compareMaps(X, X, { ids: [apart, apart.map((id) => `${id}'`)] }),
      /0 points in common, and a comparison takes 4/,
    );
  });
});
