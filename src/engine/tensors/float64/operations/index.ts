import {
  type ElementaryFunctionsOn,
  registerArithmetic,
  registerComparisons,
  registerElementary,
  registerExponential,
  registerRectifiers,
  registerSigns,
} from './arithmetic.ts';
import { registerShape, registerTranspose } from './layout.ts';
import { registerMatrixProduct } from './matrixProduct.ts';
import { registerReductions } from './reductions.ts';
import { registerGather, registerJoining, registerSlicing } from './slicing.ts';

/** Registers every operation of the float64 backend with TensorFlow.js. */
export function registerKernels(elementaryFunctionsOn: ElementaryFunctionsOn): void {
  registerShape();
  registerArithmetic();
  registerComparisons();
  registerSigns();
  registerRectifiers();
  registerElementary(elementaryFunctionsOn);
  registerExponential();
  registerReductions();
  registerTranspose();
  registerSlicing();
  registerJoining();
  registerGather();
  registerMatrixProduct();
}
