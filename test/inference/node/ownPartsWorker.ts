import { serveFits } from '../../../src/app/workers/index.ts';
import { cauchy } from '../ownKernel.ts';

await serveFits({ kernels: { cauchy } });
