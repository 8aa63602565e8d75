import { broadcasting } from './broadcast.ts';

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
