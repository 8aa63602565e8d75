import { writeFile } from 'node:fs/promises';
import * as lf from 'latentfield';
import { latentPlot } from 'latentfield/plot';

const at = (t: number) => [Math.cos(t / 9), Math.sin(t / 9), t / 60, Math.cos(t / 4)];
const rows = lf.Matrix.from(Array.from({ length: 90 }, (_, t) => at(t)));
const known = Array.from({ length: 90 }, (_, t) => (t % 3 === 0 ? Math.floor(t / 30) : undefined)); // a third is labeled
export const followed = lf.defineModel({
  name: 'followed', // a sequence of rows, some labeled: smooth steps, near neighbors and members of a class near each other
  variables: (data: lf.Matrix) => {
    const field = lf.laplacian(lf.graphUnion(lf.labelGraph(known), lf.knnGraph(data, 5)), { strength: 0.1 });
    const steps = lf.dynamics({ kernel: lf.add(lf.rbf(), lf.white({ variance: lf.fixed(0.1) })) });
    const posterior = lf.backConstrained(lf.mlpMap({ hidden: 10 }));
    const x = lf.latent({ dim: 2, density: steps, factors: field, posterior });
    const density = lf.gaussianProcess({ kernel: lf.rbf(), noise: lf.fixed(0.001) });
    return { x, y: lf.observed(data, { density, given: x }) };
  },
});
const result = await lf.fit(followed(rows), { maxIterations: 200 });
console.log(result.message, result.terms, (await result.project([at(10.5), at(70.5)])).latents.toArrays());
await writeFile('newModel.json', JSON.stringify(result));
await writeFile('newModel.svg', await latentPlot({ latents: result.latents, labels: known.map(String) }));
