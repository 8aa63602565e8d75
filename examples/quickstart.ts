import { add, bias, fit, gplvm, rbf } from 'latentfield';
import { pipeFlow } from 'latentfield/data';

const { observations } = pipeFlow({ points: 100, seed: 1 });
const model = gplvm(observations, { latentDim: 2, kernel: add(rbf(), bias()), priors: [] });
const result = await fit(model, { maxIterations: 100, seed: 1 });

console.log(result.message, result.objective);
console.log(result.latents.row(0)); // where the first point lies
console.log(result.predict([[0, 0]]).mean.toArrays()); // what is observed at the origin
