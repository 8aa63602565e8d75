export type { EngineName, EngineReport, LinearAlgebraEngine, Strided, Triangles } from '../operations/linearAlgebra.ts';
export { typescriptEngine } from '../typescript/typescriptEngine.ts';
export {
  compiledKernels,
  type EngineChoice,
  engineChoice,
  engineReport,
  fusedOperations,
  linearAlgebra,
  withEngine,
} from './activeEngine.ts';
