import { fit, gplvm, knnGraph, loadFit, seededRandom } from 'latentfield';
import * as op from 'latentfield/ops';
import { expect, it } from 'vitest';
import { momentField } from '../../src/fields/embedding/fieldEmbedding.ts';
import { definePrior } from '../../src/priors/definePrior.ts';

const { normal } = seededRandom(3);
const Y = Array.from({ length: 12 }, () => Array.from({ length: 4 }, () => normal()));
const graph = knnGraph(Y, 3);

it('the field of a layer is computed once at the end of a fit, for its violation, and later on request', async () => {
  let count = 0;
  const counted = definePrior({
    name: 'counted',
    parameters: {},
    logDensity: (_, X) => op.mul(-0.5, op.sum(op.square(X))),
    field: {
      learned: () => {
        count++;
        return momentField(graph, {
          diagonal: new Float64Array(12).fill(2),
          edges: new Float64Array(graph.sources.length).fill(-0.1),
        });
      },
    },
  });
  const made = await fit(gplvm(Y, { latentDim: 2, priors: [counted()] }), { maxIterations: 2 });
  expect(count).toBe(1);
  const loaded = loadFit(JSON.parse(JSON.stringify(made)), { priors: { counted } });
  expect(loaded.predict!(made.latents).mean.rows).toBe(12);
  expect(count).toBe(1);
  expect(Array.from(loaded.graph!.weights)).toEqual(Array.from(graph.sources, () => 0.1));
  expect(loaded.precision!().at(0, 0)).toBe(2);
  expect(loaded.covariance!().rows).toBe(12);
  expect(count).toBe(2);
});
