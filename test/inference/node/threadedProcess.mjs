// Starts threads, uses them, and comes to an end without disposing them: node threadedProcess.mjs
import './register.mjs';

const { startThreads } = await import('../../../src/numerics/threads.ts');
const { covariance, rbf } = await import('../../../src/kernels/index.ts');
const threads = await startThreads(2);
const points = Array.from({ length: 300 }, (_, i) => [i / 100]);
const { rows } = threads.run(() => covariance(rbf(), points));
process.stdout.write(`${threads.count} threads, ${rows} rows\n`);
