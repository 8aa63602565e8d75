import * as tf from '@tensorflow/tfjs-core';

export type {
  DataType,
  NamedAttrMap,
  Rank,
  Scalar,
  Tensor,
  Tensor1D,
  Tensor2D,
  TensorInfo,
} from '@tensorflow/tfjs-core';

/** What the engine of TensorFlow.js keeps about the active backend; private in its types, stable since 1.0. */
interface ActiveBackend {
  backendName: string | undefined;
  backendInstance: tf.KernelBackend | null | undefined;
  pendingBackendInit: Promise<boolean> | null | undefined;
  /** Times kernels, of whatever backend it was made for. */
  profiler: object | undefined;
}

/** An operation on the tape of a differentiation. */
export interface TapeNode {
  id: number;
  kernelName: string;
  inputs: Readonly<Record<string, tf.Tensor>>;
  outputs: readonly tf.Tensor[];
  saved: readonly tf.Tensor[];
  /** Functions that make the gradient in each input; undefined for an operation that has none. */
  gradient?: (dys: (tf.Tensor | null)[]) => Readonly<Record<string, () => tf.Tensor>>;
}

interface EngineInternals extends ActiveBackend {
  registry: Record<string, tf.KernelBackend>;
  state: {
    activeTape: TapeNode[] | null;
    /** Whether `tf.profile` is at work. */
    profiling: boolean;
    gradientDepth: number;
    /** Operations within others are not on the tape. */
    kernelDepth: number;
    nextTapeNodeId: number;
    tensorInfo: WeakMap<object, { backend: tf.KernelBackend }>;
  };
}

/** The fields of the engine that its types hide. */
export const engine = (): EngineInternals => tf.engine() as unknown as EngineInternals;

/** Whether somebody watches the kernels that run, by `tf.profile` or the debug mode. */
export const isProfiled = (): boolean => engine().state.profiling || tf.env().getBool('DEBUG');
