// Every distribution of parameters that comes with the library, under the name by which saved fits find it.
export { gamma } from './gamma.ts';
export { halfNormal } from './halfNormal.ts';
export { inverseGamma } from './inverseGamma.ts';
export { logNormal } from './logNormal.ts';
export { normal } from './normal.ts';
