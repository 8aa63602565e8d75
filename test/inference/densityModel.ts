import { Matrix } from '../../src/core/matrix.ts';
import type { Scalar } from '../../src/engine/tensors/tensorflow.ts';
import type { Model, TensorMap } from '../../src/model/model.ts';
import type { Parameter } from '../../src/model/parameter.ts';

/** A model that is nothing but a log density of some parameters, so that a test knows everything about it. */
export function densityModel(
  parameters: Readonly<Record<string, Parameter>>,
  logDensity: (values: TensorMap) => Scalar,
  onEvaluation: () => void = () => {},
  onDispose: () => void = () => {},
): Model {
  return {
    name: 'density',
    assemble: () => ({
      parameters,
      terms: (values) => {
        onEvaluation();
        return { density: logDensity(values) };
      },
      dispose: onDispose,
    }),
    posterior: ({ latents }) => ({
      latents: latents instanceof Matrix ? latents : Matrix.zeros(1, 1),
      mapping: { observedColumns: 1, predict: (X: Matrix) => ({ mean: X, variance: X }) },
    }),
    toJSON: () => ({ model: 'density' }),
  };
}
