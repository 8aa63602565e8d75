import { pipeFlow } from '../../src/app/data/index.ts';
import type { FitOptions } from '../../src/inference/index.ts';
import { gplvm } from '../../src/models/index.ts';

/** A fit long enough to be killed in its middle. */
export const killedModel = () => gplvm(pipeFlow({ points: 40, seed: 2 }).observations, { latentDim: 2 });
export const killedOptions: FitOptions = {
  maxIterations: 150,
  seed: 3,
  restarts: 1,
  tolerance: 0,
  relativeDecrease: 0,
  engine: 'wasm',
};
