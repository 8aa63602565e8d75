import type { Float64Memory } from '../memory.ts';
import { kernelsOn } from './instance.ts';

/**
 * Functions of every entry of an array in the memory: `x` and `y` are byte offsets of n numbers and may be the same. Nothing is
 * allocated.
 *
 * Compiled, exp and log are within 1 and tanh within 2 units in the last place of the exact values, over the whole range. Denormal
 * numbers count in full: exp rounds correctly into them, log takes them, tanh returns them as they are.
 */
export interface ElementaryFunctions {
  /** y ← exp(x); 0 below −745.14, ∞ above 709.79. */
  exponential(n: number, x: number, y: number): void;
  /** y ← log(x), natural; −∞ at ±0, NaN below. */
  logarithm(n: number, x: number, y: number): void;
  /** y ← tanh(x); keeps the sign of −0. */
  hyperbolicTangent(n: number, x: number, y: number): void;
}

/** Two entries at a time in WebAssembly SIMD, the same bits on every machine. */
export function wasmElementaryFunctions(memory: Float64Memory): ElementaryFunctions {
  const kernels = kernelsOn(memory);
  return Object.freeze<ElementaryFunctions>({
    exponential: (n, x, y) => kernels.exponential(n, x, y),
    logarithm: (n, x, y) => kernels.logarithm(n, x, y),
    hyperbolicTangent: (n, x, y) => kernels.hyperbolicTangent(n, x, y),
  });
}
