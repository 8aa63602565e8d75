// Draws every kernel of the catalog for docs/custom-components.md: the covariance with three points on a line, and samples of a process
// with that covariance. `node scripts/drawKernels.mjs [FOLDER]` writes one SVG each; the folder is docs/kernels unless given.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nice } from 'd3-array';

const [folder = fileURLToPath(new URL('../docs/kernels', import.meta.url))] = process.argv.slice(2);
process.argv.push('--build');
await import('./prepare.mjs');
const {
  bias,
  cosine,
  covariance,
  describe,
  linear,
  Matrix,
  matern12,
  matern32,
  matern52,
  mlp,
  periodic,
  polynomial,
  rationalQuadratic,
  rbf,
  seededRandom,
  thinPlateSpline,
  white,
} = await import('../dist/index.js');
const { withFloat64 } = await import('../dist/engine/tensors/index.js');
const op = await import('../dist/engine/tensors/ops.js');
const { PALETTES, pictureGrid, sceneSvg } = await import('../dist/app/plot/index.js');

const kernels = [
  rbf(),
  matern12(),
  matern32(),
  matern52(),
  rationalQuadratic({ alpha: 0.5 }),
  periodic({ lengthscale: 1, period: 2 }),
  cosine({ lengthscale: 3 }),
  linear(),
  polynomial({ variance: 0.1, degree: 3 }),
  mlp({ weightVariance: 10, biasVariance: 1 }),
  bias(),
  white(),
  thinPlateSpline({ centers: [-3, -2, -1, 0, 1, 2, 3].map((center) => [center]) }),
];
const AGAINST = [-1.5, 0, 1];
const curveName = (x) => `x′ = ${String(x).replace('-', '−')}`;
const SAMPLES = 4;
const STEPS = 120;
const line = Array.from({ length: STEPS + 1 }, (_, i) => -3 + (6 * i) / STEPS);

/** Samples of a Gaussian process with this covariance: L·z with LLᵀ = K. */
function samplesOf(kernel) {
  const K = covariance(
    kernel,
    line.map((x) => [x]),
  );
  const { normal } = seededRandom(1);
  const z = Matrix.from(line.map(() => Array.from({ length: SAMPLES }, normal)));
  return withFloat64(() => {
    const L = op.cholesky(op.tensor(K), { name: `The covariance of ${describe(kernel)}` });
    return Matrix.from(op.matMul(L, op.tensor(z)));
  });
}

/** k(x, x') along the line; white noise is of a point with itself only, and is drawn as such. */
function covariances(kernel) {
  return AGAINST.map((against) => {
    const values = covariance(
      kernel,
      line.map((x) => [x]),
      [[against]],
    ).column(0);
    const own = covariance(kernel, [[against]]).at(0, 0);
    return line.map((x, i) => (x === against ? own : values[i]));
  });
}

/** Curves over the line, the axis beginning or ending at 0 unless they are on both sides of it. */
function panel(title, curves, names = []) {
  const [low, high] = [Math.min(0, ...curves.flat()), Math.max(0, ...curves.flat())];
  const colored = curves.map((y, k) => ({ x: line, y, color: PALETTES.light.labels[k], width: 1.6 }));
  return sceneSvg({
    ...{ width: 300, height: 190, title, description: title },
    x: { domain: [-3, 3], title: 'x', ticks: 7 },
    y: { domain: nice(low, high, 5), ticks: 5, grid: true },
    marks: [{ mark: 'lines', name: 'curves', lines: colored }],
    legends:
      names.length === 0
        ? []
        : [{ title: '', entries: names.map((name, k) => ({ name, look: { color: colored[k].color, line: true } })) }],
  });
}

mkdirSync(folder, { recursive: true });
for (const kernel of kernels) {
  const drawn = samplesOf(kernel);
  const samples = Array.from({ length: SAMPLES }, (_, k) => line.map((_, i) => drawn.at(i, k)));
  const shape = kernel.name === 'thinPlateSpline' ? 'thinPlateSpline, centers −3, −2, …, 3' : describe(kernel);
  const pictures = [
    panel('covariance k(x, x′)', covariances(kernel), AGAINST.map(curveName)),
    panel('samples', samples),
  ];
  const svg = pictureGrid(pictures, { title: shape });
  writeFileSync(join(folder, `${kernel.name}.svg`), svg);
  process.stdout.write(`${join(folder, `${kernel.name}.svg`)}\n`);
}
