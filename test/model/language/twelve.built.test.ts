// @module-tag long
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fit } from '../../../src/inference/index.ts';
import { bundledForUsers } from '../../bundled.ts';
import { bitsOf, modelOf, names, optionsOf } from './twelveFits.ts';

const isBuilt = existsSync(new URL('../../../dist/node/app-workers-fitWorker.js', import.meta.url));
const unbuilt = isBuilt ? '' : ' (the library of its workers is not built: npm run build)';

// docs/project/abilities.md says so of each of them.
it.runIf(isBuilt).each(names)(
  `fits of %s are the same bits from a worker with the module of the models${unbuilt}`,
  async (name) => {
    const { batchSize: _, ...unbatched } = optionsOf(name);
    const options = { ...unbatched, maxIterations: 6, restarts: 1 };
    const parts = await bundledForUsers('test/model/language/twelveModels.ts');
    const there = await fit(modelOf(name), { ...options, workers: { count: 1, parts } });
    expect(bitsOf(there)).toBe(bitsOf(await fit(modelOf(name), options)));
  },
);
