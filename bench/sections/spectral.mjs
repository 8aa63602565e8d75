import { measuredAlone } from '../alone.mjs';
import { peerContenders, peerName } from '../engines.mjs';
import { manifoldPoints } from '../observations.mjs';
import { asynchronousSampler, compare } from '../rounds.mjs';

/** Up to this many points scikit-learn embeds once more, untimed, so that it is seen to find the same. */
const COMPARED = 1000;

/** Minutes that DruidJS may take. */
const PATIENCE = 5;

/** Isomap, LLE and Laplacian eigenmaps of a Swiss roll compared with scikit-learn and, where it has them, DruidJS. */
export async function spectralEmbeddings(context) {
  const { fit, isomap, laplacianEigenmaps, lle } = context.library;
  const models = {
    isomap: { make: isomap, druid: 'ISOMAP' },
    lle: { make: lle, druid: 'LLE' },
    eigenmaps: { make: laplacianEigenmaps },
  };
  context.missing['DruidJS eigenmaps'] = 'It has no Laplacian eigenmaps.';
  const rows = [];
  for (const n of context.sizes([1000, 5000], [200])) {
    const Y = await manifoldPoints(context, 'swiss', n);
    for (const [task, { make, druid }] of Object.entries(models)) {
      const embed = async () => (await fit(make(Y, { neighbors: 10 }), { engine: 'wasm' })).latents.data;
      const ours = await embed();
      const contenders = [
        { name: 'wasm', threads: 1, against: peerName(1), measure: asynchronousSampler(context.seconds, embed) },
        ...peerContenders({ ...context, threads: [1] }, task, [n]).map((peer) =>
          agreeing(peer, () =>
            n <= COMPARED && !context.short ? agreement(ours, context.peers.embedding(task, n)) : undefined,
          ),
        ),
        ...(druid === undefined
          ? []
          : [
              {
                name: 'DruidJS',
                threads: 1,
                against: 'wasm',
                once: true,
                measure() {
                  const measured = measuredAlone(context, druid, Y, PATIENCE);
                  return measured && { ms: measured.ms, agreement: agreement(ours, measured.latents) };
                },
              },
            ]),
      ];
      rows.push(...(await compare(context, { section: 'spectral', task, n }, contenders)));
    }
  }
  return rows;
}

/** The contender with how much its embedding agrees with ours, found once. */
function agreeing(contender, find) {
  let found;
  return {
    ...contender,
    measure() {
      const sample = contender.measure();
      found ??= find();
      return sample && { ...sample, ...(found !== undefined && { agreement: found }) };
    },
  };
}

/** Mean of the squared canonical correlations of two embeddings N×2, by rows: 1 when one is a linear image of the other. */
function agreement(a, b) {
  const [p, q] = [orthonormalColumns(a), orthonormalColumns(b)];
  let sum = 0;
  for (const x of p) for (const y of q) sum += dot(x, y) ** 2;
  return sum / 2;
}

function orthonormalColumns(latents) {
  const columns = [0, 1].map((c) => Float64Array.from({ length: latents.length / 2 }, (_, i) => latents[2 * i + c]));
  for (const column of columns) {
    const mean = column.reduce((sum, entry) => sum + entry, 0) / column.length;
    column.forEach((entry, i) => {
      column[i] = entry - mean;
    });
  }
  const first = unit(columns[0]);
  const along = dot(first, columns[1]);
  return [first, unit(columns[1].map((entry, i) => entry - along * first[i]))];
}

function unit(x) {
  const norm = Math.sqrt(dot(x, x));
  return x.map((entry) => entry / norm);
}

function dot(x, y) {
  return x.reduce((sum, entry, i) => sum + entry * y[i], 0);
}
