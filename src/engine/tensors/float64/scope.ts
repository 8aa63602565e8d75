import * as tf from '@tensorflow/tfjs-core';
import { checkGiven } from '../../../core/given.ts';
import { readTensorsWith } from '../../../core/matrix.ts';
import { elementaryFunctions } from '../../dense/activeEngine.ts';
import { doublesOf } from '../doubles.ts';
import { engine } from '../tensorflow.ts';
import { FLOAT64, Float64Backend } from './backend.ts';
import { registerGradients } from './gradients/index.ts';
import { registerKernels } from './operations/index.ts';

/** The backend, registered with TensorFlow.js on first use. Its priority keeps it from ever becoming the default. */
export function float64Backend(): Float64Backend {
  if (tf.findBackendFactory(FLOAT64) === null) {
    // Made here: TensorFlow.js would catch what it throws, and print it.
    let made: Float64Backend | undefined = new Float64Backend();
    const backendOnce = () => {
      const backend = made ?? new Float64Backend();
      made = undefined;
      return backend;
    };
    tf.registerBackend(FLOAT64, backendOnce, -1);
    readTensorsWith((tensor) => doublesOf(tensor as tf.Tensor));
    // TensorFlow.js keeps the kernels of a backend that somebody removed.
    if (tf.getKernelsForBackend(FLOAT64).length === 0) {
      registerKernels(elementaryFunctions);
    }
  }
  registerGradients();
  return tf.engine().findBackend(FLOAT64) as Float64Backend;
}

const profilers = new WeakMap<Float64Backend, object>();

/**
 * What TensorFlow.js calls kernels through in its debug mode and in `tf.profile`: it makes one for the backend that is set, so
 * there is none before the first. The caller's choice of a backend is put back.
 */
function profilerOf(backend: Float64Backend): object {
  const made = profilers.get(backend);
  if (made !== undefined) return made;
  const active = engine();
  const { backendName, backendInstance, profiler } = active;
  // Setting a backend that is there already is done when the call returns; only its promise comes later.
  void tf.engine().setBackend(FLOAT64);
  const own = active.profiler!;
  Object.assign(active, { backendName, backendInstance, profiler });
  profilers.set(backend, own);
  return own;
}

/**
 * Runs `work` on the float64 backend and puts back whatever backend was active, so that the caller's own use of
 * TensorFlow.js is left alone, even when none was chosen yet or one is still starting. `work` is synchronous: nothing of
 * the caller's runs in between. Tensors made inside are disposed, unless `tf.keep` keeps them: return plain numbers.
 *
 * @param work - is given the backend; not asynchronous
 * @returns what `work` returns
 * @throws whatever `work` throws, after everything is put back
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
  const stopWatching = watchKept(kept);
  tf.engine().startScope();
  try {
    return work(backend);
  } catch (error) {
    // What a tape or an operation of the caller's kept for a backward pass that will not come.
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
 * Runs `work`, which makes no tensor, on the float64 backend: what `withFloat64` does at a part of its cost.
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

/** Notes every tensor that is kept from now on, until the function it returns is called. */
function watchKept(kept: tf.Tensor[]): () => void {
  const active = tf.engine();
  const { keep } = active;
  active.keep = (tensor) => {
    kept.push(tensor);
    return keep.call(active, tensor) as typeof tensor;
  };
  return () => {
    active.keep = keep;
  };
}
