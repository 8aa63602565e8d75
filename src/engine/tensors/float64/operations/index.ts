import { registerActivations, registerBatchNormalization, registerSoftmax } from './activation.ts';
import {
  type ElementaryFunctionsOn,
  registerArithmetic,
  registerComparisons,
  registerElementary,
  registerExponential,
  registerPredicates,
  registerRounding,
  registerSpecialFunctions,
  registerTrigonometric,
} from './arithmetic.ts';
import { registerCreation, registerShape } from './creation.ts';
import { registerTranspose } from './layout.ts';
import { registerEinsum, registerFusedMatrixProduct, registerMatrixProduct } from './matrixProduct.ts';
import { registerCumulative, registerReductions } from './reductions.ts';
import { registerGather, registerJoining, registerSlicing } from './slicing.ts';

/** Registers every operation of the float64 backend with TensorFlow.js. */
export function registerKernels(elementaryFunctionsOn: ElementaryFunctionsOn): void {
  registerShape();
  registerCreation();
  registerArithmetic();
  registerComparisons();
  registerRounding();
  registerElementary(elementaryFunctionsOn);
  registerExponential();
  registerTrigonometric();
  registerActivations();
  registerPredicates();
  registerReductions();
  registerCumulative();
  registerTranspose();
  registerSlicing();
  registerJoining();
  registerGather();
  registerMatrixProduct();
  registerFusedMatrixProduct();
  registerEinsum();
  registerBatchNormalization();
  registerSoftmax();
  registerSpecialFunctions();
}
