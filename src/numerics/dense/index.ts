export {
  compiledKernels,
  type EngineChoice,
  engineChoice,
  engineReport,
  fusedOperations,
  linearAlgebra,
  withEngine,
} from './activeEngine.ts';
export type { EngineName, EngineReport, LinearAlgebraEngine, Strided, Triangles } from './engine.ts';
export { typescriptEngine } from './typescriptEngine.ts';
