import { fit, gplvm } from 'latentfield';
import { pipeFlow } from 'latentfield/data';

const { observations } = pipeFlow({ points: 60, seed: 1 }); // 60 rows of 12 columns
const result = await fit(gplvm(observations, { latentDim: 2 }), { seed: 1 });
console.log(result.status, result.objective.toFixed(1));

const [x1, x2] = result.latents.row(0); // where the first row lies
const { mean, variance } = result.predict([[0, 0]], { noise: true }); // a row at the origin of the map
console.log(`(${x1!.toFixed(2)}, ${x2!.toFixed(2)})`);
console.log(`${mean.at(0, 0).toFixed(2)} ± ${Math.sqrt(variance.at(0, 0)).toFixed(2)}`);
