import { count, library, plot, readMatrix } from './data.mjs';

const { fit, geometry, gplvm, Matrix } = library;
const { latentPlot, pictureGrid } = plot;

const FRAMES = 7;
const average = (list) => list.reduce((sum, entry) => sum + entry / list.length, 0);
const distance = (a, b) => Math.hypot(...Array.from(a, (entry, k) => entry - b[k]));

/** Edges between markers: the spanning tree of least mean distance, by Prim's algorithm. */
function skeletonOf(Y) {
  const markers = Y.columns / 3;
  const place = (i, m) => [0, 1, 2].map((axis) => Y.at(i, axis * markers + m));
  const apart = (m, o) => average(count(Y.rows).map((i) => distance(place(i, m), place(i, o))));
  const joined = [0];
  const edges = [];
  while (joined.length < markers) {
    const ways = joined.flatMap((from) =>
      count(markers)
        .filter((to) => !joined.includes(to))
        .map((to) => ({ from, to, length: apart(from, to) })),
    );
    const { from, to } = ways.reduce((best, way) => (way.length < best.length ? way : best));
    joined.push(to);
    edges.push([Math.min(from, to), Math.max(from, to)]);
  }
  edges.sort(([a, b], [c, d]) => a - c || b - d);
  return {
    size: markers,
    sources: Int32Array.from(edges, ([from]) => from),
    targets: Int32Array.from(edges, ([, to]) => to),
    weights: new Float64Array(edges.length).fill(1),
  };
}

async function run(study) {
  const all = await readMatrix('run1_X.npy');
  const Y = study.quick ? Matrix.from(all.toArrays().slice(0, 30)) : all;
  const maxIterations = study.quick ? 60 : 500;
  const { ways } = await study.cell('run', async () => {
    const result = await fit(gplvm(Y, { latentDim: 2 }), { maxIterations });
    const found = geometry(result);
    // The frames whose straight line is longest relative to their geodesic, by the metric.
    const frames = count(Math.floor(Y.rows / 6)).map((k) => 6 * k);
    const detour = ([i, o]) =>
      found.length(Matrix.from([result.latents.row(i), result.latents.row(o)])) / found.distance(i, o);
    const pairs = frames.flatMap((i) => frames.filter((o) => o > i).map((o) => [i, o]));
    const detours = pairs.map(detour);
    const [from, to] = pairs[detours.indexOf(Math.max(...detours))];
    const described = ({ latents, mean, variance }) => ({
      frames: [from, to],
      mean: mean.toArrays(),
      length: found.length(latents),
      deviation: average(Array.from(variance.data, Math.sqrt)),
      nearest: average(mean.toArrays().map((row) => Math.min(...Y.toArrays().map((own) => distance(own, row))))),
    });
    return {
      ways: {
        'the straight line': described(result.interpolate(from, to, FRAMES)),
        'the geodesic': described(await result.interpolate(from, to, FRAMES, { along: 'geodesic' })),
      },
    };
  });
  const [from, to] = ways['the geodesic'].frames;
  study.note(
    `Motion capture of a run, ${Y.rows} frames of ${Y.columns / 3} markers, by a GPLVM of two latent dimensions. Frames ${from + 1} and ${to + 1}, every sixth being tried, are those whose straight line is longest beside their geodesic, by the expected metric. What is predicted at ${FRAMES} equal steps between them, along either way: the length of the way by that metric, the mean standard deviation of the functions, and the mean distance to the nearest frame that was observed.`,
  );
  study.table(
    'Between two frames of a run',
    ['along', 'length', 'standard deviation', 'distance to the nearest frame'],
    Object.entries(ways).map(([way, own]) => [
      way,
      own.length.toFixed(3),
      own.deviation.toFixed(4),
      own.nearest.toFixed(3),
    ]),
  );
  if (study.quick) return;
  const graph = skeletonOf(Y);
  const markers = graph.size;
  const panels = [];
  for (const [way, { mean }] of Object.entries(ways)) {
    for (const [k, row] of mean.entries()) {
      panels.push(
        await latentPlot({
          latents: count(markers).map((m) => [row[m], row[2 * markers + m]]),
          graph,
          title: k === 0 ? `along ${way}` : `${k + 1}`,
          width: 150,
          height: 220,
          axes: false,
          equalScales: true,
        }),
      );
    }
  }
  await study.figure(
    'walk.svg',
    pictureGrid(panels, { columns: FRAMES, title: `From frame ${from + 1} to frame ${to + 1} of a run` }),
    'A run interpolated along the straight line between two latents, and along the geodesic',
  );
}

export const walk = {
  name: 'walk',
  title: 'A run between two frames, along a straight line and a geodesic',
  source: 'A comparison of our own',
  files: ['run1_X.npy'],
  run,
};
