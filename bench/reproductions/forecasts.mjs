import { count, library, readLabels, readMatrix, rowsOf } from './data.mjs';
import { varForecast } from './vectorAutoregression.mjs';

const { fit, gplvm, Matrix } = library;

const STEPS = 20;
/** Columns of hips, knees, ankles and feet. */
const LEGS = [6, 7, 8, 9, 10, 11, 12, 13, 14, 21, 22, 23, 24, 25, 26, 27, 28, 29];
/** Access points that are heard in over half of the frames; others are constant for long. */
const HEARD = [5, 6, 9, 10, 16, 17, 18, 19, 21, 22, 28];
/** Longest walk of the data. */
const WALK = 35;

/** The robot's series is fitted from its beginning, the walk over the 150 frames before the origin, as a person's gait changes. */
const SERIES = {
  'robot, 11 access points': {
    files: ['robot_train_X.npy'],
    window: Number.POSITIVE_INFINITY,
    origins: [115, 135, 155, 175, 195],
    rows: (Y) => Y,
    columns: HEARD,
  },
  'walk, 18 coordinates of the legs': {
    files: ['cmu_mocap_X.npy', 'cmu_mocap_seq.npy'],
    window: 150,
    origins: [150, 181, 212, 243, 274, 305],
    rows: (Y, sequence) =>
      rowsOf(
        Y,
        count(Y.rows).filter((i) => sequence[i] === WALK),
      ),
    columns: LEGS,
  },
};
const MODELS = {
  'gplvm, q = 2': (Y, steps, maxIterations) => ahead(Y, steps, { latentDim: 2, dynamics: true }, maxIterations),
  'gplvm, q = 3': (Y, steps, maxIterations) => ahead(Y, steps, { latentDim: 3, dynamics: true }, maxIterations),
  'vector autoregression': (Y, steps) => varForecast(Y.toArrays(), steps),
  'last row': (Y, steps) => lastRow(Y.toArrays(), steps),
};

async function ahead(Y, steps, options, maxIterations) {
  const result = await fit(gplvm(Y, options), { maxIterations });
  const { mean, variance } = result.forecast(steps);
  return { mean: mean.toArrays(), variance: variance.toArrays() };
}

/** Each column stays where it is, with the variance of a random walk of its differences. */
function lastRow(rows, steps) {
  const last = rows.at(-1);
  const step = last.map((_, j) => mean(rows.slice(1).map((row, i) => (row[j] - rows[i][j]) ** 2)));
  return { mean: count(steps).map(() => last), variance: count(steps).map((k) => step.map((v) => (k + 1) * v)) };
}

const mean = (list) => list.reduce((sum, entry) => sum + entry / list.length, 0);
const written = (list, digits = 2) =>
  `${mean(list).toFixed(digits)} ± ${Math.sqrt(mean(list.map((x) => (x - mean(list)) ** 2)) / Math.max(1, list.length - 1)).toFixed(digits)}`;

/** 95 % quantile of the standard normal distribution: intervals of nominal 90 %. */
const QUANTILE = 1.6448536269514722;

/** Coverage, error relative to the spread of the columns before the origin, and mean log density, over the rows and columns ahead. */
function scored(before, after, { mean: means, variance }) {
  const spreads = before[0].map((_, j) => {
    const column = before.map((row) => row[j]);
    return Math.sqrt(mean(column.map((x) => (x - mean(column)) ** 2)));
  });
  const cells = (from, to) => after.slice(from, to).flatMap((row, k) => spreads.map((_, j) => [row[j], from + k, j]));
  const off = ([value, k, j]) => value - means[k][j];
  const covered = (some) =>
    mean(some.map((cell) => (Math.abs(off(cell)) <= QUANTILE * Math.sqrt(variance[cell[1]][cell[2]]) ? 1 : 0)));
  const all = cells(0, after.length);
  const density = (cell) => {
    const v = variance[cell[1]][cell[2]] / spreads[cell[2]] ** 2;
    return -0.5 * (Math.log(2 * Math.PI * v) + (off(cell) / spreads[cell[2]]) ** 2 / v);
  };
  return {
    early: covered(cells(0, Math.min(5, after.length))),
    covered: covered(all),
    error: Math.sqrt(mean(all.map((cell) => (off(cell) / spreads[cell[2]]) ** 2))),
    density: mean(all.map(density)),
  };
}

async function run(study) {
  const rows = [];
  study.note(
    `The ${STEPS} rows after each of five or six origins, forecast from the rows before it: the share of entries within intervals of nominal 90 %, over the first five steps and over all; the root mean square error in units of each column's standard deviation before the origin; and the mean log density of an entry in these units. Means over origins, with their standard errors. gplvm has dynamics, at most 10 000 iterations, and otherwise its defaults. The vector autoregression is of the order from 1 to 4 with the least Bayesian information criterion among those with at most half as many coefficients per column as rows. 'Last row' is a random walk of each column. Of the robot's signals there are the access points that are heard in over half of the frames, of the walk the coordinates of both legs.`,
  );
  study.table('Forecasts', ['series', 'model', 'within 90 %, steps 1–5', `1–${STEPS}`, 'error', 'log density'], rows);
  for (const [name, { files, window, origins, rows: of, columns }] of Object.entries(SERIES)) {
    const whole = of(await readMatrix(files[0]), files[1] && readLabels(files[1]));
    const Y = Matrix.from(whole.toArrays().map((row) => columns.map((j) => row[j])));
    for (const [model, forecast] of Object.entries(MODELS)) {
      const scores = [];
      for (const origin of study.quick ? origins.slice(0, 1) : origins) {
        const [from, steps] = study.quick ? [origin - 80, 5] : [Math.max(0, origin - window), STEPS];
        const value = await study.cell(`${name}, ${model}, ${origin}`, async () => {
          const before = rowsOf(
            Y,
            count(origin - from).map((i) => from + i),
          );
          const after = rowsOf(
            Y,
            count(steps).map((k) => origin + k),
          ).toArrays();
          return scored(before.toArrays(), after, await forecast(before, steps, study.quick ? 30 : 10_000));
        });
        scores.push(value);
      }
      const columnOf = (key) => written(scores.map((score) => score[key]));
      rows.push([name, model, columnOf('early'), columnOf('covered'), columnOf('error'), columnOf('density')]);
    }
  }
}

export const forecasts = {
  name: 'forecasts',
  title: 'Forecasts of real series',
  source: 'Wang, Fleet & Hertzmann 2008; Lütkepohl 2005',
  files: Object.values(SERIES).flatMap(({ files }) => files),
  run,
};
