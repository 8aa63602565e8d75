import { registerBinaryGradients } from './binary.ts';
import { registerElementwiseGradients } from './elementwise.ts';
import { registerNetworkGradients } from './network.ts';
import { registerReductionGradients } from './reduction.ts';
import { registerStructureGradients } from './structure.ts';
import { registerZeroGradients } from './zero.ts';

/** Adds the gradients that TensorFlow.js lacks and replaces, on the float64 backend, those that lose digits or fail. */
export function registerGradients(): void {
  registerZeroGradients();
  registerElementwiseGradients();
  registerBinaryGradients();
  registerReductionGradients();
  registerStructureGradients();
  registerNetworkGradients();
}
