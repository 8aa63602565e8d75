import type { Tensor } from '../tensorflow.ts';

/**
 * A function of every entry.
 *
 * @param x - a numeric tensor of any shape; a number is taken as a scalar, with all its digits
 * @returns a tensor of the shape of x, with gradients in x
 * @throws Error of TensorFlow.js when x is neither a number nor a numeric tensor
 */
export type Elementwise = <T extends Tensor = Tensor>(x: T | number) => T;
