import { serveFits } from '../../../src/app/workers/serveFits.ts';
import { twelve } from './twelveModels.ts';

await serveFits({ models: twelve });
