import { startThreads } from '../../../src/engine/threads.ts';
import { covariance, rbf } from '../../../src/kernels/index.ts';

// Starts threads, uses them, and comes to an end without disposing them.
const threads = await startThreads(2);
const points = Array.from({ length: 300 }, (_, i) => [i / 100]);
const { rows } = threads.run(() => covariance(rbf(), points));
process.stdout.write(`${threads.count} threads, ${rows} rows\n`);
