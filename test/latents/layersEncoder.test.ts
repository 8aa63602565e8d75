import * as tf from '@tensorflow/tfjs';
import { backConstrained, evaluate, fit, gplvm, layersMap, loadFit } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/core/random.ts';
import { logDensity } from '../../src/model/objective.ts';
import { entriesOf } from '../../src/model/parameter.ts';
import { layOut } from '../../src/model/variables.ts';
import { expectClose } from '../tolerance.ts';

const random = seededRandom(3);
const Y = Array.from({ length: 20 }, (_, i) => {
  const t = i / 4;
  return [Math.cos(t), Math.sin(t), t / 2, Math.cos(2 * t)].map((entry) => entry + 0.05 * random.normal());
});

const { dense, batchNormalization, dropout } = tf.layers;
const glorot = (seed: number) => tf.initializers.glorotUniform({ seed });
const networks: Record<string, () => tf.Sequential> = {
  'one hidden layer of tanh': () =>
    tf.sequential({
      layers: [
        dense({ inputShape: [4], units: 6, activation: 'tanh', kernelInitializer: glorot(1) }),
        dense({ units: 2, kernelInitializer: glorot(2) }),
      ],
    }),
  'relu, batch normalization, dropout, elu and softplus': () =>
    tf.sequential({
      layers: [
        dense({ inputShape: [4], units: 8, activation: 'relu', kernelInitializer: glorot(3) }),
        batchNormalization({ epsilon: 1e-3 }),
        dropout({ rate: 0.5, seed: 4 }),
        dense({ units: 6, activation: 'elu', kernelInitializer: glorot(5) }),
        dense({ units: 5, activation: 'softplus', kernelInitializer: glorot(6) }),
        dense({ units: 2, kernelInitializer: glorot(7) }),
      ],
    }),
};

describe.each(Object.entries(networks))('an encoder of %s', (_, build) => {
  const layers = layersMap('layers', build());
  const map = layers();
  const model = gplvm(Y, { latentDim: 2, posterior: backConstrained(map) });

  it('has the gradients of differences in every layer', () => {
    const assembly = model.assemble(0);
    const layout = layOut(assembly.parameters);
    // Away from the start, at which a shift of all latents changes next to nothing.
    const values = layout.variables.map(({ path, parameter }) => {
      const start = entriesOf(parameter.initial);
      return path.startsWith('latents.') ? start.map((entry, i) => 1.05 * entry + 0.2 * Math.sin(i + 1)) : start;
    });
    const { gradients } = logDensity(assembly, layout, values);
    const weights = layout.variables.flatMap(({ path, start }, k) =>
      /^latents\./.test(path) && start >= 0 ? [k] : [],
    );
    expect(weights.length).toBeGreaterThan(3);
    for (const k of weights) {
      const direction = values[k]!.map(() => random.normal());
      const along = (step: number) => {
        const moved = values.map((value, j) =>
          j === k ? value.map((entry, i) => entry + step * direction[i]!) : value,
        );
        return logDensity(assembly, layout, moved, { differentiated: false }).value;
      };
      const odd = (n: number) => along(n * 1e-4) - along(-n * 1e-4);
      const gradient = gradients[k]!;
      const got = gradient.reduce((sum, entry, i) => sum + entry * direction[i]!, 0);
      const scale = Math.hypot(...gradient) * Math.hypot(...direction);
      const expected = (45 * odd(1) - 9 * odd(2) + odd(3)) / 6e-3;
      expect(Math.abs(got - expected), layout.variables[k]!.path).toBeLessThan(1e-8 * scale);
    }
    assembly.dispose();
  });

  it('fits, projects new rows at once, and is loaded bit for bit', async () => {
    const tensors = tf.memory().numTensors;
    const result = await fit(model, { maxIterations: 20 });
    expect(tf.memory().numTensors).toBe(tensors);
    expect(result.objective).toBeGreaterThan(evaluate(model).objective);
    const again = loadFit(JSON.parse(JSON.stringify(result)), { maps: { layers } });
    expect(again.latents).toEqual(result.latents);
    expect(again.predict(result.latents)).toEqual(result.predict(result.latents));
  });
});

it('the start of a network is fitted to the start of the latents', async () => {
  const one = networks['one hidden layer of tanh']!;
  const principal = (await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 0 })).latents;
  const model = gplvm(Y, { latentDim: 2, posterior: backConstrained(layersMap('layers', one())()) });
  expectClose((await fit(model, { maxIterations: 0 })).latents, principal, 1e-2);
});
