/**
 * Views around an object in two latent dimensions: the teapots (100 colour images of 76×101) and the duck of COIL-20 (72 grey images of
 * 128×128), pixels in [0, 1]. Printed is how many views have their two rotation neighbours as their two nearest latents, at the start and
 * after the fit; all defaults, so that the width of the kernel regression is that of the data.
 *
 *   node bench/reproductions/rings.mjs [--iterations 300] [--restarts 8]
 */
import { parseArgs } from 'node:util';
import { library, printTable, readMatrix } from './data.mjs';

const { fit, gplvm, isomap, Matrix, tpslvm } = library;
const { values: options } = parseArgs({
  options: { iterations: { type: 'string', default: '300' }, restarts: { type: 'string', default: '8' } },
});

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

const maxIterations = Number(options.iterations);
const restarts = Number(options.restarts);
const rows = [['data', 'model', 'start', 'at the start', 'fitted', 'of', 'log density']];
for (const [name, file] of [
  ['teapots', 'teapots_X.npy'],
  ['duck', 'coil20_duck_X.npy'],
]) {
  const Y = await readViews(file);
  const geodesic = await fit(isomap(Y, { latentDim: 2, neighbours: 4 }));
  const add = async (label, start, model, extra = {}) => {
    const before = await fit(model, { maxIterations: 0 });
    const after = await fit(model, { maxIterations, ...extra });
    rows.push([
      name,
      label,
      start,
      inRotationOrder(before.latents),
      inRotationOrder(after.latents),
      Y.rows,
      after.objective.toFixed(0),
    ]);
    console.error(rows.at(-1).join('  '));
  };
  const both = { latentDim: 2, backConstraint: 'kernel', dynamics: true };
  await add('TPSLVM', 'PCA', tpslvm(Y, { latentDim: 2 }));
  await add('TPSLVM-DM', 'PCA', tpslvm(Y, { latentDim: 2, dynamics: true }));
  await add('BC-TPSLVM-DM', 'PCA', tpslvm(Y, both));
  await add('BC-TPSLVM-DM', `PCA, ${restarts} restarts`, tpslvm(Y, both), { restarts });
  await add('BC-TPSLVM-DM', 'Isomap', tpslvm(Y, { ...both, init: geodesic }));
  await add('BC-GPLVM-DM', 'PCA', gplvm(Y, both));
  await add('BC-GPLVM-DM', 'Isomap', gplvm(Y, { ...both, init: geodesic }));
}
printTable(rows);
