import { expect, it } from 'vitest';
import {
  bernoulli,
  defineModel,
  fit,
  gaussianProcess,
  latent,
  linearMap,
  Matrix,
  mapped,
  observed,
  rbf,
  standardNormal,
} from '../../../src/index.ts';

const flags = Matrix.from(Array.from({ length: 8 }, (_, i) => [i % 2, Number(i > 3)]));
const decoded = defineModel({
  name: 'decoded',
  variables: (data: Matrix) => {
    const z = latent({ dim: 1, density: standardNormal() });
    const f = mapped(z, linearMap());
    return { z, f, y: observed(data, { density: bernoulli(), given: f, missing: 'ignore' }) };
  },
});
const processed = defineModel({
  name: 'processed',
  variables: (data: Matrix) => {
    const z = latent({ dim: 1, density: standardNormal() });
    const density = gaussianProcess({ kernel: rbf(), likelihood: bernoulli(), inducing: 4 });
    return { z, y: observed(data, { density, given: z, missing: 'ignore' }) };
  },
});

it.each([
  ['a map', decoded],
  ['a process', processed],
] as const)(
  'observations that a likelihood cannot be of are refused when fitted and when placed, under %s',
  async (_, of) => {
    const odd = Matrix.from([...flags.toArrays(), [Number.NaN, 2]]);
    await expect((async () => fit(of(odd)))()).rejects.toThrow(
      "An observation of likelihood 'bernoulli' is 0 or 1, but row 8, column 1 is 2.",
    );
    const result = await fit(of(flags), { maxIterations: 3 });
    await expect(result.project({ y: [[1, 0.5]] })).rejects.toThrow('is 0 or 1, but row 0, column 1 is 0.5');
    await expect(result.impute({ y: [[Number.NaN, -1]] })).rejects.toThrow('is 0 or 1, but row 0, column 1 is -1');
  },
);
