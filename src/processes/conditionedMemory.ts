import type { Matrix } from '../core/matrix.ts';
import { matrixTensor, tensorMatrix } from '../engine/tensors/matrixTensor.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { Conditioned } from './covariance/covariance.ts';

/** Result of conditioning on Y at X, as plain numbers. */
interface Known {
  readonly X: Matrix;
  readonly Y: Matrix;
  readonly left: readonly (readonly [string, Matrix])[];
}

/** Result of conditioning on Y at X. With a memory, which belongs to one set of values, it is computed once. */
export function remembered(
  memory: Map<object, unknown> | undefined,
  owner: object,
  X: Tensor2D,
  Y: Tensor2D,
  condition: () => Conditioned,
): Conditioned {
  if (memory === undefined) return condition();
  const given = { X: tensorMatrix(X), Y: tensorMatrix(Y) };
  const all = (memory.get(owner) as Known[] | undefined) ?? [];
  let known = all.find((one) => isSame(one.X, given.X) && isSame(one.Y, given.Y));
  if (known === undefined) {
    const left = Object.entries(condition()).map(([name, tensor]) => [name, tensorMatrix(tensor)] as const);
    known = { ...given, left };
    memory.set(owner, [...all, known]);
  }
  return Object.fromEntries(known.left.map(([name, matrix]) => [name, matrixTensor(matrix)]));
}

const isSame = (a: Matrix, b: Matrix) =>
  a.rows === b.rows && a.columns === b.columns && a.data.every((entry, i) => entry === b.data[i]);
