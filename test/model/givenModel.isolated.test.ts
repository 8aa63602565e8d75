import { expect, it, vi } from 'vitest';
import * as library from '../everything.ts';

it('a model of another copy of the library is refused by name, by every function of a model', async () => {
  vi.resetModules();
  const other: typeof library = await import('../everything.ts');
  expect(other.fit).not.toBe(library.fit);
  const Y = [
    [0.1, 0.7, 1],
    [1.2, 0.3, 0],
    [0.4, 0.9, 2],
    [1.9, 1.1, 1],
  ];
  const model = other.gplvm(Y, { latentDim: 1 });
  const refusal = (caller: string) =>
    `${caller} was given the model 'gplvm' of another copy of latentfield. Import the model and ${caller} from the same copy`;
  await expect(library.fit(model)).rejects.toThrow(refusal('fit'));
  expect(() => library.evaluate(model)).toThrow(refusal('evaluate'));
  expect(() => library.logDensityOf(model)).toThrow(refusal('logDensityOf'));
  // A model whose search is its own is made of another.
  await expect(library.fit(other.bayesianGplvm(Y, { latentDim: 1 }))).rejects.toThrow(
    /'bayesianGplvm' of another copy/,
  );
  await expect(library.fit(other.pca(Y, { latentDim: 1 }))).rejects.toThrow(library.InvalidInputError);
});
