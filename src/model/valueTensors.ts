import * as op from '../engine/tensors/ops.ts';
import type { ParameterValues, TensorMap } from './model.ts';
import { entriesOf, shapeOf } from './parameter.ts';

/** Natural values as tensors under the same paths. */
export function valueTensors(values: ParameterValues): TensorMap {
  return Object.fromEntries(
    Object.entries(values).map(([path, value]) => [path, op.tensor(entriesOf(value), shapeOf(value))]),
  );
}
