import * as fc from 'fast-check';
import { type Fit, loadFit, Matrix } from 'latentfield';
import { expect } from 'vitest';
import { fitted, near, rowsNear, sameMap, tableWith, testLaw } from './models.ts';

const PLACES = Matrix.from([
  [0.3, -0.7],
  [0, 0.2],
  [-0.5, 0.1],
]);
const holed = (rows: Matrix) =>
  Matrix.from(rows.toArrays().map((row, i) => row.map((y, d) => (d === i % row.length ? Number.NaN : y))));
/** Rows with holes that a fit can fill in: of random fields, columns over the points that were fitted. */
const rowsWithHoles = (result: Fit, rows: Matrix) => holed(result.precision === undefined ? rows : result.latents);

const search = { maxIterations: 5 };
/** Random fields fill in without a search. */
const filledIn = (result: Fit, rows: Matrix) => result.impute!(rows, result.precision === undefined ? search : {});
/** Every ability, asked about the same rows and the same places. */
const ASKED: Readonly<Record<string, (result: Fit, rows: Matrix, places: Matrix) => unknown>> = {
  project: (result, rows) => result.project!(rows, search),
  reconstruct: (result, rows) => result.reconstruct!(rows, search),
  impute: (result, rows) => filledIn(result, rowsWithHoles(result, rows)),
  predict: (result, _, places) => result.predict!(places, { noise: true }),
  sample: (result, _, places) => result.sample!(places, { seed: 3 }),
  interpolate: (result) => result.interpolate!(0, 3, 3),
  forecast: (result) => result.forecast!(2),
  precision: (result) => result.precision!(),
  covariance: (result) => result.covariance!(),
  missingLogDensity: (result, rows) => result.missingLogDensity!(holed(rows), rows),
};
/** Those of which a row of what is answered is that of a row of what was asked about; draws at several places are joint ones. */
const BY_ROWS = ['project', 'reconstruct', 'predict'];
const MEMBERS = [
  ...(['latents', 'objective', 'terms', 'parameters', 'graph'] as const),
  ...(['eigenvalues', 'latentVariances', 'relevance', 'evidence'] as const),
];
const abilitiesOf = (result: Fit) =>
  Object.keys(result).filter((name) => typeof result[name as keyof Fit] === 'function' && name !== 'toJSON');

/** What was answered, as text in which every bit of every number counts. */
const textOf = (answer: unknown) =>
  JSON.stringify(answer, (_, value) => {
    if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array);
    if (typeof value !== 'number') return value;
    return Object.is(value, -0) ? '-0' : String(value);
  });

/** Row i of every matrix, and entry i of every list, of an answer about some rows. */
function rowOf(answer: unknown, i: number): unknown {
  if (answer instanceof Matrix) return Array.from(answer.row(i));
  if (ArrayBuffer.isView(answer)) return (answer as Float64Array)[i];
  if (Array.isArray(answer)) return answer[i];
  if (typeof answer !== 'object' || answer === null) return answer;
  return Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, rowOf(value, i)]));
}

const only = tableWith(() => fc.constant(undefined));

testLaw('company', only, async (name, table) => {
  const result = await fitted(name, table);
  const rows = rowsNear(table);
  for (const ability of abilitiesOf(result).filter((each) => BY_ROWS.includes(each))) {
    const ask = ASKED[ability]!;
    const together = await ask(result, rows, PLACES);
    for (const i of [0, 2]) {
      const alone = await ask(result, Matrix.from([rows.row(i)]), Matrix.from([PLACES.row(i)]));
      expect(textOf(rowOf(alone, 0)), ability).toBe(textOf(rowOf(together, i)));
    }
  }
});

testLaw('saved', only, async (name, table) => {
  const result = await fitted(name, table);
  const loaded = loadFit(JSON.parse(JSON.stringify(result)), {}, { engine: 'wasm' }) as Fit;
  const abilities = abilitiesOf(result);
  expect(abilitiesOf(loaded)).toEqual(abilities);
  expect(abilities.filter((ability) => !(ability in ASKED))).toEqual([]);
  for (const member of MEMBERS) expect(textOf(loaded[member]), member).toBe(textOf(result[member]));
  for (const ability of abilities) {
    const ask = async (of: Fit) => textOf(await ASKED[ability]!(of, rowsNear(table), PLACES));
    expect(await ask(loaded), ability).toBe(await ask(result));
  }
});

testLaw('missing', only, async (name, table) => {
  const one = await fitted(name, table);
  const other = await fitted(name, table, { missing: 'ignore' });
  near([[other.objective]], [[one.objective]]);
  sameMap(other.latents, one.latents);
  const rows = rowsWithHoles(one, rowsNear(table));
  const { mean, variance } = await filledIn(one, rows);
  rows.data.forEach((y, at) => {
    if (Number.isNaN(y)) expect(variance.data[at]).toBeGreaterThan(0);
    else expect([mean.data[at], variance.data[at]]).toEqual([y, 0]);
  });
});
