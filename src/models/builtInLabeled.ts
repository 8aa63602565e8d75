// Every model that comes with the library and is made from observations and labels: see builtIn.ts.
export { type DgplvmOptions, dgplvm, type GplrfOptions, gplrf } from './gp/labeledGplvm.ts';
export { type KernelLdaOptions, kernelLda } from './spectral/kernelLda.ts';
export { type LdaOptions, lda } from './spectral/lda.ts';
export { type SlppOptions, slpp } from './spectral/lpp.ts';
