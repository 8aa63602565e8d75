// Every built-in density entry by entry, under its name in saved fits: one line here makes it public and known, as a likelihood and as a prior on parameters.
export { bernoulli } from './bernoulli.ts';
export { categorical } from './categorical.ts';
export { negativeBinomial, poisson } from './counts.ts';
export { beta, gamma, halfNormal, inverseGamma, logNormal, normal, studentT } from './families.ts';
export { gaussian } from './gaussian.ts';
export { ordinal } from './ordinal.ts';
