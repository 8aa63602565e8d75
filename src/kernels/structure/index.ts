export { type Features, featuresOf } from './features.ts';
export { type NoisyGram, noisyGram } from './noisyGram.ts';
export { type Basis, symmetricBasisOf } from './symmetricBasis.ts';
export { whiteOf } from './whiteOf.ts';
