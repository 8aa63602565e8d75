// Draws every kernel of the catalog for docs/kernels.md: the covariance with three points on a line, and samples of a process
// with that covariance. `node scripts/drawKernels.mjs [FOLDER]` writes one SVG each; the folder is docs/kernels unless given.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  withFloat64,
} = await import('../dist/index.js');
const op = await import('../dist/engine/tensors/ops.js');
const { colorOf } = await import('../dist/app/plot/looks.js');
const { renderSvg } = await import('../dist/app/plot/render.js');

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
  return AGAINST.flatMap((against) => {
    const values = covariance(
      kernel,
      line.map((x) => [x]),
      [[against]],
    ).column(0);
    const own = covariance(kernel, [[against]]).at(0, 0);
    return line.map((x, i) => ({ x, y: x === against ? own : values[i], curve: curveName(against) }));
  });
}

function panel(name, title, points, order, legend) {
  return {
    type: 'group',
    encode: { update: { width: { value: 300 }, height: { value: 190 } } },
    title: { text: title, frame: 'group', fontSize: 12, fontWeight: 'normal', offset: 8 },
    data: [{ name, values: points }],
    scales: [
      { name: 'x', type: 'linear', domain: [-3, 3], range: [0, 300] },
      { name: 'y', type: 'linear', nice: true, zero: true, range: [190, 0], domain: { data: name, field: 'y' } },
      { name: 'color', type: 'ordinal', domain: order, range: order.map((_, i) => colorOf(i)) },
    ],
    axes: [
      { scale: 'x', orient: 'bottom', title: 'x', tickCount: 7 },
      { scale: 'y', orient: 'left', tickCount: 5, grid: true, gridColor: '#e5e5e5' },
    ],
    ...(legend && { legends: [{ stroke: 'color', orient: 'right', symbolType: 'stroke' }] }),
    marks: [
      {
        type: 'group',
        from: { facet: { name: 'curves', data: name, groupby: 'curve' } },
        marks: [
          {
            type: 'line',
            from: { data: 'curves' },
            encode: {
              enter: {
                x: { scale: 'x', field: 'x' },
                y: { scale: 'y', field: 'y' },
                stroke: { scale: 'color', field: 'curve' },
                strokeWidth: { value: 1.6 },
              },
            },
          },
        ],
      },
    ],
  };
}

mkdirSync(folder, { recursive: true });
for (const kernel of kernels) {
  const drawn = samplesOf(kernel);
  const samples = Array.from({ length: SAMPLES }, (_, k) =>
    line.map((x, i) => ({ x, y: drawn.at(i, k), curve: `${k}` })),
  ).flat();
  const shape = kernel.name === 'thinPlateSpline' ? 'thinPlateSpline, centers −3, −2, …, 3' : describe(kernel);
  const svg = await renderSvg({
    description: `${shape}: covariance and samples`,
    padding: 8,
    title: { text: shape, anchor: 'start' },
    layout: { columns: 2, padding: { column: 150 }, bounds: 'flush' },
    marks: [
      panel('covariances', 'covariance k(x, x′)', covariances(kernel), AGAINST.map(curveName), true),
      panel(
        'samples',
        'samples',
        samples,
        Array.from({ length: SAMPLES }, (_, k) => `${k}`),
        false,
      ),
    ],
  });
  writeFileSync(join(folder, `${kernel.name}.svg`), svg);
  process.stdout.write(`${join(folder, `${kernel.name}.svg`)}\n`);
}
