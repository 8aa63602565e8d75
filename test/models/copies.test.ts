import { describe, expect, it } from 'vitest';
import {
  bayesianGplvm,
  fit,
  gplvm,
  latentVariableModel,
  Matrix,
  positive,
  rbf,
  seededRandom,
  tsneGplvm,
} from '../../src/index.ts';
import { meanVariance } from '../../src/model/leastNoise.ts';

/** Points of a bent plane in four columns. */
function points(N: number): number[][] {
  const random = seededRandom(3);
  return Array.from({ length: N }, () => {
    const [a, b] = [random.normal(), random.normal()];
    return [a, b, a * b, a * a].map((y) => y + 0.1 * random.normal());
  });
}

const repeated = (rows: number[][], times: number) => rows.flatMap((row) => new Array<number[]>(times).fill(row));

/** Mean variance of the columns. */
function varianceOf(rows: number[][]): number {
  const means = rows[0]!.map((_, d) => rows.reduce((sum, row) => sum + row[d]! / rows.length, 0));
  return meanVariance(Matrix.from(rows.map((row) => row.map((y, d) => y - means[d]!))));
}

const noiseOf = ({ parameters }: { readonly parameters: object }) =>
  (parameters as Readonly<Record<string, number>>)['mapping.noise']!;

describe('tables whose rows repeat', () => {
  for (const [name, model] of Object.entries({
    gplvm: (Y: number[][]) => gplvm(Y, { latentDim: 2 }),
    tsneGplvm: (Y: number[][]) => tsneGplvm(Y, { latentDim: 2 }),
    bayesianGplvm: (Y: number[][]) => bayesianGplvm(Y, { latentDim: 2 }),
  })) {
    for (const times of [2, 3]) {
      const tags = times > 2 || name !== 'gplvm' ? 'long' : [];
      it(`${name} of every row ${times} times converges, with noise above a thousandth of the variance`, {
        tags,
      }, async () => {
        const Y = repeated(points(12), times);
        const result = await fit(model(Y));
        expect(result.status, result.message).toBe('converged');
        expect(noiseOf(result)).toBeGreaterThan(0.999e-3 * varianceOf(Y));
        expect(result.message).toContain(`${12 * (times - 1)} of the ${12 * times} rows repeat others`);
      });
    }
  }

  it('rows that repeat in one view alone do not count as copies', async () => {
    const Y = points(12);
    const views = (b: number[][]) => ({ a: { observations: Y, kernel: rbf() }, b: { observations: b, kernel: rbf() } });
    const messageOf = async (b: number[][]) =>
      (await fit(latentVariableModel({ latentDim: 2, views: views(b) }), { maxIterations: 1 })).message;
    expect(await messageOf(Y.map((_, i) => [Math.floor(i / 4)]))).not.toContain('repeat');
  });

  it('with fewer than a tenth of the rows repeated, noise may fall to a millionth', async () => {
    const random = seededRandom(4);
    const smooth = Array.from({ length: 30 }, () => random.normal()).map((a) => [a, a * a, Math.sin(2 * a), a ** 3]);
    const Y = [...smooth, smooth[0]!, smooth[1]!];
    const result = await fit(gplvm(Y, { latentDim: 1 }), { maxIterations: 300 });
    expect(noiseOf(result)).toBeLessThan(1e-3 * varianceOf(Y));
  });

  it('noise that starts below the larger floor has the smaller one, and noise that is a parameter has none', async () => {
    const Y = repeated(points(12), 2);
    const small = await fit(gplvm(Y, { latentDim: 2, noise: 1e-4 * varianceOf(Y) }), { maxIterations: 200 });
    expect(noiseOf(small)).toBeLessThan(1e-3 * varianceOf(Y));
    expect(noiseOf(small)).toBeGreaterThanOrEqual(1e-6 * varianceOf(Y));
    const own = await fit(gplvm(Y, { latentDim: 2, noise: positive(0.01) }), { maxIterations: 100 });
    expect(noiseOf(own)).toBeLessThan(1e-3 * varianceOf(Y));
    expect(own.message).not.toContain('floor');
  });
});
