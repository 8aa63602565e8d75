import { broadcasting } from './broadcast.ts';
import { elementwise } from './operation.ts';

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
