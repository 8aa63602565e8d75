import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../core/errors.ts';
import { readTensorsWith } from '../../../core/matrix.ts';
import { checkGiven } from '../../../core/options.ts';
import { elementaryFunctions } from '../../dense/activeEngine.ts';
import { doublesOf } from '../doubles.ts';
import { engine } from '../tensorflow.ts';
import { FLOAT64, Float64Backend } from './backend.ts';
import { registerGradients } from './gradients.ts';
import { registerKernels } from './operations/index.ts';

/** The backend, registered with TensorFlow.js on first use with a priority that keeps it from becoming the default. */
export function float64Backend(): Float64Backend {
  if (tf.findBackendFactory(FLOAT64) === null) {
    // Created here, because TensorFlow.js would catch and print its errors.
    let made: Float64Backend | undefined = new Float64Backend();
    const backendOnce = () => {
      const backend = made ?? new Float64Backend();
      made = undefined;
      return backend;
    };
    tf.registerBackend(FLOAT64, backendOnce, -1);
    readTensorsWith((tensor) => doublesOf(tensor as tf.Tensor));
    // TensorFlow.js keeps the operations of a removed backend.
    if (tf.getKernelsForBackend(FLOAT64).length === 0) {
      registerKernels(elementaryFunctions);
    }
  }
  registerGradients();
  return tf.engine().findBackend(FLOAT64) as Float64Backend;
}

const profilers = new WeakMap<Float64Backend, object>();

/**
 * The profiler through which TensorFlow.js runs operations in debug mode and in `tf.profile`. TensorFlow.js creates one for the active backend, so
 * there is none before the first activation. The caller's choice of a backend is restored.
 */
function profilerOf(backend: Float64Backend): object {
  const made = profilers.get(backend);
  if (made !== undefined) return made;
  const active = engine();
  const { backendName, backendInstance, profiler } = active;
  // Activating an existing backend is complete when the call returns; only its promise resolves later.
  void tf.engine().setBackend(FLOAT64);
  const own = active.profiler!;
  Object.assign(active, { backendName, backendInstance, profiler });
  profilers.set(backend, own);
  return own;
}

/**
 * Runs `work` on the float64 backend and restores whichever backend was active, even if none was chosen yet or one is still starting, so that the
 * caller's own use of TensorFlow.js is not affected. `work` is synchronous: no code of the caller runs in between. Tensors made inside are disposed,
 * unless kept with `tf.keep`: return plain numbers.
 *
 * @param work - receives the backend; synchronous
 * @returns what `work` returns
 * @throws any error of `work`, after the backend is restored
 * @example
 * ```ts
 * withFloat64(() => op.valueOf(op.sum(op.tensor([0.1, 0.2])))); // 0.30000000000000004, where float32 has 0.3000000119
 * ```
 */
export function withFloat64<T>(work: (backend: Float64Backend) => T): T {
  checkGiven(work, 'withFloat64', 'a function', (given) => typeof given === 'function');
  const backend = float64Backend();
  const active = engine();
  const { backendName, backendInstance, pendingBackendInit, profiler } = active;
  active.profiler = profilerOf(backend);
  active.backendName = FLOAT64;
  active.backendInstance = backend;
  active.pendingBackendInit = null;
  const { activeTape, gradientDepth } = active.state;
  const kept: tf.Tensor[] = [];
  const stopWatching = watch(kept);
  tf.engine().startScope();
  try {
    return work(backend);
  } catch (error) {
    // Tensors that a tape or an operation kept for a backward pass that will not happen.
    for (const tensor of kept) tensor.dispose();
    if (active.state.gradientDepth === gradientDepth) active.state.activeTape = activeTape;
    throw error;
  } finally {
    stopWatching();
    tf.engine().endScope();
    active.backendName = backendName;
    active.backendInstance = backendInstance;
    active.pendingBackendInit = pendingBackendInit;
    active.profiler = profiler;
  }
}

/**
 * Runs `work`, which makes no tensors, on the float64 backend: `withFloat64` at a fraction of its cost.
 *
 * @param work - synchronous
 */
export function onFloat64<T>(work: () => T): T {
  const active = engine();
  if (active.backendName === FLOAT64) return work();
  const { backendName, backendInstance, pendingBackendInit } = active;
  active.backendInstance = float64Backend();
  active.backendName = FLOAT64;
  active.pendingBackendInit = null;
  try {
    return work();
  } finally {
    active.backendName = backendName;
    active.backendInstance = backendInstance;
    active.pendingBackendInit = pendingBackendInit;
  }
}

/** Until the returned function is called, records every tensor that is kept, and names the operations that this backend lacks. */
function watch(kept: tf.Tensor[]): () => void {
  const active = tf.engine();
  const { keep, runKernel } = active;
  active.keep = (tensor) => {
    kept.push(tensor);
    return keep.call(active, tensor) as typeof tensor;
  };
  active.runKernel = (name, inputs, attributes) => {
    if (engine().backendName !== FLOAT64) return runKernel.call(active, name, inputs, attributes) as never;
    if (tf.getKernel(name, FLOAT64) === undefined) {
      throw new InvalidInputError(
        `${name} is not available in double precision. Use the operations of 'latentfield/ops', or layersMap for networks of tf.layers.`,
      );
    }
    // Not by runKernel, which would look it up again.
    return engine().runKernelFunc({ kernelName: name, inputs, attrs: attributes }) as never;
  };
  return () => {
    active.keep = keep;
    active.runKernel = runKernel;
  };
}
