import {
  acos,
  acosh,
  asin,
  asinh,
  atan,
  atan2,
  atanh,
  cos,
  cosh,
  expm1,
  log1p,
  pow,
  sin,
  sinh,
  tan,
} from '../../../../core/elementary/index.ts';
import type { Float64Memory } from '../../../memory.ts';
import type { ElementaryFunctions } from '../../../operations/linearAlgebra.ts';
import { erf } from '../../../special/erf.ts';
import type { TensorInfo } from '../../tensorflow.ts';
import { broadcasting } from './layout.ts';
import { elementwise, kernel, sizeOf, typeOf, type Unary } from './operation.ts';

/** Arithmetic of two operands, and sums of many. */
export function registerArithmetic(): void {
  broadcasting('Add', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! + b[j]!;
  });
  broadcasting('Sub', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! - b[j]!;
  });
  broadcasting('Multiply', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! * b[j]!;
  });
  broadcasting('RealDiv', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! / b[j]!;
  });
  broadcasting(
    'FloorDiv',
    (a, i, da, b, j, db, y, k, n) => {
      for (const end = k + n; k < end; k++, i += da, j += db) y[k] = Math.floor(a[i]! / b[j]!);
    },
    'int32',
  );
  // The result has the sign of the divisor.
  broadcasting('Mod', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) {
      const p = a[i]!;
      const q = b[j]!;
      const remainder = p % q;
      y[k] = (p < 0 && q < 0) || (p >= 0 && q >= 0) ? remainder : (remainder + q) % q;
    }
  });
  broadcasting('Pow', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = pow(a[i]!, b[j]!);
  });
  broadcasting('Maximum', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = Math.max(a[i]!, b[j]!);
  });
  broadcasting('Minimum', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = Math.min(a[i]!, b[j]!);
  });
  broadcasting('SquaredDifference', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) {
      const difference = a[i]! - b[j]!;
      y[k] = difference * difference;
    }
  });
  broadcasting('Atan2', (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = atan2(a[i]!, b[j]!);
  });
  kernel<readonly TensorInfo[]>('AddN', (terms, _, backend) => {
    const first = terms[0]!;
    const result = backend.allocate(first.shape, typeOf(first));
    const y = backend.values(result);
    y.set(backend.values(first));
    for (let t = 1; t < terms.length; t++) {
      const x = backend.values(terms[t]!);
      for (let i = 0; i < y.length; i++) y[i]! += x[i]!;
    }
    return result;
  });
}

/** exp and log near 1, and named powers. */
export function registerExponential(): void {
  elementwise('Expm1', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = expm1(x[i]!);
  });
  elementwise('Log1p', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = log1p(x[i]!);
  });
  elementwise('Sqrt', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.sqrt(x[i]!);
  });
  elementwise('Rsqrt', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = 1 / Math.sqrt(x[i]!);
  });
  elementwise('Square', (x, y) => {
    for (let i = 0; i < y.length; i++) {
      const v = x[i]!;
      y[i] = v * v;
    }
  });
  elementwise('Reciprocal', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = 1 / x[i]!;
  });
}

/** Sign, modulus and rounding to integers. */
export function registerRounding(): void {
  elementwise('Neg', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = -x[i]!;
  });
  elementwise('Abs', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.abs(x[i]!);
  });
  // The sign of NaN is 0, as on the other backends.
  elementwise('Sign', (x, y) => {
    for (let i = 0; i < y.length; i++) {
      const v = x[i]!;
      y[i] = v > 0 ? 1 : v < 0 ? -1 : 0;
    }
  });
  elementwise('Floor', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.floor(x[i]!);
  });
  elementwise('Ceil', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.ceil(x[i]!);
  });
  // Halves are rounded to even.
  elementwise('Round', (x, y) => {
    for (let i = 0; i < y.length; i++) {
      const v = x[i]!;
      const below = Math.floor(v);
      const fraction = v - below;
      y[i] = fraction < 0.5 ? below : fraction > 0.5 ? Math.ceil(v) : below % 2 === 0 ? below : below + 1;
    }
  });
}

/** Trigonometric and hyperbolic functions, except tanh, and their inverses. */
export function registerTrigonometric(): void {
  elementwise('Sin', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = sin(x[i]!);
  });
  elementwise('Cos', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = cos(x[i]!);
  });
  elementwise('Tan', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = tan(x[i]!);
  });
  elementwise('Asin', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = asin(x[i]!);
  });
  elementwise('Acos', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = acos(x[i]!);
  });
  elementwise('Atan', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = atan(x[i]!);
  });
  elementwise('Sinh', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = sinh(x[i]!);
  });
  elementwise('Cosh', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = cosh(x[i]!);
  });
  elementwise('Asinh', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = asinh(x[i]!);
  });
  elementwise('Acosh', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = acosh(x[i]!);
  });
  elementwise('Atanh', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = atanh(x[i]!);
  });
}

/** The error function. The gamma family is registered when it is first used. */
export function registerSpecialFunctions(): void {
  elementwise('Erf', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = erf(x[i]!);
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

/** Comparisons and logical operations; NaN is unequal to everything. */
export function registerComparisons(): void {
  broadcasting(
    'Equal',
    (a, i, da, b, j, db, y, k, n) => {
      for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! === b[j]! ? 1 : 0;
    },
    'bool',
  );
  broadcasting(
    'NotEqual',
    (a, i, da, b, j, db, y, k, n) => {
      for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! !== b[j]! ? 1 : 0;
    },
    'bool',
  );
  broadcasting(
    'Greater',
    (a, i, da, b, j, db, y, k, n) => {
      for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! > b[j]! ? 1 : 0;
    },
    'bool',
  );
  broadcasting(
    'GreaterEqual',
    (a, i, da, b, j, db, y, k, n) => {
      for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! >= b[j]! ? 1 : 0;
    },
    'bool',
  );
  broadcasting(
    'Less',
    (a, i, da, b, j, db, y, k, n) => {
      for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! < b[j]! ? 1 : 0;
    },
    'bool',
  );
  broadcasting(
    'LessEqual',
    (a, i, da, b, j, db, y, k, n) => {
      for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! <= b[j]! ? 1 : 0;
    },
    'bool',
  );
  broadcasting(
    'LogicalAnd',
    (a, i, da, b, j, db, y, k, n) => {
      for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! && b[j]! ? 1 : 0;
    },
    'bool',
  );
  broadcasting(
    'LogicalOr',
    (a, i, da, b, j, db, y, k, n) => {
      for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! || b[j]! ? 1 : 0;
    },
    'bool',
  );
}

/** Predicates of one number. */
export function registerPredicates(): void {
  elementwise(
    'IsNan',
    (x, y) => {
      for (let i = 0; i < y.length; i++) y[i] = Number.isNaN(x[i]!) ? 1 : 0;
    },
    'bool',
  );
  elementwise(
    'IsFinite',
    (x, y) => {
      for (let i = 0; i < y.length; i++) y[i] = Number.isFinite(x[i]!) ? 1 : 0;
    },
    'bool',
  );
  elementwise(
    'IsInf',
    (x, y) => {
      for (let i = 0; i < y.length; i++) y[i] = Math.abs(x[i]!) === Number.POSITIVE_INFINITY ? 1 : 0;
    },
    'bool',
  );
  elementwise(
    'LogicalNot',
    (x, y) => {
      for (let i = 0; i < y.length; i++) y[i] = x[i]! ? 0 : 1;
    },
    'bool',
  );
}
