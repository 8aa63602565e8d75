import { observations } from '../observations.mjs';
import { compare } from '../rounds.mjs';

const POINTS = 100;

/** Milliseconds a new point of a GPLVM takes to be placed, of 100 together: rows of the data with noise of a tenth of their deviation. */
export async function projections(context) {
  const { fit, gplvm, Matrix, seededRandom } = context.library;
  const [n] = context.sizes([1000], [100]);
  const Y = await observations(context, n);
  const points = context.short ? 10 : POINTS;
  const random = seededRandom(1);
  const deviation = Math.sqrt(Y.data.reduce((sum, entry) => sum + entry ** 2, 0) / Y.data.length);
  const rows = Array.from({ length: points }, (_, k) =>
    Y.row(Math.floor((k * n) / points)).map((entry) => entry + 0.1 * deviation * random.normal()),
  );
  const model = gplvm(Y, { latentDim: 2 });
  const contenders = [];
  for (const engine of ['wasm', ...(context.native === undefined ? [] : ['native'])]) {
    const fitted = await fit(model, { maxIterations: context.short ? 10 : 50, engine });
    contenders.push({
      name: engine,
      async measure() {
        const start = performance.now();
        const { logDensity } = await fitted.project(Matrix.from(rows));
        const value = logDensity.reduce((sum, entry) => sum + entry, 0) / points;
        return { ms: (performance.now() - start) / points, value };
      },
    });
  }
  return compare(context, { section: 'project', task: 'gplvm, a new point', n }, contenders);
}
