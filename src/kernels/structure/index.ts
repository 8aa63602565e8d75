export { type Features, featuresOf } from './features.ts';
export { type Gram, gramOf, type NoisyGram, noisyGram } from './noisyGram.ts';
export { type RadialSumNames, radialSumOf } from './radialSum.ts';
export { type RadialTerms, radialTerms } from './radialTerms.ts';
export { type Basis, symmetricBasisOf } from './symmetricBasis.ts';
export { whiteOf } from './whiteOf.ts';
