import { library, op, readLabels, readMatrix } from './data.mjs';

const { Matrix, withFloat64 } = library;

/** All 9298 USPS digits with pixels in [0, 1], and their classes. */
export async function readDigits() {
  const raw = await readMatrix('usps_X.npy');
  const Y = new Matrix(
    raw.data.map((entry) => (entry + 1) / 2),
    raw.rows,
    raw.columns,
  );
  return { Y, labels: readLabels('usps_y.npy') };
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
