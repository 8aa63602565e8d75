// Every built-in likelihood, under its name in saved fits: one line here makes a likelihood public and known.
export { bernoulli } from './bernoulli.ts';
export { gaussian } from './gaussian.ts';
export { negativeBinomial } from './negativeBinomial.ts';
export { ordinal } from './ordinal.ts';
export { poisson } from './poisson.ts';
export { studentT } from './studentT.ts';
