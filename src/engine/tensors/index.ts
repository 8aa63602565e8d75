export type { Float64Backend, NumericType, Values } from './float64/backend.ts';
export { withFloat64 } from './float64/scope.ts';
