import { writeFile } from 'node:fs/promises';
import * as lf from 'latentfield';
import { latentPlot } from 'latentfield/plot';

const at = (t: number) => [Math.cos(t / 9), Math.sin(t / 9), t / 60, Math.cos(t / 4)];
const observations = Array.from({ length: 90 }, (_, t) => at(t));
const known = observations.map((_, t) => (t % 3 === 0 ? Math.floor(t / 30) : undefined)); // a third is labelled
const field = lf.laplacian(lf.graphUnion(lf.labelGraph(known), lf.knnGraph(observations, 5)), { strength: 0.1 });
const steps = lf.dynamics({ kernel: lf.add(lf.rbf(), lf.white({ variance: lf.fixed(0.1) })) });
const [kernel, latents] = [lf.thinPlateSpline(), lf.backConstrained(lf.mlpMap({ hidden: 10 }))];
const model = lf.latentVariableModel({ observations, latentDim: 2, kernel, latents, priors: [field, steps] });
const result = await lf.fit(model, { maxIterations: 200 });
console.log(result.message, result.terms, (await result.project([at(10.5), at(70.5)])).latents.toArrays());
await writeFile('newModel.json', JSON.stringify(result));
await writeFile('newModel.svg', await latentPlot({ latents: result.latents, labels: known.map(String) }));
