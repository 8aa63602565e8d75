export * from './builtIn.ts';
export {
  definePrior,
  type GivenContext,
  type Prior,
  type PriorContext,
  type PriorDefinition,
  type PriorFactory,
  type PriorHessian,
  type SavedParts,
  type Transition,
} from './definePrior.ts';
export { type AnyPriorFactory, type PriorCatalog, priorFromJSON } from './json.ts';
export { type PriorJSON, priorToJSON } from './priorToJson.ts';
export { type SegmentsOptions, type SequenceData, segmentsOf } from './segments.ts';
