import { elementwise } from './elementwise.ts';

/** Functions of one number that are true or false. */
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
