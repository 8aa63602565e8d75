import { serveFits } from '../../../src/workers/index.ts';
import { cauchy } from '../ownKernel.ts';

await serveFits({ kernels: { cauchy } });
