/** Colors by model, shapes by whose program it is. */
const WHOSE = {
  latentfield: 'circle',
  'Python: NumPy, SciPy, scikit-learn': 'square',
  'R: Rtsne, uwot': 'triangle-up',
  'JavaScript: umap-js, DruidJS, ml-matrix': 'diamond',
};
const [OURS, PYTHON, R, JAVASCRIPT] = Object.keys(WHOSE);
const PROGRAMS = [
  [OURS, /^(wasm|tsne ×1|umap ×1|gplvm|bayesianGplvm)$/],
  [PYTHON, /^(peers\.py ×1|numpy ×1|sklearn TSNE ×1)$/],
  [R, /^(Rtsne|uwot) ×1$/],
  [JAVASCRIPT, /^(umap-js|DruidJS|DruidJS UMAP|ml-matrix)$/],
];

/** Panels by title: the model of a row, or undefined. */
const PANELS = {
  'One evaluation': ({ section, task }) =>
    ({ gplvm: task === 'evaluation' ? 'gplvm, low rank' : 'gplvm', tpslvm: 'tpslvm', variational: 'bayesianGplvm' })[
      section
    ],
  'A fit': ({ section, task }) =>
    ({ spectral: task, mpme: task === 'C = ∞' ? 'mpme' : undefined, meu: 'meu' })[section],
  'A map, and a default fit': ({ section, task, contender }) => {
    if (section === 'thousands') return contender === 'umap-js' ? undefined : contender;
    if (section !== 'maps' || task.includes('counts')) return undefined;
    return /tsne/i.test(contender) ? 'tsne' : 'umap';
  },
  'Linear algebra': ({ section, task, n }) => (section === 'raw' && n !== undefined ? task : undefined),
};

/**
 * Time by the number of rows on logarithmic axes, on one thread, as SVG text: a line for each model and program. It takes the built package.
 *
 * @param results - rows of a report
 */
export async function timesPicture(results) {
  const { PALETTES, pictureGrid, sceneSvg } = await import('../dist/app/plot/index.js');
  const panels = Object.entries(PANELS).map(([title, modelOf]) => {
    const series = seriesOf(results, modelOf);
    const models = [...new Set(series.map(({ model }) => model))];
    const colorOf = (model) => PALETTES.light.labels[models.indexOf(model)];
    return { title, series, models, colorOf };
  });
  const drawn = panels.filter(({ series }) => series.length > 0);
  return pictureGrid(
    drawn.map((panel) => sceneSvg(sceneOf(panel))),
    { columns: 2 },
  );
}

/** Lines of at least two sizes, from left to right. */
function seriesOf(results, modelOf) {
  const found = new Map();
  for (const row of results) {
    const [model, whose] = [modelOf(row), PROGRAMS.find(([, names]) => names.test(row.contender))?.[0]];
    if (model === undefined || whose === undefined || row.ms === undefined) continue;
    const key = `${model}, ${row.contender}`;
    if (!found.has(key)) found.set(key, { model, whose, points: [] });
    found.get(key).points.push([Math.log10(row.n), Math.log10(row.ms.median)]);
  }
  return [...found.values()].map((one) => ({ ...one, points: one.points.sort(([a, s], [b, t]) => a - b || s - t) }));
}

function sceneOf({ title, series, models, colorOf }) {
  const axis = (c, text) => {
    const values = series.flatMap(({ points }) => points.map((point) => point[c]));
    const domain = [Math.min(...values) - 0.15, Math.max(...values) + 0.15];
    const powers = Array.from({ length: 20 }, (_, k) => k - 5).filter((k) => k >= domain[0] && k <= domain[1]);
    return { domain, ticks: powers.map((value) => ({ value, text: text(value) })), grid: true };
  };
  const looks = series.map(({ model, whose }) => ({ color: colorOf(model), shape: WHOSE[whose] }));
  const points = series.flatMap(({ points: own }, k) => own.map(([x, y]) => ({ x, y, k })));
  const whose = Object.keys(WHOSE).filter((name) => series.some((one) => one.whose === name));
  return {
    ...{ width: 330, height: 250, title, description: `${title}: time by the number of rows` },
    x: { ...axis(0, (power) => (10 ** power).toLocaleString('en-US')), title: 'rows' },
    y: { ...axis(1, duration), title: 'time' },
    marks: [
      {
        ...{ mark: 'lines', name: 'series' },
        lines: series.map(({ model, whose: by, points: own }) => ({
          ...{ x: own.map(([x]) => x), y: own.map(([, y]) => y), color: colorOf(model) },
          ...(by === OURS ? { width: 2 } : { width: 1, dashes: [4, 3] }),
        })),
      },
      {
        ...{ mark: 'points', name: 'sizes', looks, radius: 3.5 },
        ...{ x: points.map(({ x }) => x), y: points.map(({ y }) => y), lookOf: points.map(({ k }) => k) },
      },
    ],
    legends: [
      { title: '', entries: models.map((name) => ({ name, look: { color: colorOf(name), line: true } })) },
      { title: '', entries: whose.map((name) => ({ name, look: { color: '#444444', shape: WHOSE[name] } })) },
    ],
  };
}

/** Powers of ten of milliseconds. */
const duration = (power) => (power < 2 ? `${Number((10 ** power).toPrecision(1))} ms` : `${10 ** (power - 3)} s`);
