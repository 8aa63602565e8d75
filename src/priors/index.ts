export * from './builtIn.ts';
export { definePrior, type Prior, type PriorDefinition, type PriorFactory } from './definePrior.ts';
export { type HiddenMarkovOptions, hiddenMarkov } from './hiddenMarkov.ts';
export { type AnyPriorFactory, type PriorCatalog, priorFromJSON } from './json.ts';
export { type PriorJSON, priorToJSON } from './priorToJson.ts';
export { type SegmentsOptions, type SequenceData, segmentsOf } from './segments.ts';
