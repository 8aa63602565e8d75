import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { UMAP } from 'umap-js';
import { measuredAlone } from '../alone.mjs';
import { fromDist } from '../context.mjs';
import { compare } from '../rounds.mjs';

const FOLDER = process.env.LATENTFIELD_DATA ?? fileURLToPath(new URL('../../../shared/data/', import.meta.url));
const SETS = [
  { task: 'digits', file: 'digits8x8' },
  { task: 'USPS', file: 'usps' },
];
/** Neighbors of the trustworthiness, which compares all pairs: of more points it is left out. */
const K = 15;
const MOST_COMPARED = 5000;

/** Seeds over which UMAP's times and scores are averaged where it takes seconds: from one to the next they differ by more than it does from umap-js. */
const SEEDS = [1, 2, 3, 4, 5];

/** Default number of generated points, on ten bent sheets in 50 dimensions (otherwise --sizes): 60 000 take an hour, and are in bench/once. */
const GENERATED = [20_000];
/** Largest number of points for a contender that compares all pairs. */
const MOST_OF_PAIRS = 10_000;

/**
 * Whole maps in two dimensions compared with other libraries, for real data and generated points: time, processor seconds, leave-one-out 1-NN error, trustworthiness;
 * and maps of generated counts compared with the principal components of their logarithms.
 */
export async function maps(context) {
  const results = [];
  // The short form shows that all of it runs: of one set and one seed.
  for (const set of context.short ? SETS.slice(0, 1) : SETS) {
    const read = await realSet(context, set);
    if (read === undefined) continue;
    results.push(...(await mapsOf(context, read)), ...(await decodedMapsOf(context, read)));
  }
  for (const n of context.sizes(GENERATED, [300])) results.push(...(await mapsOf(context, sheets(context, n))));
  results.push(
    ...(await mapsOfCounts(context, 300, 50)),
    ...(context.short ? [] : await mapsOfCounts(context, 2000, 261)),
  );
  return results;
}

/** The first `n` rows of a set, or all of them, with their classes; undefined, with the reason in `missing`, where it is not there. */
export async function realSet({ library: { Matrix }, missing, short }, { task, file, n }) {
  if (!existsSync(`${FOLDER}/${file}_X.npy`)) {
    missing.maps = `${file}_X.npy is not in ${FOLDER}. Name the folder of the data sets in LATENTFIELD_DATA.`;
    return undefined;
  }
  const { readTable } = await fromDist('app/io/index.js');
  const read = async (name) => (await readTable(`${FOLDER}/${name}`, { flatten: true })).observations;
  const [all, classes] = [await read(`${file}_X.npy`), await read(`${file}_y.npy`)];
  const rows = short ? 300 : (n ?? all.rows);
  const Y = new Matrix(all.data.slice(0, rows * all.columns), rows, all.columns);
  return { task, Y, labels: Array.from(classes.data.subarray(0, rows)) };
}

/** Sheets of two dimensions, one of each class, bent into more, with noise. */
export function sheets({ library: { Matrix, seededRandom } }, n, { columns = 50, classes = 10 } = {}) {
  const random = seededRandom(7);
  const draw = (count, scale) => Array.from({ length: count }, () => scale * random.normal());
  const parts = Array.from({ length: classes }, () => ({ center: draw(columns, 1), axes: draw(4 * columns, 0.6) }));
  const Y = Matrix.zeros(n, columns);
  const labels = Array.from({ length: n }, () => random.integer(classes));
  labels.forEach((label, i) => {
    const { center, axes } = parts[label];
    const [s, t] = [2 * random.uniform() - 1, 2 * random.uniform() - 1];
    const forms = [s, t, s * t, s * s];
    for (let j = 0; j < columns; j++) {
      const bent = forms.reduce((sum, form, f) => sum + form * axes[4 * j + f], 0);
      Y.data[i * columns + j] = center[j] + bent + 0.3 * random.normal();
    }
  });
  return { task: 'sheets', Y, labels };
}

/** Counts of eight kinds of rows whose totals differ as in cells. */
async function mapsOfCounts(context, n, columns) {
  const { fit, Matrix, pca, seededRandom, nearestNeighborError } = context.library;
  const { normalizeCounts } = await fromDist('app/io/index.js');
  const random = seededRandom(7);
  const base = Array.from({ length: columns }, () => random.normal());
  const kinds = Array.from({ length: 8 }, () => base.map((own) => Math.exp(own + 0.5 * random.normal())));
  const Y = Matrix.zeros(n, columns);
  const labels = Array.from({ length: n }, () => random.integer(kinds.length));
  labels.forEach((label, i) => {
    const total = 60 * Math.exp(0.5 * random.normal());
    const sum = kinds[label].reduce((a, b) => a + b, 0);
    for (let j = 0; j < columns; j++) Y.data[i * columns + j] = drawnCount((total * kinds[label][j]) / sum, random);
  });
  const logs = normalizeCounts(Y, { rowSums: 'median', log1p: true }).observations;
  const zeros = Y.data.reduce((sum, y) => sum + (y === 0), 0) / Y.data.length;
  const scored = ({ latents, ...measured }) => ({ ...measured, error: nearestNeighborError(latents, labels) });
  const poisson = () => {
    const measured = measuredAlone(context, 'counts', Y);
    if (measured === undefined) return undefined;
    const { latents, status, ...spent } = measured;
    if (status !== 'converged') context.missing[`counts ${n}`] = `The fit ended at ${status}.`;
    return scored({ ...spent, latents: new Matrix(Float64Array.from(latents), n, 2) });
  };
  const components = async () => {
    const { value, ...spent } = await timed(() => fit(pca(logs, { latentDim: 2 }), { threads: 1 }));
    return scored({ ...spent, latents: value.latents });
  };
  const contenders = [
    { name: 'gplvm, poisson', threads: 1, once: true, measure: poisson },
    { name: 'pca of logarithms', threads: 1, measure: components },
  ];
  return compare(
    context,
    { section: 'maps', task: `${columns} counts, ${Math.round(100 * zeros)} % zeros`, n },
    contenders,
  );
}

/** A draw of a Poisson distribution, by the gaps between events. */
function drawnCount(rate, { uniform }) {
  let [count, left] = [0, uniform()];
  for (const least = Math.exp(-rate); left > least; count++) left *= uniform();
  return count;
}

/** t-SNE maps with a decoder: of all rows, and of nine tenths of them, on which the other rows are then placed and scored by their nearest point of the fit. */
async function decodedMapsOf(context, { task, Y, labels }) {
  const { fit, Matrix, tsne } = context.library;
  const isHeldOut = (i) => i % 10 === 9;
  const rowsWhere = (isWanted) => labels.flatMap((_, i) => (isWanted(i) ? [i] : []));
  const [held, fitted] = [rowsWhere(isHeldOut), rowsWhere((i) => !isHeldOut(i))];
  const part = (rows) => Matrix.from(rows.map((i) => Array.from(Y.row(i))));
  const [heldOut, train] = [part(held), part(fitted)];
  const decode = async (rows, threads) => {
    const result = await fit(tsne(rows, { decoder: true }), { threads });
    if (result.status !== 'converged') context.missing[`${task} decoder`] = `The fit ended at ${result.status}.`;
    return result;
  };
  const contenders = context.threads.flatMap((threads) => [
    {
      ...{ name: `tsne + decoder ×${threads}`, threads, once: true },
      measure: async () => {
        const { value, ...spent } = await timed(() => decode(Y, threads));
        return { ...spent, ...scoresOf(context.library, Y, value.latents, labels) };
      },
    },
    {
      ...{ name: `held-out rows placed ×${threads}`, threads, once: true },
      measure: async () => {
        const { latents, project } = await decode(train, threads);
        const { value, ...spent } = await timed(() => project(heldOut));
        const wrong = held.filter((i, k) => labels[fitted[nearestRow(latents, value.latents.row(k))]] !== labels[i]);
        return { ...spent, error: wrong.length / held.length };
      },
    },
  ]);
  return compare(context, { section: 'maps', task, n: Y.rows }, contenders);
}

/** Result of a piece of work, its time and its processor seconds. */
export async function timed(work) {
  const [before, start] = [process.cpuUsage(), performance.now()];
  const value = await work();
  const { user, system } = process.cpuUsage(before);
  return { value, ms: performance.now() - start, cpuSeconds: (user + system) / 1e6 };
}

function nearestRow(points, place) {
  const distance = (i) => place.reduce((sum, entry, c) => sum + (entry - points.at(i, c)) ** 2, 0);
  const distances = Array.from({ length: points.rows }, (_, i) => distance(i));
  return distances.indexOf(Math.min(...distances));
}

async function mapsOf(context, { task, Y, labels }) {
  const { fit, Matrix, tsne, umap } = context.library;
  const druid = await import('@saehrimnir/druidjs').catch(() => undefined);
  const scored = (measured, latents) => ({ ...measured, ...scoresOf(context.library, Y, latents, labels) });
  const here = async (embed) => {
    const { value, ...spent } = await timed(embed);
    return scored(spent, value);
  };
  const ours = (make, threads) => async () => here(async () => (await fit(make(Y), { threads })).latents);
  const seeded = (embed) => async () => {
    const runs = [];
    for (const seed of Y.rows <= MOST_COMPARED && !context.short ? SEEDS : [1])
      runs.push(await here(() => embed(seed)));
    return Object.fromEntries(
      Object.keys(runs[0]).map((key) => [key, runs.reduce((sum, run) => sum + run[key] / runs.length, 0)]),
    );
  };
  const ourUmap = (threads) => seeded(async (seed) => (await fit(umap(Y), { threads, seed })).latents);
  const umapJs = seeded((seed) => umapJsOf(context, Y, seed));
  const druidUmap = () => here(() => Matrix.from(new druid.UMAP(Y.toArrays(), { seed: 1 }).transform()));
  const peer = (program, given, threads) => () => {
    const printed = embeddedBy(context, program, given(threads), threads, Y);
    return printed && scored(printed.measured, new Matrix(printed.latents, Y.rows, 2));
  };
  const python = process.env.LATENTFIELD_PYTHON ?? '/usr/bin/python3';
  const [byPython, byR] = [pathOf('maps.py'), pathOf('maps.R')];
  const sizes = [Y.rows, Y.columns].map(String);
  const others = context.threads.flatMap((threads) => [
    { name: `sklearn TSNE ×${threads}`, threads, measure: peer(python, () => [byPython, ...sizes], threads) },
    ...['Rtsne', 'uwot'].map((name) => ({
      ...{ name: `${name} ×${threads}`, threads },
      measure: peer('Rscript', (count) => [byR, name, ...sizes, String(count)], threads),
    })),
  ]);
  const contenders = [
    ...context.threads.flatMap((threads) => [
      { name: `tsne ×${threads}`, threads, against: `sklearn TSNE ×${threads}`, measure: ours(tsne, threads) },
      { name: `umap ×${threads}`, threads, against: 'umap-js', measure: ourUmap(threads) },
    ]),
    { name: 'umap-js', threads: 1, once: true, measure: umapJs },
    ...(druid === undefined || Y.rows > MOST_OF_PAIRS
      ? []
      : [{ name: 'DruidJS UMAP', threads: 1, once: true, measure: druidUmap }]),
    ...others.map((other) => ({ ...other, once: true })),
  ];
  return compare(context, { section: 'maps', task, n: Y.rows }, contenders);
}

export function umapJsOf({ library: { Matrix, seededRandom } }, Y, seed) {
  const { uniform } = seededRandom(seed);
  return Matrix.from(new UMAP({ random: uniform }).fit(Y.toArrays()));
}

const pathOf = (name) => fileURLToPath(new URL(`../peers/${name}`, import.meta.url));

function scoresOf({ nearestNeighborError, trustworthiness }, Y, latents, labels) {
  const error = nearestNeighborError(latents, labels);
  return { error, ...(Y.rows <= MOST_COMPARED && { trust: trustworthiness(Y, latents, K) }) };
}

/** Measurements of a program and its positions of the points; undefined, with the reason in `missing`, when it fails. */
function embeddedBy({ missing }, program, given, threads, { data }) {
  const count = String(threads);
  const { status, stdout, stderr, error } = spawnSync(program, given, {
    env: { ...process.env, OPENBLAS_NUM_THREADS: count, OMP_NUM_THREADS: count },
    input: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
    maxBuffer: 2 ** 30,
  });
  const last = stderr?.toString().trim().split('\n').at(-1);
  if (status !== 0) {
    missing[`${program} ${given.slice(1).join(' ')}`] = error?.message ?? last;
    return undefined;
  }
  return {
    measured: JSON.parse(last),
    latents: new Float64Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.byteLength)),
  };
}
