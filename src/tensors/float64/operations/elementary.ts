import type { Float64Memory } from '../../../numerics/memory.ts';
import type { ElementaryFunctions } from '../../../numerics/wasm/elementaryFunctions.ts';
import { kernel, sizeOf, typeOf, type Unary } from './operation.ts';

/** The elementary functions to use on a memory: compiled ones where the engine at work has them. */
export type ElementaryFunctionsOn = (memory: Float64Memory) => ElementaryFunctions;

/** The elementary functions, and 1/(1 + e^−x), which is made of one. */
export function registerElementary(functionsOn: ElementaryFunctionsOn): void {
  elementary('Exp', (memory, n, x, y) => functionsOn(memory).exponential(n, x, y));
  elementary('Log', (memory, n, x, y) => functionsOn(memory).logarithm(n, x, y));
  elementary('Tanh', (memory, n, x, y) => functionsOn(memory).hyperbolicTangent(n, x, y));
  elementary('Sigmoid', (memory, n, x, y) => {
    const functions = functionsOn(memory);
    const from = memory.float64(x, n);
    const to = memory.float64(y, n);
    for (let i = 0; i < n; i++) to[i] = -from[i]!;
    functions.exponential(n, y, y);
    for (let i = 0; i < n; i++) to[i] = 1 / (1 + to[i]!);
  });
}

/**
 * Registers y ← f(x), of type float32, for offsets of n doubles in the memory, which may be the same. Nothing may be allocated in f.
 */
function elementary(name: string, f: (memory: Float64Memory, n: number, x: number, y: number) => void): void {
  kernel<Unary>(name, ({ x }, _, backend) => {
    const result = backend.allocate(x.shape);
    const y = backend.offset(result);
    const isFloating = typeOf(x) === 'float32';
    if (!isFloating) backend.float64(result).set(backend.values(x));
    f(backend.memory64, sizeOf(x.shape), isFloating ? backend.offset(x) : y, y);
    return result;
  });
}
