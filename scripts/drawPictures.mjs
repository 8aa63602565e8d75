// Draws the moving picture of the README, the graphs of docs/first-model.md and the pictures of docs/pages-and-notebooks.md, from generated data, with the built package:
// `npm run pictures`, or `node scripts/drawPictures.mjs NAME…` for some of them. `--png` also writes PNG files, to look at.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { modelOptions } from '../dist/app/cli/modelOptions.js';
import { pipeFlow, swissRoll } from '../dist/app/data/index.js';
import { readTable } from '../dist/app/io/index.js';
import { decodedGrid, latentPlot, latentScenes, precisionGrid, sceneSvg, svgToPng } from '../dist/app/plot/index.js';
import * as library from '../dist/index.js';
import * as furtherModels from '../dist/models/index.js';

const { bayesianGplvm, fit, gplvm, isomap, pca } = library;
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

let flowFitted;
const flowFit = () => (flowFitted ??= fit(gplvm(flow.observations, { latentDim: 2 }), { maxIterations: 300 }));
const flowMap = ({ latents, predict }) => ({
  ...{ latents, labels: regimes, legendTitle: 'flow', equalScales: true },
  precision: precisionGrid((X) => predict(X, { noise: true }), latents, { aspect: ASPECT }),
});

/** Positions of a closed curve through rows that are far apart: eight stops, sorted by angle, six positions from each to the next. */
function tourOf(latents) {
  const points = latents.toArrays();
  const distance = ([a, b], [c, d]) => Math.hypot(a - c, b - d);
  const stops = [points[0]];
  while (stops.length < 8) {
    const near = (point) => Math.min(...stops.map((stop) => distance(point, stop)));
    stops.push(points.reduce((best, point) => (near(point) > near(best) ? point : best)));
  }
  const angle = ([x, y]) => Math.atan2(y, x);
  stops.sort((a, b) => angle(a) - angle(b));
  const at = (k, axis) => stops[(k + stops.length) % stops.length][axis];
  return stops.flatMap((_, k) =>
    Array.from({ length: 6 }, (_, i) =>
      [0, 1].map((axis) => {
        const [a, b, c, d, t] = [at(k - 1, axis), at(k, axis), at(k + 1, axis), at(k + 2, axis), i / 6];
        // Catmull–Rom.
        return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
      }),
    ),
  );
}

/** The map with a cross that travels over it, and a panel with the row predicted at the cross: means, and intervals of two standard deviations. */
function toured(scene, { latents, predict }) {
  const svg = sceneSvg(scene);
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg).map(Number);
  const [, left, top] = /<g transform="translate\((\d+),(\d+)\)">/.exec(svg).map(Number);
  const places = tourOf(latents);
  /** An element whose attributes run through lists of values. */
  const animated = (element, attributes) => {
    const lists = Object.entries(attributes).map(([name, values]) => [
      name,
      [...values, values[0]].map((value) => value.toFixed(1)),
    ]);
    const first = lists.map(([name, [value]]) => ` ${name}="${value}"`).join('');
    const moves = lists.map(
      ([name, list]) =>
        `<animate attributeName="${name}" dur="24s" repeatCount="indefinite" values="${list.join(';')}"/>`,
    );
    return `<${element}${first}>${moves.join('')}</${element.split(' ')[0]}>`;
  };
  const pixels = (axis, size, d) =>
    places.map((place) => (size * (place[d] - axis.domain[0])) / (axis.domain[1] - axis.domain[0]));
  const x = pixels(scene.x, scene.width, 0);
  const y = pixels(scene.y, scene.height, 1).map((up) => scene.height - up);
  const line = (ends) => animated('line stroke="#d62728" stroke-width="1.5"', ends);
  const moved = (values, by) => values.map((value) => value + by);
  const cross = [
    line({ x1: moved(x, -9), x2: moved(x, 9), y1: y, y2: y }),
    line({ x1: x, x2: x, y1: moved(y, -9), y2: moved(y, 9) }),
  ].join('');
  const { mean, variance } = predict(places, { noise: true });
  const [from, wide, row] = [width + 120, 210, (scene.height - 24) / mean.columns];
  const bars = flow.columnNames.map((name, d) => {
    const column = flow.observations.column(d);
    const [low, high] = [Math.min(...column), Math.max(...column)];
    const on = (value) => from + wide * Math.min(1, Math.max(0, (value - low) / (high - low)));
    const of = (sign) => places.map((_, i) => on(mean.at(i, d) + sign * Math.sqrt(variance.at(i, d))));
    const at = top + 24 + row * (d + 0.5);
    return [
      `<text x="${from - 10}" y="${at + 4}" text-anchor="end" font-size="11" fill="#333333">${name}</text>`,
      `<line x1="${from}" x2="${from + wide}" y1="${at}" y2="${at}" stroke="#dddddd"/>`,
      animated(`line y1="${at}" y2="${at}" stroke="#d62728" stroke-opacity="0.45" stroke-width="7"`, {
        x1: of(-2),
        x2: of(2),
      }),
      animated(`circle cy="${at}" r="3" fill="#d62728"`, { cx: of(0) }),
    ].join('');
  });
  const title = `<text x="${from - 110}" y="${top + 12}" font-size="12" font-weight="bold" fill="#333333">The row at the cross, ± 2 sd</text>`;
  const total = from + wide + 20;
  return svg
    .replace(
      /width="\d+" height="\d+" viewBox="[^"]*"/,
      `width="${total}" height="${height}" viewBox="0 0 ${total} ${height}"`,
    )
    .replace(/<rect width="\d+"/, `<rect width="${total}"`)
    .replace(/<\/svg>$/, `<g transform="translate(${left},${top})">${cross}</g>${title}${bars.join('')}</svg>`);
}

/** Graphs of variables of docs/first-model.md: the name, kind and column of each variable, and the edges from parents, with the densities on them. */
const GRAPHS = [
  {
    title: 'plain',
    nodes: { x: ['latent', 0, 0], y: ['observed', 1, 0] },
    edges: [['x', 'y', 'gaussianProcess']],
    densities: { x: 'standardNormal' },
  },
  {
    title: 'turning',
    nodes: { phase: ['latent', 0, 0], y: ['observed', 1, 0] },
    edges: [['phase', 'y', 'gaussianProcess']],
    densities: { phase: 'steps' },
  },
  {
    title: 'corrected',
    nodes: { z: ['latent', 0, 0], batch: ['known', 0, 1], y: ['observed', 1, 0.5] },
    edges: [
      ['z', 'y', ''],
      ['batch', 'y', 'gaussianProcess'],
    ],
    densities: { z: 'standardNormal' },
  },
];
const FILLS = { latent: '#ffffff', observed: '#c9d7e8', known: '#e6e6e6' };

/** Circles for latent and observed variables, squares for known ones, arrows from parents. */
function drawnGraph({ title, nodes, edges, densities }, left) {
  const [radius, tall] = [24, Object.values(nodes).some(([, , row]) => row > 0)];
  const at = (name) => {
    const [, column, row] = nodes[name];
    return [left + 60 + 190 * column, tall ? 86 + 96 * row : 134];
  };
  const text = (x, y, content, more = '') =>
    `<text x="${x}" y="${y}" text-anchor="middle" font-size="12" fill="#333333"${more}>${content}</text>`;
  const lines = edges.map(([from, to, density]) => {
    const [[x, y], [toX, toY]] = [at(from), at(to)];
    const length = Math.hypot(toX - x, toY - y);
    const [dx, dy] = [(toX - x) / length, (toY - y) / length];
    const end = radius + 8;
    return [
      `<line x1="${x + radius * dx}" y1="${y + radius * dy}" x2="${toX - end * dx}" y2="${toY - end * dy}" stroke="#333333" marker-end="url(#arrow)"/>`,
      text((x + toX) / 2, tall ? 206 : 122, density, ' font-style="italic"'),
    ].join('');
  });
  const shapes = Object.entries(nodes).map(([name, [kind]]) => {
    const [x, y] = at(name);
    const style = `fill="${FILLS[kind]}" stroke="#333333"`;
    const shape =
      kind === 'known'
        ? `<rect x="${x - radius}" y="${y - radius}" width="${2 * radius}" height="${2 * radius}" ${style}/>`
        : `<circle cx="${x}" cy="${y}" r="${radius}" ${style}/>`;
    return [
      shape,
      text(x, y + 4, name),
      densities[name] ? text(x, y - radius - 8, densities[name], ' font-style="italic"') : '',
      text(x, y + radius + 16, kind),
    ].join('');
  });
  return `${text(left + 155, 24, title, ' font-weight="bold"')}${lines.join('')}${shapes.join('')}`;
}

const PICTURES = {
  async 'pictures/variables'() {
    const [width, height] = [GRAPHS.length * 310, 236];
    const arrow =
      '<defs><marker id="arrow" viewBox="0 0 8 8" refX="0" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0,0L8,4L0,8z" fill="#333333"/></marker></defs>';
    const graphs = GRAPHS.map((graph, i) => drawnGraph(graph, 310 * i)).join('');
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" role="img" aria-label="Graphs of the variables of three models"><rect width="${width}" height="${height}" fill="#ffffff"/>${arrow}${graphs}</svg>`;
  },
  async 'pipe-flow'() {
    return latentPlot(flowMap(await flowFit()));
  },
  async 'pictures/decoding'() {
    const flowed = await flowFit();
    const [scene] = await latentScenes(flowMap(flowed));
    return toured(scene, flowed);
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

/** Models whose cards have other pictures. */
const PICTURED = ['gplvm', 'bayesianGplvm', 'mpme', 'isomap'];
// Fisher's irises by each other model with its defaults.
let irisTable;
for (const [name, { takesLabels, needsDim }] of Object.entries(modelOptions)) {
  if (PICTURED.includes(name)) continue;
  PICTURES[`pictures/models/${name}`] = async () => {
    irisTable ??= await readTable(fileURLToPath(new URL('../examples/iris.csv', import.meta.url)), {
      labels: 'species',
    });
    const rows = irisTable.observations.toArrays();
    // The stress of sammon divides by distances, and one flower repeats another.
    const isKept = (row, i) => name !== 'sammon' || rows.findIndex((other) => String(other) === String(row)) === i;
    const labels = irisTable.labels.filter((_, i) => isKept(rows[i], i));
    const observations = rows.filter(isKept);
    const { [name]: make } = { ...library, ...furtherModels };
    const options = needsDim ? { latentDim: 2 } : {};
    const model = takesLabels ? make(observations, labels, options) : make(observations, options);
    const { latents, status, message } = await fit(model, { seed: 1 });
    if (!['converged', 'computed'].includes(status)) process.stderr.write(`${name}: ${message}\n`);
    return latentPlot({
      latents,
      labels,
      legendTitle: 'species',
      equalScales: true,
      axes: false,
      width: 420,
      height: 260,
    });
  };
}

const wanted = process.argv.slice(2).filter((name) => !name.startsWith('--'));
mkdirSync(join(docs, 'pictures/models'), { recursive: true });
for (const [name, draw] of Object.entries(PICTURES)) {
  if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) continue;
  const svg = await draw();
  const file = join(docs, `${name}.svg`);
  writeFileSync(file, `${svg}\n`);
  if (process.argv.includes('--png')) writeFileSync(file.replace(/svg$/, 'png'), await svgToPng(svg));
  process.stdout.write(`${file}\n`);
}
