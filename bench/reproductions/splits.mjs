import { count, library, rowsOf } from './data.mjs';

const { fit, nearestNeighborScore, selectOptions } = library;

/** A random split: `perClass` training points of each class, the others for testing. */
export function splitOf({ Y, labels }, perClass, seed) {
  const order = count(Y.rows);
  const random = library.seededRandom(seed);
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  const taken = new Map();
  const training = order.filter((i) => {
    const before = taken.get(labels[i]) ?? 0;
    taken.set(labels[i], before + 1);
    return before < perClass;
  });
  const chosen = new Set(training);
  const part = (rows) => ({ Y: rowsOf(Y, rows), labels: rows.map((i) => labels[i]) });
  return { training: part(training), test: part(order.filter((i) => !chosen.has(i))) };
}

/** A fit of the training points, the latents of training and test points, and the error of the nearest training point. */
export async function placed(model, { training, test }, options) {
  const { latents, status, message, project, parameters } = await fit(model, options);
  const there = (await project(test.Y)).latents;
  const error = testError({ ...training, Y: latents }, { ...test, Y: there });
  return { error, status, message, parameters, training: latents, test: there };
}

/** The rate of test points whose nearest training point is of another class. */
export function testError(training, test) {
  const [X, Z] = [training.Y, test.Y];
  const q = X.columns;
  let errors = 0;
  for (let i = 0; i < Z.rows; i++) {
    let smallest = Number.POSITIVE_INFINITY;
    let nearest = 0;
    for (let j = 0; j < X.rows; j++) {
      let distance = 0;
      for (let d = 0; d < q && distance < smallest; d++) distance += (Z.data[i * q + d] - X.data[j * q + d]) ** 2;
      if (distance < smallest) {
        smallest = distance;
        nearest = j;
      }
    }
    if (training.labels[nearest] !== test.labels[i]) errors++;
  }
  return errors / Z.rows;
}

/** γ as Zhong et al. 2010, §5, choose it, and every second of their strengths, from 1e-5 to 1e5. */
export const GAMMAS = [0.001, 0.01, 0.1];
export const STRENGTHS = [1e-5, 1e-3, 0.1, 10, 1000, 1e5];

/**
 * Settings chosen by cross-validation inside training points, by the error of the nearest neighbor: γ by the mean over the strengths, the strength
 * at that γ. Among equals the middle one is taken: with few points most of a grid has the same error. Test points have no influence.
 *
 * @param make - the model of some points and their labels with these settings
 * @param grid - `gamma` and `strength`, each a list; a list with one entry is not searched
 */
export async function chosenSettings(make, { Y, labels }, { gamma, strength }, { folds, maxIterations }) {
  const { table } = await selectOptions(
    (options, { take }) => make({ Y: take(Y), labels: take(labels) }, options),
    { gamma, strength },
    { score: nearestNeighborScore(Y, labels), folds, seed: 0, fit: { maxIterations } },
  );
  // A fit that failed places nothing right.
  const scoreOf = ({ score }) => (Number.isNaN(score) ? 1 : score);
  const scoresAt = (value) => table.filter(({ options }) => options.gamma === value).map(scoreOf);
  const best = leastBy(gamma, (value) => mean(scoresAt(value)));
  const errors = scoresAt(best);
  const chosen = leastBy(strength, (value) => errors[strength.indexOf(value)]);
  return { gamma: best, strength: chosen, score: errors[strength.indexOf(chosen)] };
}

/** The value of least measure, the middle of equals. */
export function leastBy(values, measure) {
  const measures = values.map(measure);
  const equals = values.filter((_, k) => measures[k] - Math.min(...measures) < 1e-12);
  return equals[Math.floor((equals.length - 1) / 2)];
}

export const mean = (list) => list.reduce((sum, entry) => sum + entry, 0) / list.length;

/** Mean ± standard deviation, the mean alone of a single number. */
export const spread = (list, digits = 4) =>
  list.length === 1 ? mean(list).toFixed(digits) : `${mean(list).toFixed(digits)} ± ${deviation(list).toFixed(digits)}`;

const deviation = (list) =>
  Math.sqrt(list.reduce((sum, entry) => sum + (entry - mean(list)) ** 2, 0) / (list.length - 1));

/** Mean of the differences of two lists over the same splits ± its standard error. */
export function pairedDifference(list, others) {
  const differences = list.map((entry, k) => entry - others[k]);
  const average = mean(differences);
  const sign = average < 0 ? '−' : '+';
  if (list.length === 1) return `${sign}${Math.abs(average).toFixed(4)}`;
  return `${sign}${Math.abs(average).toFixed(4)} ± ${(deviation(differences) / Math.sqrt(list.length)).toFixed(4)}`;
}
