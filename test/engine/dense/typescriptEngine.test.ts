import { typescriptEngine } from '../../../src/engine/typescript/typescriptEngine.ts';
import { engineConformance } from './engineConformance.ts';

engineConformance('plain TypeScript', typescriptEngine);
