import { matrixTensor, tensorMatrix } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import type { Matrix } from '../../src/index.ts';
import type { PointRows } from '../../src/model/language/variable.ts';
import type { ParameterValues } from '../../src/model/model.ts';
import { valueTensors } from '../../src/model/part.ts';

/** Latents n×q of observations Y (n×D) at values of a model with the observations `training` (N×D). */
export function latentsOf(points: PointRows, values: ParameterValues, Y: Matrix, training: Matrix): Matrix {
  const own = Object.fromEntries(Object.entries(values).filter(([path]) => /^latents(\.|$)/.test(path)));
  return withFloat64(() => tensorMatrix(points.apply(valueTensors(own), matrixTensor(points.features(Y, training)))));
}
