export {
  ENGINE_CHOICES,
  type EngineChoice,
  fusedOperations,
  linearAlgebra,
  useLinearAlgebra,
  withEngine,
} from './activeEngine.ts';
export type { EngineName, LinearAlgebraEngine, Strided } from './engine.ts';
export { typescriptEngine } from './typescriptEngine.ts';
