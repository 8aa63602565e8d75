import { registerLinearAlgebra } from '../linalg/register.ts';
import { engine, tf } from '../tensorflow.ts';
import { FLOAT64, Float64Backend } from './backend.ts';
import { registerGradients } from './gradients/index.ts';
import { registerKernels } from './kernels/index.ts';

/** The backend, registered with TensorFlow.js on first use. Its priority keeps it from ever becoming the default. */
export function float64Backend(): Float64Backend {
  if (tf.findBackendFactory(FLOAT64) === null) {
    tf.registerBackend(FLOAT64, () => new Float64Backend(), -1);
    registerKernels();
    registerGradients();
    registerLinearAlgebra();
  }
  return tf.engine().findBackend(FLOAT64) as Float64Backend;
}

/**
 * Runs `work` on the float64 backend and puts back whatever backend was active, so that the caller's own use of
 * TensorFlow.js is left alone, even when none was chosen yet or one is still starting. `work` is synchronous: nothing of
 * the caller's runs in between. Tensors made inside are disposed, unless `tf.keep` keeps them: return plain numbers.
 */
export function withFloat64<T>(work: (backend: Float64Backend) => T): T {
  const backend = float64Backend();
  const active = engine();
  const { backendName, backendInstance, pendingBackendInit } = active;
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
