import type { GaussianProcess, Matrix } from 'latentfield';
import { matrixTensor } from '../../src/engine/tensors/doubles.ts';
import { valueAndGradients } from '../../src/engine/tensors/gradients.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import type { Conditional, DensityContext, Rows } from '../../src/model/language/density.ts';
import type { ParameterValues } from '../../src/model/model.ts';
import { valueTensors } from '../../src/model/part.ts';

/** What the density of a process says of new rows, given Y (N×D, NaN where missing) at X (N×q). Called inside `withFloat64`. */
export function conditioned(process: GaussianProcess, values: ParameterValues, X: Matrix, Y: Matrix): Conditional {
  const remembered = new Map<object, unknown>();
  const context: DensityContext = {
    constants: undefined,
    random: { uniform: unused, normal: unused, integer: unused },
    iteration: 0,
    values,
    remember: (owner, make) => {
      if (!remembered.has(owner)) remembered.set(owner, make());
      return remembered.get(owner) as ReturnType<typeof make>;
    },
    onJitter: () => {},
    onRank: () => {},
  };
  return process.density.condition!(valueTensors(values), rowsOf(X, Y), context);
}

/** log p(y_i|x_i) of rows Y (n×D) at A (n×q), and the gradients of their sum in A. */
export function predictiveDensity({ logPredictive }: Conditional, A: Matrix, Y: Matrix) {
  const at = matrixTensor(A);
  let density: Float64Array = new Float64Array(0);
  const { gradients } = valueAndGradients(() => {
    const own = logPredictive!({ ...rowsOf(A, Y), given: [at] });
    density = Float64Array.from(own.dataSync());
    return op.sum(own);
  }, [at]);
  return { density, gradient: gradients[0]! };
}

function rowsOf(X: Matrix, { data, rows, columns }: Matrix): Rows {
  const tensor = (of: (entry: number) => number) => op.reshape<Tensor2D>(op.tensor(data.map(of)), [rows, columns]);
  return {
    value: tensor((entry) => (Number.isNaN(entry) ? 0 : entry)),
    given: [matrixTensor(X)],
    ...(data.some(Number.isNaN) && { present: tensor((entry) => (Number.isNaN(entry) ? 0 : 1)) }),
  };
}

function unused(): never {
  throw new Error('Predictions are not random.');
}
