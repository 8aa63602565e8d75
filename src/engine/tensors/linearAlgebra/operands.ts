import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../core/errors.ts';
import { describe } from '../../../core/matrix.ts';
import { float64Backend } from '../float64/scope.ts';
import type { Scalar, Tensor, Tensor2D } from '../tensorflow.ts';
import { BACKENDS } from './operations/operation.ts';

/** Makes sure that the operations are registered and that the active backend has them. */
export function requireBackend(operation: string): void {
  float64Backend();
  const active = tf.getBackend();
  if (!BACKENDS.includes(active)) {
    throw new InvalidInputError(
      `${operation} runs on the backends ${BACKENDS.join(', ')}, but '${active}' is active. Choose one of them with tf.setBackend.`,
    );
  }
}

/** Checks that a tensor is a matrix of floating-point numbers. */
export function matrixOperand(x: Tensor, operation: string, argument: string): Tensor2D {
  return floating(x, operation, argument, 'of rank 2', () => x.rank === 2) as Tensor2D;
}

/** Checks that a tensor has one floating-point number, and returns it with rank 0. */
export function scalarOperand(x: Tensor, operation: string, argument: string): Scalar {
  const entry = floating(x, operation, argument, 'of one entry', () => x.size === 1);
  return (entry.rank === 0 ? entry : tf.reshape(entry, [])) as Scalar;
}

/** Checks that a tensor holds floating-point numbers and has the form that the operation needs. */
export function floating(x: Tensor, operation: string, argument: string, form: string, fits: () => boolean): Tensor {
  const isTensor = x instanceof tf.Tensor;
  if (!isTensor || !fits() || (x.dtype !== 'float32' && x.dtype !== 'int32')) {
    const given = isTensor ? `a tensor of type ${x.dtype} and shape [${x.shape}]` : describe(x);
    throw new InvalidInputError(`${operation} needs a numeric tensor ${form} as ${argument}, but ${given} was given.`);
  }
  return x.dtype === 'float32' ? x : tf.cast(x, 'float32');
}

/** Checks that a tensor is a square matrix of floating-point numbers. */
export function squareOperand(x: Tensor, operation: string, argument: string): Tensor2D {
  const matrix = matrixOperand(x, operation, argument);
  const [rows, columns] = matrix.shape;
  if (rows !== columns) {
    throw new InvalidInputError(`${operation} needs a square matrix as ${argument}, but it is ${rows}×${columns}.`);
  }
  return matrix;
}

/** Checks that a tensor is a stack of square matrices of floating-point numbers, in its last two axes. */
export function squareStack(x: Tensor, operation: string, argument: string): Tensor {
  const stack = floating(x, operation, argument, 'of rank 2 or more', () => x.rank >= 2);
  if (stack.rank === 2) return squareOperand(stack, operation, argument);
  const [rows, columns] = stack.shape.slice(-2);
  if (rows === columns) return stack;
  throw new InvalidInputError(
    `${operation} needs square matrices as ${argument}, but they are ${rows}×${columns} (shape [${stack.shape}]).`,
  );
}

/** Stacks of square matrices and of right-hand sides with as many rows, broadcast against each other along the axes of the stacks. */
export function systemStacks(l: Tensor, b: Tensor, operation: string): [Tensor, Tensor] {
  const squares = squareStack(l, operation, 'l');
  const matrices = floating(b, operation, 'b', 'of rank 2 or more', () => b.rank >= 2);
  const [n, columns] = matrices.shape.slice(-2) as [number, number];
  const order = squares.shape.at(-1)!;
  if (n !== order) {
    throw new InvalidInputError(
      `${operation} needs as many rows in b as in l, but l is ${order}×${order} and b is ${n}×${columns}.`,
    );
  }
  const stack = tf.broadcast_util.assertAndGetBroadcastShape(squares.shape.slice(0, -2), matrices.shape.slice(0, -2));
  const repeated = (x: Tensor) => {
    const shape = [...stack, ...x.shape.slice(-2)];
    return x.rank === shape.length && x.shape.every((size, d) => size === shape[d]) ? x : tf.broadcastTo(x, shape);
  };
  return [repeated(squares), repeated(matrices)];
}

/** A square matrix and one with the same number of rows. */
export function systemOperands(
  l: Tensor,
  b: Tensor,
  operation: string,
  names: readonly [string, string],
): [Tensor2D, Tensor2D] {
  const square = squareOperand(l, operation, names[0]);
  const matrix = matrixOperand(b, operation, names[1]);
  if (square.shape[0] !== matrix.shape[0]) {
    throw new InvalidInputError(
      `${operation} needs as many rows in ${names[1]} as in ${names[0]}, but ${names[0]} is ${square.shape.join('×')} and ` +
        `${names[1]} is ${matrix.shape.join('×')}.`,
    );
  }
  return [square, matrix];
}
