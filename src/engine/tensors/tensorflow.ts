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

/** The part of TensorFlow.js's engine about the active backend; private in its types, stable since 1.0. */
interface ActiveBackend {
  backendName: string | undefined;
  backendInstance: tf.KernelBackend | null | undefined;
  pendingBackendInit: Promise<boolean> | null | undefined;
  /** The profiler of the operations of one backend. */
  profiler: object | undefined;
}

/** An operation on the tape of a differentiation. */
export interface TapeNode {
  id: number;
  kernelName: string;
  inputs: Readonly<Record<string, tf.Tensor>>;
  outputs: readonly tf.Tensor[];
  saved: readonly tf.Tensor[];
  /** Functions that make the gradient in each input; undefined for an operation without gradients. */
  gradient?: (dys: (tf.Tensor | null)[]) => Readonly<Record<string, () => tf.Tensor>>;
}

interface EngineInternals extends ActiveBackend {
  /** Runs an operation that the active backend has, without looking it up first. */
  runKernelFunc(operation: { kernelName: string; inputs: object; attrs?: object | undefined }): unknown;
  registry: Record<string, tf.KernelBackend>;
  state: {
    activeTape: TapeNode[] | null;
    /** True during `tf.profile`. */
    profiling: boolean;
    gradientDepth: number;
    /** Operations inside of others are not on the tape. */
    kernelDepth: number;
    nextTapeNodeId: number;
    tensorInfo: WeakMap<object, { backend: tf.KernelBackend }>;
  };
}

/** Fields of the engine that its types hide. */
export const engine = (): EngineInternals => tf.engine() as unknown as EngineInternals;

/** True if operations are profiled by `tf.profile` or the debug mode. */
export const isProfiled = (): boolean => engine().state.profiling || tf.env().getBool('DEBUG');
