import { fromDist } from '../context.mjs';
import { count, library, readMatrix, rowsOf } from './data.mjs';

const {
  bayesianGplvm,
  defineModel,
  fit,
  fixed,
  gaussianLatents,
  gaussianProcess,
  gplvm,
  known,
  latent,
  Matrix,
  observed,
  rbf,
} = library;

const { nearestNeighbors } = await fromDist('engine/neighbors/index.js');

const FILES = ['cmu_mocap_X.npy', 'cmu_mocap_seq.npy', 'cmu_mocap_y.npy'];
const RUNNING = 1;
/** Frames of a sequence that are seen whole, from its first on. */
const SEEN_WHOLE = 10;
/** Frames between the last of a sequence and the first of the next, so many that a smooth process makes them independent. */
const APART = 1000;

const jointsFrom = (first, last) => count(3 * (last - first + 1)).map((k) => 3 * first + k);
/** Columns of the markers that are hidden: hip, knee, ankle, foot and toe of the left leg; spine, head and both arms. */
const REGIONS = { 'left leg': jointsFrom(1, 5), 'upper body': jointsFrom(11, 27) };

/**
 * A process of the frame's time is the prior of the latents, which are Gaussian and correlated along a sequence (Damianou, Titsias & Lawrence 2011). Its scale is the
 * scale of the latents, and is fixed.
 */
const dynamical = defineModel({
  name: 'dynamical',
  variables: ({ y, times, dim, inducing, lengthscale }) => {
    const time = known(times);
    const z = latent({
      dim,
      density: gaussianProcess({ kernel: rbf({ variance: fixed(1), lengthscale }), noise: 0.01 }),
      given: time,
      posterior: gaussianLatents({ correlated: true }),
    });
    const process = gaussianProcess({ kernel: rbf({ lengthscale: Array(dim).fill(1) }), inducing });
    return { time, z, y: observed(y, { density: process, given: z, missing: 'ignore' }) };
  },
});

const stacked = (parts) => Matrix.from(parts.flatMap((part) => part.toArrays()));

/** Rows whose hidden entries are NaN. */
const hiding = (rows, columns) =>
  Matrix.from(
    rows
      .toArrays()
      .map((row, i) => (i < SEEN_WHOLE ? row : row.map((entry, j) => (columns.includes(j) ? Number.NaN : entry)))),
  );

/** Root mean squared error of the hidden entries. */
function errorOf(truth, found, columns) {
  const squares = count(truth.rows - SEEN_WHOLE).flatMap((k) =>
    columns.map((j) => (truth.at(SEEN_WHOLE + k, j) - found.at(SEEN_WHOLE + k, j)) ** 2),
  );
  return Math.sqrt(squares.reduce((sum, entry) => sum + entry, 0) / squares.length);
}

/** The rows of the training frames that are nearest by the markers that are seen, each column in units of its standard deviation. */
function nearest(training, test, columns) {
  const seen = count(training.columns).filter((j) => !columns.includes(j));
  const scales = seen.map((j) => {
    const column = Array.from(training.column(j));
    const mean = column.reduce((sum, entry) => sum + entry / column.length, 0);
    return Math.sqrt(column.reduce((sum, entry) => sum + (entry - mean) ** 2 / column.length, 0));
  });
  const scaled = (Y) => Matrix.from(Y.toArrays().map((row) => seen.map((j, k) => row[j] / scales[k])));
  const { indices } = nearestNeighbors(scaled(training), 1, { queries: scaled(test) });
  return rowsOf(training, Array.from(indices));
}

const mean = (list) => list.reduce((sum, entry) => sum + entry / list.length, 0);
const deviation = (list) => Math.sqrt(mean(list.map((entry) => (entry - mean(list)) ** 2)));

async function run(study) {
  const [all, sequence, kind] = await Promise.all(FILES.map(readMatrix));
  // The root is the origin.
  const varied = count(all.columns).filter((j) => new Set(all.column(j)).size > 1);
  const isRunning = (i) => kind.data[i] === RUNNING;
  const numbers = [...new Set(Array.from(sequence.data).filter((_, i) => isRunning(i)))];
  const sequences = numbers.map((number) => {
    const rows = count(all.rows).filter((i) => sequence.data[i] === number);
    return Matrix.from(
      rows.map((i) => varied.map((j) => all.at(i, j))).slice(0, study.quick ? SEEN_WHOLE + 10 : rows.length),
    );
  });
  const held = study.quick ? [0] : count(sequences.length);
  const regions = Object.entries(REGIONS)
    .slice(0, study.quick ? 1 : 2)
    .map(([region, columns]) => [region, columns.map((j) => varied.indexOf(j))]);
  const maxIterations = study.quick ? 15 : 500;
  const [dim, inducing] = study.quick ? [3, 10] : [6, 40];
  const table = [];
  const single = [];
  study.note(
    `Motion capture of a person who runs, ${sequences.length} sequences of the CMU database (${sequences.map(({ rows }) => rows).join(', ')} frames), the positions of 27 joints about that of the root in units of the skeleton. Each sequence is held out in turn${study.quick ? ' (here the first)' : ''}: its first ${SEEN_WHOLE} frames are seen whole, in the others the markers of a leg, or of the upper body, are hidden and predicted from the rest. The protocol is that of Taylor, Hinton & Roweis 2007 and Lawrence 2007, whose errors are root mean squared angles (GPLVM 3.40 and 2.49, scaled nearest neighbors 4.44 and 2.62); the sequences here are others and the errors are of positions, so the order of the methods can be compared and the numbers cannot. Frames of the other sequences and those seen whole are fitted, ${maxIterations} iterations at the most. The dynamical model has a process of time as the prior of its latents and sees the frames with hidden markers while it is fitted, each at its time; others place each frame alone by what is seen of it.`,
  );
  study.table(
    `Root mean squared error of hidden markers: mean over the sequences, ± standard deviation`,
    ['model', ...regions.map(([region]) => region)],
    table,
  );
  study.table('Each sequence', ['sequence', 'hidden', 'model', 'error', 'fit'], single);
  const methods = {
    'nearest neighbor, scaled': null,
    'gplvm, q = 3': (Y) => gplvm(Y, { latentDim: 3 }),
    'gplvm, q = 4': (Y) => gplvm(Y, { latentDim: 4 }),
    [`bayesianGplvm, q = ${dim}`]: (Y) => bayesianGplvm(Y, { latentDim: dim, inducing }),
    [`dynamical, q = ${dim}`]: 'dynamical',
  };
  const errors = new Map();
  for (const k of held) {
    const test = sequences[k];
    const others = sequences.filter((_, i) => i !== k);
    const training = stacked([
      ...others,
      rowsOf(
        test,
        count(test.rows).filter((i) => i < SEEN_WHOLE),
      ),
    ]);
    for (const [name, method] of Object.entries(methods)) {
      const cell = await study.cell(`sequence ${k + 1}, ${name}`, async () => {
        const placed = typeof method === 'function' ? await fit(method(training), { maxIterations }) : undefined;
        const outcomes = [];
        for (const [, columns] of regions) {
          const rows = hiding(test, columns);
          if (method === null) {
            outcomes.push({ error: errorOf(test, nearest(training, rows, columns), columns), status: '–' });
          } else if (placed) {
            const found = await placed.reconstruct(rows);
            outcomes.push({ error: errorOf(test, found, columns), status: placed.status });
          } else {
            const y = stacked([...others, rows]);
            const times = Matrix.from(
              [...others, rows].flatMap((part, i) => count(part.rows).map((frame) => [frame + APART * i])),
            );
            const result = await fit(dynamical({ y, times, dim, inducing, lengthscale: 5 }), { maxIterations });
            const at = count(test.rows).map((i) => y.rows - test.rows + i);
            const { mean: found } = result.predict({ z: rowsOf(result.latents, at), time: rowsOf(times, at) }).y;
            outcomes.push({ error: errorOf(test, found, columns), status: result.status });
          }
        }
        return { outcomes, status: outcomes.map(({ status }) => status)[0] };
      });
      cell.outcomes.forEach(({ error, status }, r) => {
        const [region] = regions[r];
        single.push([k + 1, region, name, error.toFixed(3), status]);
        const key = `${name}, ${region}`;
        errors.set(key, [...(errors.get(key) ?? []), error]);
      });
    }
  }
  for (const name of Object.keys(methods)) {
    const shown = regions.map(([region]) => {
      const list = errors.get(`${name}, ${region}`);
      return `${mean(list).toFixed(3)} ± ${deviation(list).toFixed(3)}`;
    });
    table.push([name, ...shown]);
  }
}

export const hiddenMarkers = {
  name: 'hidden-markers',
  title: 'Hidden markers of six runs, by time and without it',
  source: 'Taylor, Hinton & Roweis 2007; Damianou, Titsias & Lawrence 2011',
  files: FILES,
  run,
};
