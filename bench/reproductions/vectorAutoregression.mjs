/** Least-squares coefficients of the regression of B on A by Householder reflections; A has at least as many rows as columns. */
function leastSquares(A, B) {
  const [N, P, D] = [A.length, A[0].length, B[0].length];
  const R = A.map((row, i) => [...row, ...B[i]]);
  for (let p = 0; p < P; p++) {
    const norm = Math.hypot(...R.slice(p).map((row) => row[p]));
    if (norm === 0) throw new Error('The regressors are linearly dependent.');
    const sign = R[p][p] < 0 ? -1 : 1;
    const v = R.slice(p).map((row) => row[p]);
    v[0] += sign * norm;
    const square = v.reduce((sum, x) => sum + x * x, 0);
    for (let c = p; c < P + D; c++) {
      const factor = (2 * v.reduce((sum, x, i) => sum + x * R[p + i][c], 0)) / square;
      for (let i = p; i < N; i++) R[i][c] -= factor * v[i - p];
    }
  }
  const coefficients = Array.from({ length: P }, () => new Array(D).fill(0));
  for (let p = P - 1; p >= 0; p--) {
    for (let d = 0; d < D; d++) {
      const rest = coefficients.slice(p + 1).reduce((sum, row, k) => sum + R[p][p + 1 + k] * row[d], 0);
      coefficients[p][d] = (R[p][P + d] - rest) / R[p][p];
    }
  }
  return coefficients;
}

const product = (A, B) => A.map((row) => B[0].map((_, j) => row.reduce((sum, x, k) => sum + x * B[k][j], 0)));
const transposed = (A) => A[0].map((_, j) => A.map((row) => row[j]));

/** log|S| of a positive definite matrix. */
function logDeterminant(S) {
  const L = S.map((row) => [...row]);
  let sum = 0;
  for (let k = 0; k < L.length; k++) {
    sum += Math.log(L[k][k]);
    for (let i = k + 1; i < L.length; i++) {
      const factor = L[i][k] / L[k][k];
      for (let j = k; j < L.length; j++) L[i][j] -= factor * L[k][j];
    }
  }
  return sum;
}

/** Regression of each row on a constant and the `order` rows before it, over the rows from `first` on. */
function regression(rows, order, first) {
  const targets = rows.slice(first);
  const regressors = targets.map((_, i) => [
    1,
    ...Array.from({ length: order }, (_, k) => rows[first + i - 1 - k]).flat(),
  ]);
  const coefficients = leastSquares(regressors, targets);
  const residuals = product(regressors, coefficients).map((row, i) => row.map((x, j) => targets[i][j] - x));
  const crossed = product(transposed(residuals), residuals);
  return { coefficients, crossed, N: targets.length };
}

/**
 * Forecasts of a vector autoregression, y_t = c + Σ_k A_k y_{t−k} + u_t, by least squares: means, and the diagonal of Σ_{i<h} Φ_i Σ_u Φ_iᵀ at step h
 * (Lütkepohl 2005, 2.2.3, 3.2). The order minimizes log|Σ̃_u| + (log T/T)·p·D² (4.3.2) over the same rows.
 */
export function varForecast(rows, steps, { most = 4 } = {}) {
  const D = rows[0].length;
  const orders = Array.from({ length: most }, (_, k) => k + 1).filter((p) => 2 * (p * D + 1) <= rows.length - most);
  const criterion = (p) => {
    const { crossed, N } = regression(rows, p, most);
    return logDeterminant(crossed.map((row) => row.map((x) => x / N))) + (Math.log(N) / N) * p * D * D;
  };
  const values = orders.map(criterion);
  const order = orders.length === 0 ? 1 : orders[values.indexOf(Math.min(...values))];
  const { coefficients, crossed, N } = regression(rows, order, order);
  const noise = crossed.map((row) => row.map((x) => x / Math.max(1, N - order * D - 1)));
  // A_k, with the entries of A_kᵀ in the rows of the coefficients.
  const A = Array.from({ length: order }, (_, k) => transposed(coefficients.slice(1 + k * D, 1 + (k + 1) * D)));
  const path = rows.slice(-order);
  const responses = [];
  const sum = new Array(D).fill(0);
  const [mean, variance] = [[], []];
  for (let h = 0; h < steps; h++) {
    const next = coefficients[0].map(
      (constant, j) =>
        constant + A.reduce((total, Ak, k) => total + Ak[j].reduce((s, a, i) => s + a * path.at(-1 - k)[i], 0), 0),
    );
    path.push(next);
    const response =
      h === 0
        ? noise.map((row, i) => row.map((_, j) => (i === j ? 1 : 0)))
        : A.slice(0, h)
            .map((Ak, k) => product(Ak, responses[h - 1 - k]))
            .reduce((a, b) => a.map((row, i) => row.map((x, j) => x + b[i][j])));
    responses.push(response);
    const spread = product(product(response, noise), transposed(response));
    for (let j = 0; j < D; j++) sum[j] += spread[j][j];
    mean.push(next);
    variance.push([...sum]);
  }
  return { order, mean, variance };
}
