// Tables as people have them, made of test/tables/flowers.csv, each with the commands that are tried on it: see makeTables.mjs.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

export const folder = fileURLToPath(new URL('../test/tables', import.meta.url));

const [names, ...flowers] = readFileSync(`${folder}/flowers.csv`, 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(','));
const NAMES = names.slice(0, 4);

/** A table with a row of `cells(measured, i, kind)` for each flower. */
function table(header, cells, delimiter = ',') {
  const rows = flowers.map((row, i) => cells(row.slice(0, 4), i, row[4]));
  return [header, ...rows].map((row) => `${row.join(delimiter)}\n`).join('');
}

/** A fit on the engine with the same results on every machine, with further arguments. */
const fit = (file, ...flags) => ['fit', file, '--model', 'pca', ...flags, '--engine', 'wasm', '--out', 'results'];

const HOLES = table(NAMES, (row, i) => row.map((y, j) => (j === i % 4 && i < 8 ? '' : y)));

/** Files and commands by the name of the folder. Files that are `generated` are too large to be stored. */
export const tables = {
  'pandas-index': {
    files: { 'table.csv': () => table(['', ...NAMES], (row, i) => [i, ...row]) },
    commands: [fit('table.csv')],
  },
  'pandas-index-and-names': {
    files: { 'table.csv': () => table(['Unnamed: 0', 'plant', ...NAMES], (row, i) => [i, `p${i}`, ...row]) },
    commands: [fit('table.csv')],
  },
  id: {
    files: { 'table.csv': () => table(['plant_id', ...NAMES], (row, i) => [907 - ((i * 7) % 24) * 13, ...row]) },
    commands: [fit('table.csv')],
  },
  'text-and-constant': {
    files: { 'table.csv': () => table([...NAMES, 'year', 'kind'], (row, _, kind) => [...row, 2024, kind]) },
    commands: [fit('table.csv')],
  },
  labels: {
    files: { 'table.csv': () => table([...NAMES, 'kind'], (row, _, kind) => [...row, kind]) },
    commands: [fit('table.csv', '--labels', 'kind'), ['score', 'results', '--data', 'table.csv', '--labels', 'kind']],
  },
  'decimal-commas': {
    files: {
      'table.csv': () => table(NAMES, (row) => row.map((y) => y.replace('.', ',')), ';'),
    },
    commands: [fit('table.csv')],
  },
  'utf-16': {
    files: { 'table.tsv': () => Buffer.from(`\uFEFF${table(NAMES, (row) => row, '\t')}`, 'utf16le') },
    commands: [fit('table.tsv')],
  },
  gzip: {
    files: { 'table.csv.gz': () => gzipSync(table(NAMES, (row) => row)) },
    commands: [fit('table.csv.gz')],
  },
  'comments-and-null': {
    files: {
      'table.csv': () =>
        `# plants of the garden\n${table([...NAMES, 'note'], (row, i) => [...row, i % 2 === 0 ? 'null' : 7.5 * i])}`,
    },
    commands: [fit('table.csv'), fit('table.csv', '--drop', 'note')],
  },
  'chosen-columns': {
    files: { 'table.csv': () => table(['n', ...NAMES], (row, i) => [i, ...row]) },
    commands: [fit('table.csv', '--columns', 'length:stem', '--id', 'n')],
  },
  'equal-rows': {
    files: { 'table.csv': () => table(NAMES, (row, i) => (i < 3 ? flowers[0].slice(0, 4) : row)) },
    commands: [['fit', 'table.csv', '--model', 'meu', '--engine', 'wasm', '--out', 'results']],
  },
  'different-units': {
    files: { 'table.csv': () => table(NAMES, ([length, ...rest]) => [Math.round(length * 1e6), ...rest]) },
    commands: [fit('table.csv'), fit('table.csv', '--standardize', '--force')],
  },
  holes: {
    files: { 'table.csv': () => HOLES },
    commands: [
      fit('table.csv'),
      ['fit', 'table.csv', '--model', 'meu', '--missing', 'ignore', '--engine', 'wasm', '--out', 'results'],
    ],
  },
  'swapped-columns': {
    files: {
      'table.csv': () => table(['id', ...NAMES], (row, i) => [100 + 3 * i, ...row]),
      'swapped.csv': () =>
        table(['stem', 'petal', 'length', 'id', 'width'], ([a, b, c, d], i) => [d, c, a, 100 + 3 * i, b]),
      'short.csv': () => table(NAMES.slice(0, 3), (row) => row.slice(0, 3)),
      'wide.csv': () => table([...NAMES, 'age'], (row, i) => [...row, (i % 5) + 0.5]),
    },
    commands: [
      fit('table.csv'),
      ['project', 'results', 'table.csv', '--out', 'placed.csv'],
      ['project', 'results', 'swapped.csv', '--out', 'placedSwapped.csv'],
      ['project', 'results', 'short.csv'],
      ['project', 'results', 'wide.csv'],
      ['project', 'results', 'wide.csv', '--drop', 'age', '--out', 'placedWide.csv'],
    ],
  },
  'million-cells': {
    generated: true,
    files: { 'table.csv': millionCells },
    commands: [fit('table.csv')],
  },
};

/** 20 000 rows of 50 columns between 0 and 1; each follows the first a little, less from left to right. */
function millionCells() {
  const header = Array.from({ length: 50 }, (_, j) => `c${j}`);
  const uniform = (k) => (Math.imul(k + 1, 2654435761) >>> 0) / 2 ** 32;
  const lines = Array.from({ length: 20_000 }, (_, i) => {
    const first = uniform(i * 50);
    return header.map((_, j) => (uniform(i * 50 + j) / 2 + (first * (50 - j)) / 100).toFixed(6)).join(',');
  });
  return `${header.join(',')}\n${lines.join('\n')}\n`;
}
