import { fromDist } from '../../context.mjs';

const { logErfc } = await fromDist('engine/special/normal.js');

function isBinary(truth, j) {
  return truth.every((row) => row[j] === 0 || row[j] === 1);
}

/** Whole numbers that may be modeled as counts or grades: all models are scored by the probability of the number. */
function isDiscrete(truth, j) {
  const values = truth.map((row) => row[j]);
  return values.every(Number.isInteger) && (values.includes(0) || new Set(values).size <= 10);
}

function deviationOf(truth, j) {
  const mean = truth.reduce((sum, row) => sum + row[j], 0) / truth.length;
  return Math.sqrt(truth.reduce((sum, row) => sum + (row[j] - mean) ** 2, 0) / truth.length);
}

/** Squared error of a number in deviations of its column, and 0 or 1 for the likeliest level. */
export function lossOf({ row, group }, { mean }, groups, truth) {
  const positions = groups[group];
  const found = positions.map((j) => mean[row][j]);
  const [j] = positions;
  if (positions.length > 1) return truth[row][positions[found.indexOf(Math.max(...found))]] === 1 ? 0 : 1;
  if (isBinary(truth, j)) return (found[0] > 0.5 ? 1 : 0) === truth[row][j] ? 0 : 1;
  return ((found[0] - truth[row][j]) / deviationOf(truth, j)) ** 2;
}

/** log p of a hidden cell: the probability of a level or a whole number, the density of another number in deviations of its column. */
export function logScore({ row, group }, { mean, variance, kinds = [] }, groups, truth, isClipped) {
  const positions = groups[group];
  const at = positions.map((j) => ({ m: mean[row][j], v: variance[row][j], y: truth[row][j] }));
  const [{ m, v, y }] = at;
  const [j] = positions;
  const kind = kinds[group];
  if (positions.length > 1 || isBinary(truth, j)) {
    const shares = positions.length > 1 ? at.map((one) => one.m) : [1 - m, m];
    const level = positions.length > 1 ? at.findIndex((one) => one.y === 1) : y;
    if (kind !== undefined) return Math.log(shares[level]);
    if (isClipped) {
      const clipped = shares.map((share) => Math.min(1, Math.max(0.01, share)));
      return Math.log(clipped[level] / clipped.reduce((sum, share) => sum + share, 0));
    }
    // The share of each level among the levels, for a Gaussian of the indicators.
    const logs =
      positions.length > 1
        ? positions.map((_, k) => at.reduce((sum, one, l) => sum + normalLog(Number(l === k), one.m, one.v), 0))
        : [0, 1].map((value) => normalLog(value, m, v));
    return logs[level] - logTotal(logs);
  }
  if (isDiscrete(truth, j)) return Math.log(Math.max(1e-12, massOf(kind, y, m, v, truth, j)));
  return Math.log(deviationOf(truth, j)) + densityLog(kind, y, m, v);
}

/** Probability of a whole number: negative binomial for counts, otherwise the mass of a Gaussian around it, at the ends with its tails. */
function massOf(kind, y, m, v, truth, j) {
  if (kind === 'count') {
    const size = v > m * 1.001 ? (m * m) / (v - m) : m * 1000;
    let log = size * Math.log(size / (size + m));
    for (let k = 1; k <= y; k++) log += Math.log(((k - 1 + size) / k) * (m / (size + m)));
    return Math.exp(log);
  }
  const values = truth.map((row) => row[j]);
  const below = (edge) => normalCdf((edge - m) / Math.sqrt(v));
  return (y === Math.max(...values) ? 1 : below(y + 0.5)) - (y === Math.min(...values) ? 0 : below(y - 0.5));
}

function densityLog(kind, y, m, v) {
  if (kind === 'amount') {
    const spread = Math.log1p(v / (m * m));
    return normalLog(Math.log(y), Math.log(m) - spread / 2, spread) - Math.log(y);
  }
  if (kind === 'fraction') {
    const concentration = (m * (1 - m)) / v - 1;
    const [a, b] = [m * concentration, (1 - m) * concentration];
    const density = (x) => (a - 1) * Math.log(x) + (b - 1) * Math.log1p(-x);
    return density(y) - logTotal(GRID.map(density)) + Math.log(GRID.length);
  }
  return normalLog(y, m, v);
}

const GRID = Array.from({ length: 2000 }, (_, k) => (k + 0.5) / 2000);

/** Distribution function of a hidden number at its value, at random within the step of a whole number; undefined for levels. */
export function placeOf({ row, group }, { mean, variance, kinds }, groups, truth, random) {
  const [j, ...more] = groups[group];
  if (more.length > 0 || isBinary(truth, j)) return undefined;
  const [m, v, y, kind] = [mean[row][j], variance[row][j], truth[row][j], kinds[group]];
  if (isDiscrete(truth, j)) {
    const low = Math.min(...truth.map((own) => own[j]));
    const below = Array.from({ length: y - low }, (_, k) => massOf(kind, low + k, m, v, truth, j));
    return below.reduce((sum, mass) => sum + mass, 0) + random.uniform() * massOf(kind, y, m, v, truth, j);
  }
  if (kind === 'fraction') {
    return GRID.reduce((sum, x) => sum + (x < y ? Math.exp(densityLog(kind, x, m, v)) / GRID.length : 0), 0);
  }
  if (kind !== 'amount') return normalCdf((y - m) / Math.sqrt(v));
  const spread = Math.log1p(v / (m * m));
  return normalCdf((Math.log(y) - Math.log(m) + spread / 2) / Math.sqrt(spread));
}

function normalLog(y, m, v) {
  return -0.5 * (Math.log(2 * Math.PI * v) + (y - m) ** 2 / v);
}

function logTotal(logs) {
  const most = Math.max(...logs);
  return most + Math.log(logs.reduce((sum, entry) => sum + Math.exp(entry - most), 0));
}

function normalCdf(z) {
  return Math.exp(logErfc(-z / Math.SQRT2)) / 2;
}
