import { drill, evaluate, fit, InvalidInputError, knnGraph, Matrix, meu, seededRandom } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { float64Backend } from '../../../src/core/float64/scope.ts';
import { fieldFactor } from '../../../src/priors/constraints/fieldFactor.ts';
import { expectClose } from '../../tolerance.ts';
import { swissRoll } from '../spectral/columns.ts';

function normals(points: number, columns: number, seed = 7): number[][] {
  const { normal } = seededRandom(seed);
  return Array.from({ length: points }, () => Array.from({ length: columns }, () => normal()));
}

describe('a sparse field', () => {
  it('of two far clouds is the fields of each, and says so', async () => {
    const near = swissRoll(210);
    const far = swissRoll(230).map(([x, y, z]) => [x! + 1000, y!, z!]);
    const options = { neighbours: 5 };
    const both = await fit(meu([...near, ...far], options));
    const [one, other] = [await fit(meu(near, options)), await fit(meu(far, options))];
    expectClose(both.objective, one.objective + other.objective, 1e-11);
    const weights = [one, other].flatMap(({ parameters }) => parameters['field.weights'] as number[]);
    expectClose(both.parameters['field.weights'], weights, 1e-8);
    expect(both.message).toContain('2 components, the largest of 230 points');
    expect(both.diagnostics.kktResidual).toBeLessThan(1e-11);
  });

  it('of many dimensions, whose factor fills, needs no dense array for its evaluations either', async () => {
    const Y = normals(600, 30);
    const graph = knnGraph(Matrix.from(Y), 10);
    // By its fill alone such a factor would be dense.
    expect(fieldFactor(graph).sparse).toBe(false);
    const { memory64 } = float64Backend();
    memory64.resetPeak();
    const { objective } = evaluate(meu(Y, { neighbours: 10 }), {});
    expectClose(objective, 15 * 600 * Math.log(1e-4), 1e-12);
    expect(memory64.peakBytes).toBeLessThan(8 * 600 * 600);
  });
});

describe('drill without a penalty', () => {
  it('has the moments of the observations at its edges, and no entries elsewhere', async () => {
    const Y = normals(40, 12);
    const result = await fit(drill(Y, { neighbours: 3, penalty: 0 }));
    expect(result.status).toBe('converged');
    expect(result.diagnostics.iterations).toBeLessThan(100);
    const means = Y[0]!.map((_, d) => Y.reduce((sum, row) => sum + row[d]!, 0) / 40);
    const moment = (i: number, j: number) =>
      Y[i]!.reduce((sum, entry, d) => sum + (entry - means[d]!) * (Y[j]![d]! - means[d]!), 0) / 12;
    const { sources, targets } = knnGraph(Matrix.from(Y), 3);
    const covariance = result.covariance!();
    const precision = result.precision!();
    const joined = new Set(Array.from(sources, (i, e) => i * 40 + targets[e]!));
    for (let i = 0; i < 40; i++) {
      for (let j = i; j < 40; j++) {
        if (i === j || joined.has(i * 40 + j)) expect(Math.abs(covariance.at(i, j) - moment(i, j))).toBeLessThan(1e-8);
        else expect(precision.at(i, j)).toBe(0);
      }
    }
  });

  it('is refused where points that are all neighbours are more than the columns', () => {
    const Y = normals(30, 3);
    expect(() => drill(Y, { neighbours: 10, penalty: 0 })).toThrow(InvalidInputError);
    expect(() => drill(Y, { neighbours: 10, penalty: 0 })).toThrow(
      /no maximum.*4 points that are all joined.*3 columns/,
    );
    expect(() => drill(Y, { neighbours: 'all', penalty: 0 })).toThrow(/no maximum/);
    expect(() => drill(Y, { neighbours: 10, penalty: 0.1 })).not.toThrow();
  });

  it('is refused early where the Hessian would not fit', () => {
    const large = normals(3000, 3);
    expect(() => drill(large, { neighbours: 10, penalty: 1e-9 })).toThrow(InvalidInputError);
    expect(() => drill(large, { neighbours: 10, penalty: 1e-9 })).toThrow(
      /up to 12000, but with 3000 points and \d{5} pairs/,
    );
  });
});
