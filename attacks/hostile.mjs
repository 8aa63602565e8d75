// Arguments that nobody should pass, and the functions that receive them.

import * as data from 'latentfield/data';
import * as inference from 'latentfield/inference';
import * as io from 'latentfield/io';
import * as kernels from 'latentfield/kernels';
import * as models from 'latentfield/models';
import * as numerics from 'latentfield/numerics';
import * as plot from 'latentfield/plot';
import latentfield from './everything.mjs';

const { Matrix } = latentfield;

const refusing = (what) =>
  new Proxy(what, {
    get: () => {
      throw new TypeError('nobody looks in here');
    },
  });
const cyclic = [];
cyclic.push(cyclic);

/** Error that a function of the attack throws, in the role of the caller's. */
export const OWN = 'mine';

/** Arguments that nobody should pass; rebuilt each time, so that a call that writes to it spoils no other case. */
export const hostile = [
  () => undefined,
  () => null,
  () => true,
  () => 0,
  () => -1,
  () => 1.5,
  () => Number.NaN,
  () => Number.POSITIVE_INFINITY,
  () => 1e308,
  () => 2 ** 53,
  () => '',
  () => 'NaN',
  () => '__proto__',
  () => 'x'.repeat(10_000),
  () => [],
  () => [[]],
  () => [1, 2, 3],
  () => [['a', 'b']],
  () => [[1, 2], [3]],
  () => [
    [Number.NaN, 1],
    [2, 3],
  ],
  () => ({}),
  () => ({ length: -1 }),
  () => ({ length: 1e9 }),
  () => ({ latentDim: 'two' }),
  () => ({ toString: null }),
  () => Object.create(null),
  () => refusing([]),
  () => refusing({}),
  () => cyclic,
  () => () => undefined,
  () => () => {
    throw new RangeError(OWN);
  },
  () => Symbol('s'),
  () => 10n,
  () => new Date(0),
  () => new Float64Array(0),
  () => new Float64Array([1, Number.NaN]),
  () => new Map([[1, 2]]),
  () => Matrix.zeros(0, 0),
  () => Matrix.zeros(2, 0),
  () =>
    Matrix.from([
      [1, 2],
      [3, 4],
      [5, 7],
    ]),
  () => latentfield.rbf(),
  () => latentfield.knnGraph([[0], [1], [2], [4]], 1),
];

/** Functions that start threads, wait for somebody or write files. */
const LEFT_OUT = new Set([
  'fitInWorker',
  'serveFits',
  'startThreads',
  'readTable',
  'writeTable',
  'writeAtomically',
  'writePicture',
]);

/** The functions that the library exports, by name. */
export function exportedFunctions() {
  const all = [latentfield, data, inference, io, kernels, models, numerics, plot].flatMap(Object.entries);
  const functions = all.filter(
    ([name, value]) => typeof value === 'function' && !LEFT_OUT.has(name) && !/^[A-Z]/.test(name),
  );
  return [...new Map(functions)];
}

/** Exports that call a function of the caller and document that its errors are rethrown unchanged. */
const PASSING = new Set([
  'withFloat64',
  'minimize',
  'solve',
  'decodedGrid',
  'precisionGrid',
  'precisionGridInSlices',
  'predictInSlices',
  'topEigenpairs',
]);

/** Whether an error is one that the attack's own function threw, where that is promised. */
export const isOwn = (name, error) => PASSING.has(name) && error instanceof RangeError && error.message === OWN;

/** Text of an argument in a report. */
export function shown(value) {
  try {
    return typeof value === 'function' ? 'a function' : (JSON.stringify(value)?.slice(0, 40) ?? String(value));
  } catch {
    return typeof value;
  }
}
