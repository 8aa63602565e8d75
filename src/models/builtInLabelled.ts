// Every model that comes with the library and is made from observations and labels: see builtIn.ts.
export { type DgplvmOptions, dgplvm } from './gp/dgplvm.ts';
export { type GplrfOptions, gplrf } from './gp/gplrf.ts';
