export { Float64Memory } from '../../memory.ts';
export { FLOAT64, Float64Backend, type NumericType, type Values } from './backend.ts';
export { float64Backend, withFloat64 } from './scope.ts';
