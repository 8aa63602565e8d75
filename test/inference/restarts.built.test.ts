// @module-tag long
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { InvalidInputError } from '../../src/core/errors.ts';
import { fit } from '../../src/inference/index.ts';
import { gplvm } from '../../src/models/index.ts';

const isBuilt = existsSync(new URL('../../dist/node/app-workers-fitWorker.js', import.meta.url));
const unbuilt = isBuilt ? '' : ' (the library of the workers is not built: npm run build)';

it.runIf(isBuilt)(`workers report which module of parts cannot be loaded${unbuilt}`, async () => {
  const { observations } = pipeFlow({ points: 12, seed: 1 });
  const workers = { count: 1, parts: './absent.mjs' };
  const absent = fit(gplvm(observations, { latentDim: 2 }), { maxIterations: 3, restarts: 1, seed: 1, workers });
  await expect(absent).rejects.toThrow(InvalidInputError);
  await expect(absent).rejects.toThrow(/in a worker: The parts in '\.\/absent\.mjs' cannot be loaded: .*absent\.mjs/);
});
