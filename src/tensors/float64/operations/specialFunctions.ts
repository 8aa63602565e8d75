import { erf } from '../../../numerics/special/erf.ts';
import { elementwise } from './elementwise.ts';

/** The error function. The gamma family is registered where it is first asked for. */
export function registerSpecialFunctions(): void {
  elementwise('Erf', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = erf(x[i]!);
  });
}
