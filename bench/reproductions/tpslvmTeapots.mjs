import { library, readMatrix, rowsOf } from './data.mjs';

const { fit, gplvm, isomap, Matrix, thinPlateSpline, tpslvm } = library;

async function readViews(name) {
  const { data, rows, columns } = await readMatrix(name);
  return new Matrix(
    data.map((entry) => entry / 255),
    rows,
    columns,
  );
}

/** How many rows of X have the rows before and after them, around the ring, as their two nearest. */
function inRotationOrder(X) {
  const N = X.rows;
  const indices = Array.from({ length: N }, (_, i) => i);
  return indices.filter((i) => {
    const distance = (j) => (X.at(i, 0) - X.at(j, 0)) ** 2 + (X.at(i, 1) - X.at(j, 1)) ** 2;
    const others = indices.filter((j) => j !== i).sort((a, b) => distance(a) - distance(b));
    return others.slice(0, 2).every((j) => (j - i + N) % N === 1 || (i - j + N) % N === 1);
  }).length;
}

async function run(study) {
  const maxIterations = study.quick ? 20 : 300;
  const restarts = study.quick ? 1 : 8;
  const rows = [];
  for (const [name, file] of [
    ['teapots', 'teapots_X.npy'],
    ['duck', 'coil20_duck_X.npy'],
  ]) {
    const all = await readViews(file);
    const Y = study.quick
      ? rowsOf(
          all,
          Array.from({ length: all.rows / 4 }, (_, i) => 4 * i),
        )
      : all;
    const geodesic = await fit(isomap(Y, { latentDim: 2, neighbors: 4 }));
    const add = async (label, start, model, extra = {}) => {
      const cell = await study.cell(`${name}, ${label} from ${start}`, async () => {
        const before = await fit(model, { maxIterations: 0 });
        const after = await fit(model, { maxIterations, ...extra });
        return [inRotationOrder(before.latents), inRotationOrder(after.latents), Y.rows, after.objective.toFixed(0)];
      });
      rows.push([name, label, start, ...cell]);
    };
    const both = { latentDim: 2, backConstraint: 'kernel', dynamics: true };
    const spline = { ...both, kernel: thinPlateSpline() };
    await add('TPSLVM', 'PCA', tpslvm(Y, { latentDim: 2, kernel: thinPlateSpline() }));
    await add('BC-TPSLVM-DM', 'Isomap', tpslvm(Y, { ...spline, init: geodesic }));
    if (study.quick) continue;
    await add('TPSLVM-DM', 'PCA', tpslvm(Y, { latentDim: 2, dynamics: true, kernel: thinPlateSpline() }));
    await add('BC-TPSLVM-DM', 'PCA', tpslvm(Y, spline));
    await add('BC-TPSLVM-DM', `PCA, ${restarts} restarts`, tpslvm(Y, spline), { restarts });
    await add('BC-GPLVM-DM', 'PCA', gplvm(Y, both));
    await add('BC-GPLVM-DM', 'Isomap', gplvm(Y, { ...both, init: geodesic }));
  }
  study.note(
    'How many views have their two rotation neighbors as their two nearest latents; the spline has the form of the paper, all else its default.',
  );
  study.table(
    'Views between their neighbors',
    ['data', 'model', 'start', 'at the start', 'fitted', 'of', 'log density'],
    rows,
  );
}

export const tpslvmTeapots = {
  name: 'tpslvm-teapots',
  title: 'Views around an object',
  source: 'Jiang et al. 2014, Figures 3 and 5',
  files: ['teapots_X.npy', 'coil20_duck_X.npy'],
  run,
};
