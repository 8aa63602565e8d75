import './register.mjs';

await import('../../../src/workers/fitWorker.ts');
