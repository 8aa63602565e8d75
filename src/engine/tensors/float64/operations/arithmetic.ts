import { exp, expm1, log1p } from '../../../../core/elementary/index.ts';
import type { Float64Memory } from '../../../memory.ts';
import type { ElementaryFunctions } from '../../../operations/linearAlgebra.ts';
import { broadcasting } from './layout.ts';
import { elementwise, kernel, sizeOf, typeOf, type Unary } from './operation.ts';

/** Arithmetic of two operands. */
export function registerArithmetic(): void {
  broadcasting('Add', 'same', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! + b[j]!;
  });
  broadcasting('Sub', 'same', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! - b[j]!;
  });
  broadcasting('Multiply', 'same', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! * b[j]!;
  });
  broadcasting('RealDiv', 'same', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! / b[j]!;
  });
  broadcasting('Maximum', 'same', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = Math.max(a[i]!, b[j]!);
  });
  broadcasting('Minimum', 'same', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = Math.min(a[i]!, b[j]!);
  });
  broadcasting('SquaredDifference', 'same', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) {
      const difference = a[i]! - b[j]!;
      y[k] = difference * difference;
    }
  });
}

/** exp and log near 1, and named powers. */
export function registerExponential(): void {
  elementwise('Expm1', 'same', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = expm1(x[i]!);
  });
  elementwise('Log1p', 'same', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = log1p(x[i]!);
  });
  elementwise('Sqrt', 'same', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.sqrt(x[i]!);
  });
  elementwise('Rsqrt', 'same', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = 1 / Math.sqrt(x[i]!);
  });
  elementwise('Square', 'same', (x, y) => {
    for (let i = 0; i < y.length; i++) {
      const v = x[i]!;
      y[i] = v * v;
    }
  });
  elementwise('Reciprocal', 'same', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = 1 / x[i]!;
  });
}

/** Sign and modulus. */
export function registerSigns(): void {
  elementwise('Neg', 'same', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = -x[i]!;
  });
  elementwise('Abs', 'same', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.abs(x[i]!);
  });
  // The sign of NaN is 0, as on the other backends.
  elementwise('Sign', 'same', (x, y) => {
    for (let i = 0; i < y.length; i++) {
      const v = x[i]!;
      y[i] = v > 0 ? 1 : v < 0 ? -1 : 0;
    }
  });
}

/** Piecewise functions: log(1 + eˣ), max(x, 0) and clipping. */
export function registerRectifiers(): void {
  // log(1 + e^x) = max(x, 0) + log(1 + e^−|x|) neither overflows nor loses digits.
  elementwise('Softplus', 'same', (x, y) => {
    for (let i = 0; i < y.length; i++) {
      const v = x[i]!;
      y[i] = Math.max(v, 0) + log1p(exp(-Math.abs(v)));
    }
  });
  elementwise('Relu', 'same', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.max(0, x[i]!);
  });
  elementwise<{ clipValueMin: number; clipValueMax: number }>('ClipByValue', 'same', (x, y, attributes) => {
    const { clipValueMin, clipValueMax } = attributes;
    for (let i = 0; i < y.length; i++) {
      y[i] = Math.min(Math.max(x[i]!, clipValueMin), clipValueMax);
    }
  });
}

/** Elementary functions for a memory: compiled ones if the active engine has them. */
export type ElementaryFunctionsOn = (memory: Float64Memory) => ElementaryFunctions;

/** The elementary functions, and 1/(1 + e^−x), which is built on one of them. */
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

/** Registers y ← f(x) of type float32. f gets byte offsets of n doubles in the memory, which may coincide, and must not allocate. */
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

/** Comparisons; NaN is unequal to everything. */
export function registerComparisons(): void {
  broadcasting('Equal', 'bool', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! === b[j]! ? 1 : 0;
  });
  broadcasting('Greater', 'bool', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! > b[j]! ? 1 : 0;
  });
  broadcasting('GreaterEqual', 'bool', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! >= b[j]! ? 1 : 0;
  });
  broadcasting('Less', 'bool', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! < b[j]! ? 1 : 0;
  });
  broadcasting('LessEqual', 'bool', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! <= b[j]! ? 1 : 0;
  });
}
