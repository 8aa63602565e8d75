import { fit, InvalidInputError, Matrix, pca, predictLabels, seededRandom } from 'latentfield';
import { beforeAll, describe, expect, it } from 'vitest';

const random = seededRandom(4);
/** Two classes of normal rows whose means are 2 apart along the first column. */
const draw = (n: number) =>
  Array.from({ length: n }, (_, i) => {
    const c = i % 2;
    return { c, row: [2 * c - 1 + random.normal(), 0.3 * random.normal(), 0.2 * random.normal()] };
  });
const fitted = draw(300);
const labels = fitted.map(({ c }, i) => (i % 25 === 7 ? '' : ['low', 'high'][c]!));
const table = {
  columns: ['a', 'b', 'c'],
  observations: Matrix.from(fitted.map(({ row }) => row)),
  labels,
  labelColumn: 'kind',
};
const model = () => pca(table.observations, { latentDim: 1 });

describe('predictLabels', () => {
  let result: Awaited<ReturnType<typeof place>>;
  const place = () => fit(model(), { table });
  beforeAll(async () => {
    result = await place();
  });

  it('has the probabilities of the class densities, about as good as those that made the rows', async () => {
    const fresh = draw(400);
    const found = await predictLabels(result, Matrix.from(fresh.map(({ row }) => row)));
    expect([...found.classes].sort()).toEqual(['high', 'low']);
    const high = found.classes.indexOf('high');
    let [own, best, off] = [0, 0, 0];
    fresh.forEach(({ c, row }, i) => {
      const p = found.probabilities.at(i, high);
      expect(Math.abs(p + found.probabilities.at(i, 1 - high) - 1)).toBeLessThan(1e-12);
      expect(found.labels[i]).toBe(p > 0.5 ? 'high' : 'low');
      // p(high|x) of the two normal distributions.
      const truth = 1 / (1 + Math.exp(-2 * row[0]!));
      own += Math.log(c === 1 ? p : 1 - p) / fresh.length;
      best += Math.log(c === 1 ? truth : 1 - truth) / fresh.length;
      off += Math.abs(p - truth) / fresh.length;
    });
    expect(best - own).toBeLessThan(0.03);
    expect(off).toBeLessThan(0.08);
    expect(found.leaveOneOut.points).toBe(288);
    expect(Math.abs(found.leaveOneOut.logScore - own)).toBeLessThan(0.08);
    expect(Math.abs(found.leaveOneOut.error - 0.159)).toBeLessThan(0.05);
  });

  it('has the shares of all labels far from all points', async () => {
    const { probabilities, classes } = await predictLabels(result, [[1e4, 0, 0]]);
    const present = labels.filter((label) => label !== '');
    classes.forEach((label, c) => {
      const share = present.filter((own) => own === label).length / present.length;
      expect(Math.abs(probabilities.at(0, c) - share)).toBeLessThan(1e-12);
    });
  });

  it('takes labels that the fit does not remember, and refuses fits without any', async () => {
    const plain = await fit(model());
    const refused = async (options: object, message: RegExp) => {
      await expect(predictLabels(plain, table.observations, options)).rejects.toThrow(InvalidInputError);
      await expect(predictLabels(plain, table.observations, options)).rejects.toThrow(message);
    };
    expect(await predictLabels(plain, table.observations, { labels })).toEqual(
      await predictLabels(result, table.observations),
    );
    await refused({}, /has no labels\. Give `labels`/);
    await refused({ labels: labels.slice(1) }, /300 points, but 299 labels/);
    await refused({ labels: labels.map(() => 'low') }, /two different labels at least, but there is 1/);
  });
});
