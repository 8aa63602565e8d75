import { NumericalError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { matrixTensor, tensorMatrix } from '../../engine/tensors/doubles.ts';
import * as op from '../../engine/tensors/ops.ts';
import { objectiveOf } from '../objective.ts';
import { layOut, naturalEntries, toUnconstrained } from '../variables.ts';
import { assembledGraph } from './compiled.ts';
import type { FittedGraph } from './fittedGraph.ts';

/** Maximum number of last rows that are uncertain together; those before are fixed. */
const LAST = 10;
/** Step of central differences: the cube root of the rounding unit. */
const STEP = 6e-6;

/**
 * Laplace's approximation of the last rows of the shown variable: the lower Cholesky factor of H, the negative Hessian of the log density in the m·q
 * entries of these m rows, with all other rows and the parameters fixed at their fitted values. It is exact for a linear Gaussian state-space model, but
 * for the uncertainty of the rows before.
 *
 * @returns undefined if the rows are not free points, or not at a maximum
 * @see Kalman 1960, A new approach to linear filtering and prediction problems, for the linear case
 */
export function lastRows({ model, parameters }: FittedGraph): Matrix | undefined {
  const assembly = assembledGraph(model);
  try {
    const layout = layOut(assembly.parameters);
    const points = layout.variables.find(({ path }) => path === model.graph.shown.name);
    if (!(points && points.start >= 0 && points.parameter.support === 'real')) return undefined;
    const [N, q] = points.shape as [number, number];
    const m = Math.min(LAST, N - 1) * q;
    const first = points.start + N * q - m;
    const objective = objectiveOf(assembly, layout);
    const x = toUnconstrained(layout, naturalEntries(layout, parameters));
    const hessian = Matrix.zeros(m, m);
    for (let k = 0; k < m; k++) {
      for (const step of [STEP, -STEP]) {
        const { gradient } = objective(x.map((entry, i) => (i === first + k ? entry + step : entry)));
        for (let l = 0; l < m; l++) hessian.data[k * m + l]! += gradient[first + l]! / (2 * step);
      }
    }
    const jitters: number[] = [];
    const factor = op.cholesky(matrixTensor(hessian), { onJitter: (jitter) => jitters.push(jitter) });
    return jitters.length > 0 ? undefined : tensorMatrix(factor);
  } catch (error) {
    if (error instanceof NumericalError) return undefined;
    throw error;
  } finally {
    assembly.dispose();
  }
}
