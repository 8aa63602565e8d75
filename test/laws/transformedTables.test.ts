import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { namedModels } from '../../src/models/catalog.ts';
import {
  fitted,
  laws,
  leftOut,
  near,
  numbers,
  permutations,
  predicted,
  type Rows,
  sameMap,
  tableWith,
  testLaw,
} from './models.ts';

/** Models that divide columns by their standard deviations where they are told to. */
const SCALED = [
  ...['gplvm', 'tpslvm', 'gplrf', 'dgplvm', 'llGplvm', 'rankGplvm', 'tsneGplvm', 'bayesianGplvm'],
  ...['ppca', 'meu', 'alle', 'drill'],
];

it('the table of laws has every named model and no other, and reasons for laws that there are', () => {
  expect(Object.keys(leftOut).sort()).toEqual(Object.keys(namedModels).sort());
  const named = Object.values(leftOut).flatMap(Object.keys);
  expect(named.filter((law) => !(law in laws))).toEqual([]);
});

testLaw('rows', tableWith(permutations), async (name, { Y, labels }, places) => {
  // Each point of alle has its neighbors among those that come after it.
  const inOrder = (order: number[]) => (name === 'alle' ? { order } : {});
  const moved = { Y: places.map((i) => Y[i]!), labels: places.map((i) => labels[i]!) };
  const one = await fitted(name, { Y, labels }, inOrder(Y.map((_, i) => i)));
  const other = await fitted(name, moved, inOrder(Y.map((_, i) => places.indexOf(i))));
  near([[other.objective]], [[one.objective]]);
  sameMap(other.latents, one.latents, places);
  const means = predicted(one);
  if (means !== undefined) {
    const wanted = places.map((i) => means[i]!);
    near(predicted(other)!, wanted);
  }
});

testLaw(
  'columns',
  tableWith((_, dim) => permutations(dim)),
  async (name, { Y, labels }, places) => {
    const turned = (rows: Rows) => rows.map((row) => places.map((d) => row[d]!));
    const one = await fitted(name, { Y, labels });
    const other = await fitted(name, { Y: turned(Y), labels });
    near([[other.objective]], [[one.objective]]);
    sameMap(other.latents, one.latents);
    const means = predicted(one);
    if (means !== undefined) near(predicted(other)!, turned(means));
  },
);

testLaw(
  'shift',
  tableWith((_, dim) => numbers(dim, -100, 100)),
  async (name, { Y, labels }, shift) => {
    const moved = (rows: Rows) => rows.map((row) => row.map((y, d) => y + shift[d]!));
    const one = await fitted(name, { Y, labels });
    const other = await fitted(name, { Y: moved(Y), labels });
    near([[other.objective]], [[one.objective]]);
    sameMap(other.latents, one.latents);
    const means = predicted(one);
    if (means !== undefined) near(predicted(other)!, moved(means));
  },
);

testLaw(
  'units',
  tableWith((_, dim) => numbers(dim, -3, 3)),
  async (name, { Y, labels }, powers) => {
    const changed = (rows: Rows) => rows.map((row) => row.map((y, d) => y * 10 ** powers[d]!));
    const options = SCALED.includes(name) ? { scale: true } : {};
    const one = await fitted(name, { Y, labels }, options);
    const other = await fitted(name, { Y: changed(Y), labels }, options);
    sameMap(other.latents, one.latents);
    const means = predicted(one);
    if (means === undefined) return;
    const [own, wanted] = [predicted(other)!, changed(means)];
    powers.forEach((_, d) => {
      const column = (rows: Rows) => [rows.map((row) => row[d]!)];
      near(column(own), column(wanted));
    });
  },
);

testLaw(
  'constant',
  tableWith(() => fc.double({ min: -50, max: 50, noNaN: true })),
  async (name, { Y, labels }, value) => {
    const one = await fitted(name, { Y, labels });
    const other = await fitted(name, { Y: Y.map((row) => [...row, value]), labels });
    sameMap(other.latents, one.latents);
    const means = predicted(one);
    if (means === undefined) return;
    const wanted = means.map((row) => [...row, value]);
    near(predicted(other)!, wanted);
  },
);
