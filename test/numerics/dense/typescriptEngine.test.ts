import { typescriptEngine } from '../../../src/numerics/dense/typescriptEngine.ts';
import { engineConformance } from './engineConformance.ts';

engineConformance('plain TypeScript', typescriptEngine);
