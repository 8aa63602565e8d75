// A fit that saves itself after every iteration, for a test to kill: node killedFit.mjs CHECKPOINT
import './register.mjs';

const { fit } = await import('../../../src/inference/index.ts');
const { killedModel, killedOptions } = await import('../killedFit.ts');
await fit(killedModel(), { ...killedOptions, checkpoint: process.argv[2], checkpointInterval: 0 });
process.stdout.write('ended\n');
