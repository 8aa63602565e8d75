// Every model that comes with the library and is made from observations and labels: see builtIn.ts.
export { type DgplvmOptions, dgplvm } from './gp/dgplvm.ts';
export { type GplrfOptions, gplrf } from './gp/gplrf.ts';
export { type KernelLdaOptions, kernelLda } from './spectral/kernelLda.ts';
export { type LdaOptions, lda } from './spectral/lda.ts';
export { type SlppOptions, slpp } from './spectral/lpp.ts';
