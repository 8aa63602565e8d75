import { serveFits } from '../../../src/workers/serveFits.ts';
import { twelve } from './twelveModels.ts';

await serveFits({ models: twelve });
