import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { UMAP } from 'umap-js';
import { fromDist } from '../context.mjs';
import { compare } from '../rounds.mjs';

const FOLDER = process.env.LATENTFIELD_DATA ?? fileURLToPath(new URL('../../../shared/data/', import.meta.url));
const SETS = [
  { task: 'digits', file: 'digits8x8' },
  { task: 'USPS', file: 'usps' },
];
/** Neighbours of the trustworthiness, which compares all pairs: of more points it is left out. */
const K = 15;
const MOST_COMPARED = 5000;

/** Whole maps of real data in two dimensions beside those of others: time, processor seconds, leave-one-out 1-NN error, trustworthiness. */
export async function maps(context) {
  const { fit, Matrix, seededRandom, tsne, umap } = context.library;
  const results = [];
  for (const { task, file } of SETS) {
    if (!existsSync(`${FOLDER}/${file}_X.npy`)) {
      context.missing.maps = `${file}_X.npy is not in ${FOLDER}. Name the folder of the data sets in LATENTFIELD_DATA.`;
      continue;
    }
    const { readTable } = await fromDist('io/index.js');
    const read = async (name) => (await readTable(`${FOLDER}/${name}`, { flatten: true })).observations;
    const [all, classes] = [await read(`${file}_X.npy`), await read(`${file}_y.npy`)];
    const rows = context.short ? 300 : all.rows;
    const Y = new Matrix(all.data.slice(0, rows * all.columns), rows, all.columns);
    const labels = Array.from(classes.data.subarray(0, rows));
    const scored = (measured, latents) => ({ ...measured, ...scoresOf(context.library, Y, latents, labels) });
    const here = async (embed) => {
      const [before, start] = [process.cpuUsage(), performance.now()];
      const latents = await embed();
      const { user, system } = process.cpuUsage(before);
      return scored({ ms: performance.now() - start, cpuSeconds: (user + system) / 1e6 }, latents);
    };
    const ours = (make) => async () => here(async () => (await fit(make(Y), { threads: 1 })).latents);
    const umapJs = () =>
      here(() => {
        const { uniform } = seededRandom(1);
        return Matrix.from(new UMAP({ random: uniform }).fit(Y.toArrays()));
      });
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
      { name: 'tsne', threads: 1, against: 'sklearn TSNE ×1', measure: ours(tsne) },
      { name: 'umap', threads: 1, against: 'umap-js', measure: ours(umap) },
      { name: 'umap-js', threads: 1, once: true, measure: umapJs },
      ...others.map((other) => ({ ...other, once: true })),
    ];
    results.push(...(await compare(context, { section: 'maps', task, n: Y.rows }, contenders)));
  }
  return results;
}

const pathOf = (name) => fileURLToPath(new URL(`../peers/${name}`, import.meta.url));

function scoresOf({ nearestNeighbourError, trustworthiness }, Y, latents, labels) {
  const error = nearestNeighbourError(latents, labels);
  return { error, ...(Y.rows <= MOST_COMPARED && { trust: trustworthiness(Y, latents, K) }) };
}

/** What a program measured and where it put the points; undefined, with the reason in `missing`, when it fails. */
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
