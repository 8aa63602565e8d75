import { describe, expect, it } from 'vitest';
import { completed } from '../../src/core/progressiveWork.ts';
import { seededRandom } from '../../src/core/random.ts';
import { conjugateGradients, type Indefinite } from '../../src/inference/solvers/conjugateGradients.ts';

const SIZE = 9;
const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, entry, i) => sum + entry * b[i]!, 0);

/** A = Σ_k λ_k·q_k·q_kᵀ with few different λ in a basis of reflections, and a solution x of A·x = right. */
function system(eigenvalues: readonly number[]) {
  const random = seededRandom(7);
  const axis = Array.from({ length: SIZE }, () => random.normal());
  const square = dot(axis, axis);
  const basis = (k: number) => axis.map((entry, i) => (i === k ? 1 : 0) - (2 * entry * axis[k]!) / square);
  const columns = Array.from({ length: SIZE }, (_, k) => basis(k));
  const product = (v: Float64Array) => {
    const image = new Float64Array(SIZE);
    columns.forEach((q, k) => {
      const part = eigenvalues[k % eigenvalues.length]! * dot(q, v);
      q.forEach((entry, i) => {
        image[i]! += part * entry;
      });
    });
    return image;
  };
  const solution = Float64Array.from({ length: SIZE }, () => random.normal());
  return { product, solution, right: product(solution) };
}

function run(given: ReturnType<typeof system>, part: number, most = 100, indefinite?: Indefinite) {
  return completed(conjugateGradients(given, part, most, indefinite));
}

const norm = (v: Float64Array) => Math.sqrt(dot(v, v));

describe('conjugate gradients', () => {
  it.each([
    [1, [3]],
    [2, [3, 50]],
    [3, [3, 50, 700]],
    [4, [3, 5, 8, 12]],
  ])('need %i products where the matrix has so many different eigenvalues', (count, eigenvalues) => {
    const given = system(eigenvalues);
    const { solution, products } = run(given, 1e-8);
    expect(products).toBe(count);
    expect(norm(solution.map((entry, i) => entry - given.solution[i]!))).toBeLessThan(1e-6 * norm(given.solution));
  });

  it('leave the requested share of the residual, and not much less', () => {
    const given = system([1, 2, 5, 9, 14, 22, 31, 45, 60]);
    const left = (part: number) => {
      const { solution, products } = run(given, part);
      const image = given.product(solution);
      return { products, part: norm(given.right.map((entry, i) => entry - image[i]!)) / norm(given.right) };
    };
    const [coarse, fine] = [left(0.1), left(0.01)];
    expect(coarse.part).toBeLessThanOrEqual(0.1);
    expect(fine.part).toBeLessThanOrEqual(0.01);
    expect(coarse.part).toBeGreaterThan(0.01);
    expect(fine.products).toBeGreaterThan(coarse.products);
    expect(run(given, 1e-8, 2).products).toBe(2);
  });

  it('go along a first direction without positive curvature, or nowhere; a later one ends them where they are', () => {
    const downhill = system([-1]);
    expect(run(downhill, 1e-8, 9, 'follow').solution).toEqual(downhill.right);
    expect(run(downhill, 1e-8, 9, 'end').solution).toEqual(new Float64Array(SIZE));
    const saddle = system([4, 4, 4, 4, 4, 4, 4, 4, -0.5]);
    const { solution, products } = run(saddle, 1e-8, 9, 'follow');
    expect(products).toBe(2);
    // One step of length rᵀr/rᵀAr along the right-hand side.
    const length = dot(saddle.right, saddle.right) / dot(saddle.right, saddle.product(saddle.right));
    solution.forEach((entry, i) => {
      expect(entry).toBeCloseTo(length * saddle.right[i]!, 12);
    });
  });
});
