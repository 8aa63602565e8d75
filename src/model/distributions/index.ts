export { gamma } from './gamma.ts';
export { halfNormal } from './halfNormal.ts';
export { inverseGamma } from './inverseGamma.ts';
export { logNormal } from './logNormal.ts';
export { normal } from './normal.ts';
export type { ParameterPrior, ParameterPriorFactory, PriorPlace } from './parameterPrior.ts';
