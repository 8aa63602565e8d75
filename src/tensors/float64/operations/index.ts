import { registerActivations } from './activation.ts';
import { registerArithmetic } from './arithmetic.ts';
import { registerBatchNormalization } from './batchNormalization.ts';
import { registerComparisons } from './comparison.ts';
import { registerCreation } from './creation.ts';
import { registerCumulative } from './cumulative.ts';
import { registerEinsum } from './einsum.ts';
import { type ElementaryFunctionsOn, registerElementary } from './elementary.ts';
import { registerExponential } from './exponential.ts';
import { registerFusedMatrixProduct } from './fusedMatrixProduct.ts';
import { registerGather } from './gather.ts';
import { registerJoining } from './joining.ts';
import { registerMatrixProduct } from './matrixProduct.ts';
import { registerPredicates } from './predicate.ts';
import { registerReductions } from './reductions.ts';
import { registerRounding } from './rounding.ts';
import { registerShape } from './shape.ts';
import { registerSlicing } from './slicing.ts';
import { registerSoftmax } from './softmax.ts';
import { registerSpecialFunctions } from './specialFunctions.ts';
import { registerTranspose } from './transpose.ts';
import { registerTrigonometric } from './trigonometric.ts';

/** Registers every kernel of the float64 backend with TensorFlow.js. */
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
