import { typescriptEngine } from '../../../src/core/linalg/typescriptEngine.ts';
import { engineConformance } from './engineConformance.ts';

engineConformance('plain TypeScript', typescriptEngine);
