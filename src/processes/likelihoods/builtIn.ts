// Every built-in likelihood, under its name in saved fits: one line here makes a likelihood public and known.
export { bernoulli } from './bernoulli.ts';
export { negativeBinomial, poisson } from './counts.ts';
export { gaussian } from './gaussian.ts';
export { ordinal } from './ordinal.ts';
export { studentT } from './studentT.ts';
