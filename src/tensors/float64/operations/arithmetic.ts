import { atan2, pow } from '../../../core/elementary/index.ts';
import type { TensorInfo } from '../../tensorflow.ts';
import { broadcasting } from './broadcast.ts';
import { kernel, typeOf } from './operation.ts';

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
