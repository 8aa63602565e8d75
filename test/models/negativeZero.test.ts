import { expect, it } from 'vitest';
import { fit, gplvm, loadFit, Matrix, pca } from '../../src/index.ts';

const Y = [
  [0, 1, -0],
  [2, -0, 1],
  [-0, 3, 2],
  [1, 1, -3],
];

it('a fit that begins at −0 has the same bits after JSON: latents, parameters, objective and predictions', async () => {
  const init = Matrix.from([
    [-0, 1],
    [1, -0],
    [-0, -0],
    [2, 1],
  ]);
  for (const model of [gplvm(Y, { latentDim: 2, init }), gplvm(Y, { latentDim: 2 }), pca(Y, { latentDim: 2 })]) {
    const result = await fit(model, { maxIterations: 0 });
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    // toEqual tells −0 from 0.
    expect(again.latents).toEqual(result.latents);
    expect(again.parameters).toEqual(result.parameters);
    expect([again.objective, again.terms, again.trace]).toEqual([result.objective, result.terms, result.trace]);
    const at = [[0.3, -0.2]];
    if ('predict' in result) {
      expect((again as typeof result).predict!(at)).toEqual(result.predict!(at));
    }
  }
});
