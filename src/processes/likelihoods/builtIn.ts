// Every likelihood that comes with the library, under the name by which saved fits find it: one line makes one public and known.
export { bernoulli } from './bernoulli.ts';
export { gaussian } from './gaussian.ts';
export { negativeBinomial } from './negativeBinomial.ts';
export { ordinal } from './ordinal.ts';
export { poisson } from './poisson.ts';
export { studentT } from './studentT.ts';
