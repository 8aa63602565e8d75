import { describe, expect, it } from 'vitest';
import type { SparseTerms } from '../../src/engine/sparse/index.ts';
import { conditionedField } from '../../src/fields/observed/conditionedField.ts';
import { imputedByField } from '../../src/fields/observed/imputedByField.ts';
import { fit, Matrix, meu, seededRandom } from '../../src/index.ts';

const N = 12;

/** L + 0.1·I of a circle with chords, of unequal weights. */
function circle(): SparseTerms {
  const edges = Array.from({ length: N }, (_, i) => [
    { i, j: (i + 1) % N, weight: 1 + (i % 3) },
    { i, j: (i + 4) % N, weight: 0.5 },
  ]).flat();
  const diagonal = new Float64Array(N).fill(0.1);
  for (const { i, j, weight } of edges) {
    diagonal[i]! += weight;
    diagonal[j]! += weight;
  }
  return {
    size: N,
    rows: Int32Array.from([...diagonal.keys(), ...edges.map(({ i }) => i)]),
    columns: Int32Array.from([...diagonal.keys(), ...edges.map(({ j }) => j)]),
    values: Float64Array.from([...diagonal, ...edges.map(({ weight }) => -weight)]),
  };
}

describe('the scale of a column that a field fills in', () => {
  it('is the mean square of the residuals of its observed entries, each given all others', () => {
    const precision = circle();
    const random = seededRandom(4);
    const missing = [2, 3, 7, 11];
    const column = Float64Array.from({ length: N }, (_, i) =>
      missing.includes(i) ? Number.NaN : 3 + 5 * random.normal(),
    );
    const observed = [...column.keys()].filter((i) => !missing.includes(i));
    let sum = 0;
    for (const i of observed) {
      const others = conditionedField(precision, Int32Array.from([...missing, i].sort((a, b) => a - b)));
      sum += (column[i]! - others.completed(column)[i]!) ** 2 / others.variances()[i]!;
    }
    const { variance } = imputedByField(precision, new Matrix(column, N, 1));
    const unscaled = conditionedField(precision, Int32Array.from(missing)).variances();
    for (const i of missing) expect(variance.at(i, 0) / unscaled[i]! / (sum / observed.length)).toBeCloseTo(1, 12);
  });

  it('follows the unit of the column', async () => {
    const random = seededRandom(5);
    const draw = () => Array.from({ length: 30 }, (_, i) => Math.sin(i / 5) + 0.1 * random.normal());
    const columns = [draw(), draw(), draw()];
    const known = columns[0]!.map((_, i) => columns.map((column) => column[i]!));
    const result = await fit(meu(known, { latentDim: 1, neighbors: 4 }));
    const column = draw().map((y, i) => (i % 3 === 1 ? Number.NaN : y));
    const one = await result.impute(column.map((y) => [y]));
    const other = await result.impute(column.map((y) => [1e6 * y]));
    one.variance.data.forEach((v, i) => {
      expect(Math.abs(other.variance.data[i]! / 1e12 - v)).toBeLessThanOrEqual(1e-9 * v);
    });
  });
});
