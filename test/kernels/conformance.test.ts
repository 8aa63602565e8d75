import * as fc from 'fast-check';
import { describe, it } from 'vitest';
import { checkKernel } from '../../src/testing/index.ts';
import { COLUMNS, kernelTree, leaf } from './kernelTrees.ts';

const options = { dimensions: [COLUMNS], points: 5, entries: 3 };

describe('kernels conform', () => {
  for (const numRuns of [12, 60])
    it(`alone, at ${numRuns} random parameter values`, { tags: numRuns > 12 ? 'long' : [] }, () => {
      fc.assert(
        fc.property(leaf(COLUMNS), (kernel) => void checkKernel(kernel, options)),
        { numRuns, seed: 1 },
      );
    });

  it('in sums, products, scales and choices of columns', { tags: 'long' }, () => {
    fc.assert(
      fc.property(kernelTree, (kernel) => void checkKernel(kernel, options)),
      { numRuns: 60, seed: 2 },
    );
  });
});
