/**
 * Whether steps of q(u) along the natural gradient pay (Hensman et al. 2013; Salimbeni, Eleftheriadis & Hensman 2018):
 *
 *   node bench/naturalSteps.mjs [--seconds 40] [--rows 1000] [--likelihood gaussian|bernoulli]
 *
 * A Bayesian GPLVM with q(u) as variables, of 8×8 digits (64 columns), q = 5, 50 inducing inputs, batches of 256: the bound of all rows per entry, after equal CPU seconds with
 * adam for all variables, as in `fit`, and with natural steps of q(u) and adam for the others. First it checks the step: with length 1 on
 * all rows it returns the optimal q(u) of a Gaussian likelihood, and so the collapsed bound. Needs `npm run build`.
 */
import { parseArgs } from 'node:util';
import { fromDist } from './context.mjs';
import { readMatrix } from './reproductions/data.mjs';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '40' },
    rows: { type: 'string', default: '1000' },
    likelihood: { type: 'string' },
  },
});
const { bayesianGplvm, bernoulli, gaussian, Matrix } = (await import('./library.mjs')).default;
const { openProblem } = await fromDist('inference/fit/fitProblem.js');
const [INDUCING, BATCH, CHECKS] = [50, 256, 4];
const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Lower K with K·Kᵀ = A (M×M), written into A. */
function cholesky(A, M) {
  for (let j = 0; j < M; j++) {
    for (let i = j; i < M; i++) {
      let sum = A[i * M + j];
      for (let k = 0; k < j; k++) sum -= A[i * M + k] * A[j * M + k];
      A[i * M + j] = i === j ? Math.sqrt(sum) : sum / A[j * M + j];
    }
  }
}

/**
 * One step along the natural gradient of minus the bound: with covariances S = RᵀR, R lower triangular, and gradients g of the means and G of
 * R (of minus the bound), H = R·∂bound/∂S·Rᵀ has −½·tril(GRᵀ) as its lower triangle; then KKᵀ = I − 2γH, R ← K⁻¹R and m ← m − γ·RᵀR·g.
 */
function naturalStep(x, gradient, { mean, root, D, M }, rate) {
  const count = (root.end - root.start) / (M * M);
  const K = new Float64Array(M * M);
  const column = new Float64Array(M);
  for (let c = 0; c < count; c++) {
    const R = x.subarray(root.start + c * M * M, root.start + (c + 1) * M * M);
    const G = gradient.subarray(root.start + c * M * M, root.start + (c + 1) * M * M);
    // A root that D columns share has the sum of their gradients.
    const factor = (rate * count) / D;
    for (let i = 0; i < M; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = 0;
        for (let k = 0; k <= j; k++) sum += G[i * M + k] * R[j * M + k];
        K[i * M + j] = factor * sum + (i === j ? 1 : 0);
      }
    }
    cholesky(K, M);
    for (let i = 0; i < M; i++) {
      for (let k = 0; k < i; k++) {
        const entry = K[i * M + k];
        for (let j = 0; j <= k; j++) R[i * M + j] -= entry * R[k * M + j];
      }
      for (let j = 0; j <= i; j++) R[i * M + j] /= K[i * M + i];
    }
    for (let d = count === 1 ? 0 : c; d < (count === 1 ? D : c + 1); d++) {
      for (let i = 0; i < M; i++) {
        column[i] = 0;
        for (let j = 0; j <= i; j++) column[i] += R[i * M + j] * gradient[mean.start + j * D + d];
      }
      for (let j = 0; j < M; j++) {
        let sum = 0;
        for (let i = j; i < M; i++) sum += R[i * M + j] * column[i];
        x[mean.start + j * D + d] -= rate * sum;
      }
    }
  }
}

function placesOfPosterior({ variables }, D) {
  const at = (path) => {
    const { start, shape } = variables.find((variable) => variable.path === path);
    return { start, end: start + shape.reduce((product, length) => product * length, 1), shape };
  };
  const mean = at('mapping.variational.mean');
  return { mean, root: at('mapping.variational.root'), D, M: mean.shape[0] };
}

/** Bounds an entry after equal parts of the seconds; without a rate of natural steps, adam moves q(u) too. */
function run(model, Y, naturalRate) {
  const problem = openProblem(model, { seed: 0, engine: 'wasm', batchSize: BATCH });
  const { inBatches } = problem;
  const posterior = placesOfPosterior(problem.layout, Y.columns);
  const isPosterior = (place) =>
    [posterior.mean, posterior.root].some(({ start, end }) => place >= start && place < end);
  const x = problem.start.slice();
  const [m, v, seen] = [x.slice().fill(0), x.slice().fill(0), x.slice().fill(0)];
  const whole = x.slice();
  const bounds = [];
  let spent = 0;
  let steps = 0;
  for (; bounds.length < CHECKS; steps++) {
    const begun = cpuSeconds();
    const places = inBatches.placesOf(steps);
    const { gradient } = problem.compute(() => inBatches.at(x, steps));
    const rate = 0.05 * (steps < 20 * inBatches.perEpoch ? 1 : 0.5);
    places.forEach((place, k) => {
      const g = gradient[k];
      whole[place] = g;
      if (naturalRate !== undefined && isPosterior(place)) return;
      seen[place]++;
      m[place] = 0.9 * m[place] + 0.1 * g;
      v[place] = 0.999 * v[place] + 0.001 * g * g;
      const [first, second] = [m[place] / (1 - 0.9 ** seen[place]), v[place] / (1 - 0.999 ** seen[place])];
      x[place] -= (rate * first) / (Math.sqrt(second) + 1e-8);
    });
    if (naturalRate !== undefined) naturalStep(x, whole, posterior, naturalRate);
    spent += cpuSeconds() - begun;
    if (spent < ((bounds.length + 1) * Number(options.seconds)) / CHECKS) continue;
    bounds.push(problem.densityAt(x).value / Y.data.length);
  }
  problem.dispose();
  return { bounds, steps };
}

/** A step of length 1 on all rows, and the collapsed bound. */
function check(Y) {
  const base = { latentDim: 2, inducing: 10 };
  const [free, collapsed] = ['uncollapsed', 'collapsed'].map((bound) =>
    openProblem(bayesianGplvm(Y, { ...base, bound }), { seed: 0, engine: 'wasm' }),
  );
  const x = free.start.slice();
  const posterior = placesOfPosterior(free.layout, Y.columns);
  for (let i = posterior.mean.start; i < posterior.mean.end; i++) x[i] = 0.3 * Math.sin(i);
  const { gradient } = free.compute(() => free.objective(x));
  naturalStep(x, gradient, posterior, 1);
  const [ours, theirs] = [free.densityAt(x).value, collapsed.densityAt(collapsed.start).value];
  console.log(`after one step of length 1: ${ours}, the collapsed bound: ${theirs}`);
  if (!(Math.abs(ours / theirs - 1) < 1e-9)) throw new Error('The natural step is wrong.');
}

const digits = await readMatrix('digits8x8_X.npy');
const Y = Matrix.from(Array.from({ length: Number(options.rows) }, (_, i) => digits.row(i)));
check(Matrix.from(Y.toArrays().slice(0, 60)));
const half = Y.data.reduce((largest, entry) => Math.max(largest, entry)) / 2;
const binary = new Matrix(
  Y.data.map((entry) => Number(entry > half)),
  Y.rows,
  Y.columns,
);
for (const [name, observations, likelihood] of [
  ['gaussian', Y, gaussian()],
  ['bernoulli', binary, bernoulli()],
]) {
  if (options.likelihood !== undefined && options.likelihood !== name) continue;
  console.log(`\n${name}, ${Y.rows} rows: bound per entry after equal parts of ${options.seconds} CPU seconds`);
  for (const [way, naturalRate] of [
    ['adam', undefined],
    ['natural steps of 0.1', 0.1],
  ]) {
    const model = bayesianGplvm(observations, { latentDim: 5, inducing: INDUCING, likelihood, bound: 'uncollapsed' });
    const { bounds, steps } = run(model, observations, naturalRate);
    console.log(`${way.padEnd(24)}${bounds.map((bound) => bound.toFixed(4).padStart(10)).join('')}  ${steps} steps`);
  }
}
