import { InvalidInputError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import type { ParameterValues } from '../model/model.ts';
import type { Parameter } from '../model/parameter.ts';
import { valueTensors } from '../model/valueTensors.ts';
import { withFloat64 } from '../tensors/float64/scope.ts';
import { matrixTensor } from '../tensors/matrixTensor.ts';
import type { Tensor2D } from '../tensors/tensorflow.ts';
import type { LatentMap } from './defineMap.ts';

/**
 * What a map gave, when it is one row for each of `rows` observations and `width` wide.
 *
 * @param of - what its columns are, in an error
 * @throws InvalidInputError that names the map and both shapes
 */
export function checkedShape(name: string, X: Tensor2D, rows: number, width: number, of = 'latents'): Tensor2D {
  if (X?.rank === 2 && X.shape[0] === rows && X.shape[1] === width) return X;
  throw new InvalidInputError(
    `Map '${name}' must give one row of ${of} for each of ${rows} observations, ${width} wide, but its result has shape [${X?.shape}].`,
  );
}

/** The parameters of a map, when what it gives at their start is one row for each observation and as wide as it must be. */
export function withCheckedShape(
  map: LatentMap,
  parameters: Readonly<Record<string, Parameter>>,
  features: Matrix,
  width: number,
  of?: string,
): Readonly<Record<string, Parameter>> {
  const start = Object.entries(parameters).map(([name, { initial }]) => [name, initial]);
  const values: ParameterValues = Object.fromEntries(start);
  withFloat64(() => {
    checkedShape(map.name, map.apply(valueTensors(values), matrixTensor(features)), features.rows, width, of);
  });
  return parameters;
}
