import { fit } from '../../../src/inference/index.ts';
import { killedModel, killedOptions } from '../killedFit.ts';

// A fit that saves itself after every iteration, for a test to kill; the argument is the file of its checkpoint.
await fit(killedModel(), { ...killedOptions, checkpoint: process.argv[2]!, checkpointInterval: 0 });
process.stdout.write('ended\n');
