import './register.mjs';

const { serveFits } = await import('../../../src/workers/index.ts');
const { cauchy } = await import('../ownKernel.ts');
await serveFits({ kernels: { cauchy } });
