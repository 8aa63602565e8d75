export * from './builtIn.ts';
export type { DistributionCatalog } from './catalog.ts';
export { type DistributionDefinition, type DistributionFactory, defineDistribution } from './defineDistribution.ts';
export type { ParameterPriorFactory } from './distribution.ts';
export type { DistributionValue, ParameterPrior, PriorPlace, SummedDensity, ValueEntries } from './parameterPrior.ts';
