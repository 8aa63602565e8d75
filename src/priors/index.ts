export { definePrior, type Prior, type PriorContext, type PriorDefinition, type PriorFactory } from './definePrior.ts';
export { builtInPriors, type PriorCatalogue, type PriorJSON, priorFromJSON, priorToJSON } from './json.ts';
export { standardNormal } from './standardNormal.ts';
