import * as tf from '@tensorflow/tfjs-core';
import { engine, type Tensor } from '../../tensorflow.ts';
import { FLOAT64 } from '../backend.ts';

type Gradients = Record<string, () => Tensor>;
/** Gradients of the inputs by name, from that of the output, the saved tensors and the kernel's attributes. */
export type Gradient<A = object> = (dy: Tensor, saved: Tensor[], attributes: A) => Gradients;

const float64IsActive = () => engine().backendName === FLOAT64;

/**
 * Puts a gradient in place of the stock one while the float64 backend is active. TensorFlow.js keeps one gradient a kernel
 * for all backends: on the others the stock one answers as before, so that a caller's own models are left alone, where there is one.
 *
 * @param inputsToSave - the inputs that the gradient is given, which are those of the stock one
 */
export function replaceGradient<A extends object>(
  kernelName: string,
  inputsToSave: string[],
  gradient: Gradient<A>,
): void {
  const stock: tf.GradConfig | undefined = tf.getGradient(kernelName);
  const gradFunc: tf.GradFunc = (dy, saved, attributes) =>
    stock === undefined || float64IsActive()
      ? gradient(dy as Tensor, saved, attributes as unknown as A)
      : stock.gradFunc(dy, saved, attributes);
  tf.registerGradient({ ...(stock ?? { kernelName, inputsToSave }), gradFunc });
}

/** Puts a gradient that is made of the stock one in its place, while the float64 backend is active. */
export function adjustGradient<A extends object>(
  kernelName: string,
  adjusted: (stock: (attributes: A) => Gradients, saved: Tensor[], attributes: A) => Gradients,
): void {
  const stock = tf.getGradient(kernelName);
  const gradFunc: tf.GradFunc = (dy, saved, attributes) => {
    const ofStock = (given: A) => stock.gradFunc(dy, saved, given as unknown as tf.NamedAttrMap);
    return float64IsActive()
      ? adjusted(ofStock, saved, attributes as unknown as A)
      : stock.gradFunc(dy, saved, attributes);
  };
  tf.registerGradient({ ...stock, gradFunc });
}

/** Adds a gradient for a kernel that has none, on every backend; 'all' saves the inputs of a kernel that takes them as a list. */
export function addGradient<A extends object>(
  kernelName: string,
  inputsToSave: string[] | 'all',
  gradient: Gradient<A>,
): void {
  const gradFunc = (dy: Tensor | Tensor[], saved: Tensor[], attributes: unknown) =>
    gradient(dy as Tensor, saved, attributes as A);
  const saved = inputsToSave === 'all' ? { saveAllInputs: true } : { inputsToSave };
  tf.registerGradient({ kernelName, ...saved, gradFunc });
}

/** The gradient of an operand of this shape from that of the broadcast result: summed over the axes it was repeated along. */
export function unbroadcast(gradient: Tensor, shape: number[]): Tensor {
  const axes = tf.broadcast_util.getReductionAxes(shape, gradient.shape);
  return tf.reshape(axes.length > 0 ? tf.sum(gradient, axes) : gradient, shape);
}
