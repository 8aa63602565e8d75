import { library, op, readLabels, readMatrix, rowsOf } from './data.mjs';

const { Matrix, seededRandom, withFloat64 } = library;

/** All 9298 USPS digits with pixels in [0, 1], and their classes. */
export async function readDigits() {
  const raw = await readMatrix('usps_X.npy');
  const pixels = new Matrix(
    raw.data.map((entry) => (entry + 1) / 2),
    raw.rows,
    raw.columns,
  );
  return { pixels, labels: readLabels('usps_y.npy') };
}

/** A random split with `perClass` training digits of each class, the rest for testing. */
export function splitDigits({ pixels, labels }, perClass, seed) {
  const random = seededRandom(seed);
  const order = Array.from({ length: pixels.rows }, (_, i) => i);
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random.uniform() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  const taken = new Map();
  const part = (rows) => ({ Y: rowsOf(pixels, rows), labels: rows.map((i) => labels[i]) });
  const training = order.filter((i) => {
    const count = taken.get(labels[i]) ?? 0;
    taken.set(labels[i], count + 1);
    return count < perClass;
  });
  const chosen = new Set(training);
  return { training: part(training), test: part(order.filter((i) => !chosen.has(i))) };
}

/** Both parts of a split on the principal axes of its training digits that keep 99 % of their variance. */
export function onPrincipalAxes({ training, test }) {
  const { rows: N, columns: D } = training.Y;
  const mean = new Float64Array(D);
  training.Y.data.forEach((entry, k) => {
    mean[k % D] += entry / N;
  });
  const centered = (Y) =>
    op.tensor(
      Y.data.map((entry, k) => entry - mean[k % D]),
      [Y.rows, D],
    );
  return withFloat64(() => {
    const Y = centered(training.Y);
    const { values, vectors } = op.symmetricEigen(op.matMul(Y, Y, true, false));
    const variances = Float64Array.from(values.dataSync()).reverse();
    const total = variances.reduce((sum, entry) => sum + entry, 0);
    let kept = 0;
    for (let sum = 0; sum < 0.99 * total; kept++) sum += variances[kept];
    const axes = op.slice(vectors, [0, D - kept], [D, kept]);
    const scores = ({ Y, labels }) => {
      const projected = op.matMul(centered(Y), axes);
      return { Y: new Matrix(Float64Array.from(projected.dataSync()), Y.rows, kept), labels };
    };
    return { training: scores(training), test: scores(test) };
  });
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
