export { linearAlgebra, useLinearAlgebra } from './activeEngine.ts';
export type { EngineName, LinearAlgebraEngine, Strided } from './engine.ts';
export { typescriptEngine } from './typescriptEngine.ts';
