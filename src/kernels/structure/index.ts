export { type Basis, type Features, featuresOf, symmetricBasisOf } from './finiteRank.ts';
export { type RadialSumNames, type RadialTerms, radialSumOf, radialTerms } from './radial.ts';
export { type Gram, gramOf, type NoisyGram, noisyGram, whiteOf } from './sums.ts';
