import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { standardizationOf, standardized } from '../../src/core/observations.ts';
import { principalComponents } from '../../src/engine/dense/principalComponents.ts';
import { float64Backend } from '../../src/engine/tensors/float64/scope.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import {
  backConstrained,
  defineMap,
  evaluate,
  fit,
  InvalidInputError,
  kernelRegression,
  type LatentMap,
  latentVariableModel,
  linearMap,
  loadFit,
  Matrix,
  mlpMap,
  OptimizationError,
  rbf,
  seededRandom,
  standardNormal,
} from '../../src/index.ts';
import { posteriorFromJSON } from '../../src/latents/json.ts';
import { ridgeRegression } from '../../src/latents/layersMap.ts';
import type { PointRows } from '../../src/model/language/variable.ts';
import { entriesOf, type ParameterValue, real, shapeOf, valueFrom } from '../../src/model/parameter.ts';
import { expectClose } from '../tolerance.ts';
import { latentsOf } from './latentsOf.ts';

const random = seededRandom(5);
const N = 24;
/** A noisy curve in 5 dimensions. */
const Y = Array.from({ length: N }, (_, i) => {
  const t = (3 * i) / N;
  return [Math.cos(t), Math.sin(t), t, t * t - 3, Math.cos(2 * t)].map((entry) => entry + 0.05 * random.normal());
});
const newY = Y.slice(0, 7).map((row) => row.map((entry) => entry + 0.1));

const features = defineMap({
  name: 'scaledFeatures',
  parameters: ({ latentDim }) => ({
    slope: real(Array<number>(latentDim).fill(1)),
    shift: real(Array<number>(latentDim).fill(0.1)),
  }),
  apply: (p, observations) =>
    op.tanh(op.add(op.mul(op.slice(observations, [0, 0], [-1, p.slope.size]), p.slope), p.shift)),
});

const maps: [string, LatentMap][] = [
  ['linear', linearMap()],
  ['kernel regression', kernelRegression({ gamma: 0.4 })],
  ['perceptron', mlpMap({ hidden: 5 })],
  ['one of the user’s own', features()],
];

/** ‖F‖²/columns, of which `ridgeRegression` takes the ridge as a part. */
const meanSquareLength = (F: Matrix) => F.data.reduce((sum, entry) => sum + entry * entry, 0) / F.columns;

const modelWith = (map: LatentMap, init?: number[][]) =>
  latentVariableModel({
    observations: Y,
    latentDim: 2,
    posterior: backConstrained(map, init === undefined ? {} : { init }),
    kernel: rbf(),
    noise: 0.05,
    priors: [standardNormal()],
  });

describe.each(maps)('%s', (_, map) => {
  it("has the gradients of differences, in values and in the solver's variables", () => {
    const model = modelWith(map);
    const centered = standardized(Matrix.from(Y), standardizationOf(Matrix.from(Y), true, false));
    const parameters = Object.entries(backConstrained(map).parameters(centered, 2, 0));
    // Away from the start, at which a shift of all latents changes next to nothing.
    const moved = parameters.map(([path, { initial }]): [string, ParameterValue] => [
      path,
      valueFrom(
        entriesOf(initial).map((entry, i) => 1.05 * entry + 0.2 * Math.sin(i + 1)),
        shapeOf(initial),
      ),
    ]);
    const { memory64 } = float64Backend();
    const before = [tf.memory().numTensors, memory64.liveBlocks];
    const at = Object.fromEntries(moved) as Record<string, number[] | Matrix>;
    const { gradients } = evaluate(model, at);
    expect([tf.memory().numTensors, memory64.liveBlocks]).toEqual(before);
    for (const [path, value] of moved) {
      const start = entriesOf(value);
      const scale = Math.max(...start.map(Math.abs));
      const along = (direction: Float64Array, step: number) => {
        const entries = start.map((entry, i) => entry + step * direction[i]!);
        return evaluate(model, { ...at, [path]: valueFrom(entries, shapeOf(value)) as Matrix }).objective;
      };
      const gradient = entriesOf(gradients[path]!);
      const expected: number[] = [];
      const got: number[] = [];
      // Five random directions: entries of kernel weights are too badly scaled for steps one at a time.
      for (let k = 0; k < 5; k++) {
        const direction = start.map(() => scale * random.normal());
        const h = 2e-4;
        const odd = (n: number) => along(direction, n * h) - along(direction, -n * h);
        expected.push((45 * odd(1) - 9 * odd(2) + odd(3)) / (60 * h));
        got.push(gradient.reduce((sum, entry, i) => sum + entry * direction[i]!, 0));
      }
      expectClose(got, expected, 1e-8, path);
    }
  });

  it('gives one observation the latents it has among the others, and survives JSON bit for bit', async () => {
    const result = await fit(modelWith(map), { maxIterations: 15, seed: 2 });
    expect(result.trace.at(-1)!.objective).toBeGreaterThan(result.trace[0]!.objective);
    const own = map === maps[3]![1] ? { maps: { scaledFeatures: features } } : {};
    const json = JSON.parse(JSON.stringify(result));
    const again = loadFit(json, own);
    expect(again.latents).toEqual(result.latents);
    expect(again.predict(result.latents)).toEqual(result.predict(result.latents));
    const latents = posteriorFromJSON(json.model.latents, own.maps) as PointRows;
    const values = Object.fromEntries(
      Object.entries(json.values as Record<string, number[] | number[][]>).map(([path, value]) => [
        path,
        Array.isArray(value[0]) ? Matrix.from(value as number[][]) : (value as number[]),
      ]),
    );
    const seen = standardizationOf(Matrix.from(Y), true, false);
    const training = standardized(Matrix.from(Y), seen);
    expectClose(latentsOf(latents, values, training, training), result.latents, 0);
    expectClose(
      latentsOf(latents, values, Matrix.from([Array.from(training.row(4))]), training),
      result.latents.row(4),
      1e-13,
    );
    const projected = latentsOf(latents, values, standardized(Matrix.from(newY), seen), training);
    expect([projected.rows, projected.columns]).toEqual([7, 2]);
  });
});

describe('the start of a map', () => {
  const components = () => {
    const scores = principalComponents(Matrix.from(Y), 2);
    return standardized(scores, standardizationOf(scores, true, true));
  };
  const startOf = async (map: LatentMap, init?: number[][], seed = 0) =>
    (await fit(modelWith(map, init), { maxIterations: 0, seed })).latents;

  it('is fitted to the principal components: exactly where the map can', async () => {
    expectClose(await startOf(linearMap()), components(), 1e-8, 'linear');
    expectClose(await startOf(mlpMap({ hidden: 20 })), components(), 1e-2, 'perceptron');
    // Kernel ridge regression: (K + 10⁻⁶·I)B is the target, so that KB misses it by 10⁻⁶·B.
    const { latents, parameters } = await fit(modelWith(kernelRegression()), { maxIterations: 0 });
    const B = (parameters['latents.weights'] as Matrix).data;
    expectClose(
      latents.data.map((x, i) => x + 1e-6 * B[i]!),
      components(),
      1e-9,
      'kernel regression',
    );
    expectClose(latents, components(), 1e-3, 'kernel regression');
  });

  it('is fitted to a matrix as it is', async () => {
    const circle = Y.map((_, i) => [3 * Math.cos(i / 4), 3 * Math.sin(i / 4)]);
    expectClose(await startOf(kernelRegression({ gamma: 5 }), circle), circle, 1e-4);
  });

  it('of a map that does not read it is the ridge regression on its parameters', async () => {
    const own = (overrides = {}) =>
      defineMap({
        name: 'ownLinear',
        parameters: { weights: real(Matrix.zeros(5, 2)), shift: real([0, 0]) },
        apply: (p, observations) => op.add(op.matMul(observations, p.weights), p.shift),
      })(overrides);
    const seen = standardized(Matrix.from(Y), standardizationOf(Matrix.from(Y), true, false));
    const withShift = Matrix.from(seen.toArrays().map((row) => [...row, 1]));
    const expected = ridgeRegression(withShift, components(), (N * 1e-6) / meanSquareLength(withShift));
    const { parameters } = await fit(modelWith(own()), { maxIterations: 0 });
    expectClose(
      [...entriesOf(parameters['latents.weights']!), ...entriesOf(parameters['latents.shift']!)],
      expected,
      1e-4,
    );
    // What the user gives stays where it was put.
    const held = await fit(modelWith(own({ shift: real([1, 2]) })), { maxIterations: 0 });
    expect(Array.from(entriesOf(held.parameters['latents.shift']!))).toEqual([1, 2]);
  });

  it('of a perceptron depends on the seed, and on nothing else', async () => {
    const map = mlpMap({ hidden: 3 });
    expect(await startOf(map, undefined, 1)).toEqual(await startOf(map, undefined, 1));
    expect(await startOf(map, undefined, 1)).not.toEqual(await startOf(map, undefined, 2));
  });

  it('of a linear map with more features than points is the least of the exact ones', async () => {
    const wide = Array.from({ length: 4 }, () => Array.from({ length: 9 }, () => random.normal()));
    const init = [
      [1, 0],
      [0, 2],
      [-1, 1],
      [0.5, 0.5],
    ];
    const model = latentVariableModel({
      observations: wide,
      latentDim: 2,
      posterior: backConstrained(linearMap(), { init }),
      kernel: rbf(),
      center: false,
    });
    expectClose((await fit(model, { maxIterations: 0 })).latents, init, 1e-8);
  });

  it('by default takes the scale of the data: a change of units changes nothing', async () => {
    const scaled = latentVariableModel({
      observations: Y.map((row) => row.map((entry) => 1000 * entry)),
      latentDim: 2,
      posterior: backConstrained(kernelRegression()),
      kernel: rbf(),
    });
    expectClose((await fit(scaled, { maxIterations: 0 })).latents, await startOf(kernelRegression()), 1e-6);
  });
});

describe('whitened coefficients', () => {
  it('carry values and gradients between B and Z with KB = QΛ^½Z', () => {
    const training = standardized(Matrix.from(Y), standardizationOf(Matrix.from(Y), true, false));
    const latents = backConstrained(kernelRegression({ gamma: 0.4 }));
    const { transform, initial } = latents.parameters(training, 2, 0)['latents.weights']!;
    const B = (initial as Matrix).data;
    const Z = transform!.toUnconstrained(B);
    expectClose(transform!.toNatural(Z), B, 1e-9, 'there and back');
    // ‖Z‖² = tr(BᵀKB): the norm of the map in the kernel's own space.
    const K = latents.features(training, training);
    let norm = 0;
    for (let i = 0; i < N; i++) {
      for (let j = 0; j < N; j++) {
        for (let d = 0; d < 2; d++) norm += B[i * 2 + d]! * K.at(i, j) * B[j * 2 + d]!;
      }
    }
    expectClose(
      Z.reduce((sum, entry) => sum + entry * entry, 0),
      norm,
      1e-6,
    );
    // The transform is linear, so that ⟨g, T·U⟩ = ⟨Tᵀg, U⟩ for any g and U.
    const g = Float64Array.from(Z, () => random.normal());
    const U = Float64Array.from(Z, () => random.normal());
    const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, entry, i) => sum + entry * b[i]!, 0);
    expectClose(dot(transform!.pullBack(g, B, Z), U), dot(g, transform!.toNatural(U)), 1e-12);
  });
});

describe('bad input is refused with a sentence', () => {
  const wrongRows = defineMap({
    name: 'oneRow',
    parameters: { a: 1 },
    apply: (p) => op.reshape(op.mul(p.a, op.ones([2])), [1, 2]),
  });
  const refused: [string, () => unknown, RegExp][] = [
    ['a factory', () => backConstrained(linearMap as never), /Call the factory: linearMap\(\), not linearMap/],
    ['a name', () => backConstrained('kernel' as never), /takes a map, .* the string 'kernel' was given/],
    ['gamma of 0', () => kernelRegression({ gamma: 0 }), /'gamma' of kernelRegression must be a number above 0, but 0/],
    ['no hidden unit', () => mlpMap({ hidden: 0 }), /whole number from 1, but 0/],
    ['a misspelled option', () => mlpMap({ hiden: 3 } as object), /Did you mean 'hidden'/],
    [
      'a parameter that is not there',
      () => evaluate(modelWith(linearMap({ weight: 1 } as object))),
      /Map 'linear' has no parameter 'weight'/,
    ],
    ['a start of another shape', () => evaluate(modelWith(linearMap(), [[1, 2]])), /init must be 24×2/],
    [
      'weights of another shape',
      () => evaluate(modelWith(linearMap()), { 'latents.weights': [[1, 2]] }),
      /has shape \[5, 2\]/,
    ],
    [
      'latents of too few rows',
      () => evaluate(modelWith(wrongRows())),
      /one row of latents for each of 24 observations, .*\[1,2\]/,
    ],
    ['two words', () => defineMap({ name: 'my map', parameters: {}, apply: (_, x) => x }), /one word/],
    [
      'a map that is not known',
      () => posteriorFromJSON({ name: 'backConstrained', map: { name: 'liner' } }),
      /Did you mean 'linear'/,
    ],
    [
      'latents that are not known',
      () => posteriorFromJSON({ name: 'variational' }),
      /no latents 'variational'\. Known are free, fixedAt, backConstrained/,
    ],
  ];
  it.each(refused)('%s', (_, work, message) => {
    expect(work).toThrow(InvalidInputError);
    expect(work).toThrow(message);
  });

  it('a parameter of a map that takes no part is named', async () => {
    const idle = defineMap({
      name: 'idle',
      parameters: { used: 1, unused: 1 },
      apply: (p, observations) => op.mul(p.used, op.slice(observations, [0, 0], [-1, 2])),
    });
    await expect(fit(modelWith(idle()))).rejects.toThrow(OptimizationError);
    await expect(fit(modelWith(idle()))).rejects.toThrow(/'latents.unused'/);
  });
});
