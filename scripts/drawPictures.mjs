// Draws the first picture of the README and those of docs/pages-and-notebooks.md, from generated data, with the built package:
// `npm run pictures`, or `node scripts/drawPictures.mjs NAME…` for some of them. `--png` writes PNG files beside them, to look at.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pipeFlow, swissRoll } from '../dist/app/data/index.js';
import { decodedGrid, latentPlot, precisionGrid, svgToPng } from '../dist/app/plot/index.js';
import { bayesianGplvm, fit, gplvm, isomap, pca } from '../dist/index.js';

const docs = fileURLToPath(new URL('../docs', import.meta.url));
const flow = pipeFlow({ points: 150, seed: 1 });
const regimes = flow.labels.map((label) => flow.labelNames[label]);
const ASPECT = 460 / 400;

/** Images of a bar of light that turns about a point, and is longer or shorter. */
function turningBar({ images, side }) {
  const rows = [];
  const angles = [];
  for (let i = 0; i < images; i++) {
    const angle = Math.PI * ((i * 0.618) % 1) - Math.PI / 2;
    const length = 0.45 + 0.45 * ((i * 0.414) % 1);
    angles.push((180 * angle) / Math.PI);
    rows.push(
      Array.from({ length: side * side }, (_, p) => {
        const x = (2 * (p % side) + 1) / side - 1;
        const y = 1 - (2 * Math.floor(p / side) + 1) / side;
        const along = x * Math.cos(angle) + y * Math.sin(angle);
        const across = -x * Math.sin(angle) + y * Math.cos(angle);
        return Math.exp(-((across / 0.2) ** 2)) / (1 + Math.exp(12 * (Math.abs(along) - length)));
      }),
    );
  }
  return { rows, angles };
}

const SIDE = 12;
const bar = turningBar({ images: 160, side: SIDE });
let decoder;
const barFit = () => (decoder ??= fit(gplvm(bar.rows, { latentDim: 2 }), { maxIterations: 200 }));

const PICTURES = {
  async 'pipe-flow'() {
    const { latents, predict } = await fit(gplvm(flow.observations, { latentDim: 2 }), { maxIterations: 300 });
    const precision = precisionGrid((X) => predict(X, { noise: true }), latents, { aspect: ASPECT });
    return latentPlot({ latents, labels: regimes, legendTitle: 'flow', precision, equalScales: true });
  },
  async 'pictures/numbers'() {
    const { observations } = swissRoll({ points: 800, seed: 1 });
    const { latents } = await fit(isomap(observations, { neighbors: 10 }));
    // How far out on the roll a point is.
    const color = observations.toArrays().map(([x, , z]) => Math.hypot(x, z));
    return latentPlot({ latents, color, legendTitle: 'radius', equalScales: true, width: 640, height: 260 });
  },
  async 'pictures/panels'() {
    const { latents } = await fit(pca(flow.observations, { latentDim: 3 }));
    return latentPlot({ latents, labels: regimes, legendTitle: 'flow', equalScales: true });
  },
  async 'pictures/ellipses'() {
    const { observations, labels, labelNames } = pipeFlow({ points: 60, seed: 2 });
    const model = bayesianGplvm(observations, { latentDim: 2, inducing: 12 });
    const { latents, latentVariances: variances } = await fit(model, { maxIterations: 300 });
    return latentPlot({ latents, variances, labels: labels.map((label) => labelNames[label]), legendTitle: 'flow' });
  },
  async 'pictures/images'() {
    const { latents } = await barFit();
    return latentPlot({
      latents,
      observations: bar.rows,
      image: [SIDE, SIDE],
      color: bar.angles,
      legendTitle: 'angle',
      equalScales: true,
    });
  },
  async 'pictures/grid'() {
    const { latents, predict } = await barFit();
    return decodedGrid((X) => predict(X), latents, { image: [SIDE, SIDE] });
  },
};

const wanted = process.argv.slice(2).filter((name) => !name.startsWith('--'));
mkdirSync(join(docs, 'pictures'), { recursive: true });
for (const [name, draw] of Object.entries(PICTURES)) {
  if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) continue;
  const svg = await draw();
  const file = join(docs, `${name}.svg`);
  writeFileSync(file, `${svg}\n`);
  if (process.argv.includes('--png')) writeFileSync(file.replace(/svg$/, 'png'), await svgToPng(svg));
  process.stdout.write(`${file}\n`);
}
