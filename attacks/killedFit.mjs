// A fit with a checkpoint in a file, to be killed: `node attacks/killedFit.mjs FILE` continues from the file where there is one.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fit, gplvm } from 'latentfield';
import { pipeFlow } from 'latentfield/data';

export const killedModel = () => gplvm(pipeFlow({ points: 40, seed: 2 }).observations, { latentDim: 2 });
export const killedOptions = {
  maxIterations: 400,
  seed: 3,
  tolerance: 0,
  relativeDecrease: 0,
  engine: 'wasm',
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [path] = process.argv.slice(2);
  const { seed: _, ...rest } = killedOptions;
  const begun = existsSync(path) ? { ...rest, resume: path } : killedOptions;
  let isTold = false;
  await fit(killedModel(), {
    ...begun,
    checkpoint: path,
    checkpointInterval: 0,
    onProgress: () => {
      if (!isTold) process.stdout.write('.');
      isTold = true;
    },
  });
}
