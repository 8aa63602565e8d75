import { typescriptEngine } from '../../../src/numerics/typescript/typescriptEngine.ts';
import { engineConformance } from './engineConformance.ts';

engineConformance('plain TypeScript', typescriptEngine);
