import {
  defineMap,
  defineModel,
  embedded,
  evaluate,
  fit,
  gaussianProcess,
  gplvm,
  InvalidInputError,
  knnGraph,
  latent,
  loadFit,
  Matrix,
  mapped,
  OptimizationError,
  observed,
  positive,
  rbf,
} from 'latentfield';
import { defineFieldLayer } from 'latentfield/fields';
import { symmetricEigenpairs, topEigenpairs } from 'latentfield/numerics';
import * as op from 'latentfield/ops';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { serveRuns } from '../../src/inference/workers/serveRuns.ts';
import { modelFromJSON } from '../../src/models/modelFromJSON.ts';
import { expectClose } from '../tolerance.ts';

const Y = Matrix.from(
  Array.from({ length: 30 }, (_, i) => [Math.cos(i / 5), Math.sin(i / 5), i / 15 + 0.03 * Math.sin(7 * i)]),
);
const saved = (result: object) => JSON.parse(JSON.stringify(result));

const heat = (A: Matrix, B: Matrix) =>
  A.toArrays().map((a) =>
    B.toArrays().map((b) => Math.exp(-a.reduce((sum, entry, d) => sum + (entry - b[d]!) ** 2, 0))),
  );
const total = (row: number[]) => row.reduce((sum, weight) => sum + weight, 0);
const diffusionMap = defineModel({
  name: 'diffusionMap',
  solve: function* (Y: Matrix) {
    const W = heat(Y, Y);
    const roots = W.map((row) => Math.sqrt(total(row)));
    yield { kind: 'pause', stage: 'eigenvectors' };
    const { values, vectors } = topEigenpairs(
      (x, y) => y.set(W.map((row, i) => total(row.map((w, j) => (w * x[j]!) / (roots[i]! * roots[j]!))))),
      Y.rows,
      3,
    );
    const latents = Matrix.from(roots.map((root, i) => [1, 2].map((c) => (values[c]! * vectors.at(i, c)) / root)));
    const objective = values[1]! + values[2]!;
    return { latents, eigenvalues: values.slice(1), objective, terms: { trace: objective }, message: 'Closed form.' };
  },
  posterior: ({ latents, eigenvalues }, Y) => ({
    placement: {
      acceptsMissing: false,
      observedColumns: Y.columns,
      place: (rows: Matrix) => {
        const means = heat(rows, Y).map((row) =>
          Array.from(eigenvalues, (value, c) => total(row.map((w, j) => w * latents.at(j, c))) / (value * total(row))),
        );
        return { latents: Matrix.from(means), logDensity: new Float64Array(rows.rows).fill(Number.NaN) };
      },
    },
  }),
});

/** A worker that shares this thread and knows the model. */
function inThisThread() {
  const listeners: ((message: unknown) => void)[] = [];
  let receive: (request: never) => void = () => undefined;
  serveRuns(
    {
      post: (reply) => {
        const copy = structuredClone(reply);
        for (const listener of listeners) setTimeout(() => listener(copy));
      },
      listen: (onRequest) => {
        receive = onRequest as (request: never) => void;
      },
    },
    (json) => modelFromJSON(json, { models: { diffusionMap } }),
  );
  return {
    postMessage: (message: unknown) => receive(structuredClone(message) as never),
    terminate: () => undefined,
    on: (event: string, listener: unknown) => event === 'message' && listeners.push(listener as () => void),
  };
}

describe('a spectral embedding of ones own, by public entry points', () => {
  it('places, is saved, computed in a worker and stopped as a built-in one is', async () => {
    const result = await fit(diffusionMap(Y));
    expectTypeOf(result.project).toBeFunction();
    expectTypeOf(result).not.toHaveProperty('predict');
    expect(result.eigenvalues).toHaveLength(2);
    // P·ψ = λ·ψ with P = D⁻¹W, so that a point of the fit lands on its latents.
    expectClose((await result.project(Y)).latents.data, result.latents.data, 1e-10);
    const again = loadFit(saved(result), { models: { diffusionMap } });
    expect(again.latents).toEqual(result.latents);
    expect((await again.project(Y)).latents).toEqual((await result.project(Y)).latents);
    const there = await fit(diffusionMap(Y), { workers: { count: 1, start: inThisThread } });
    expect(there.latents).toEqual(result.latents);
    const stages: string[] = [];
    const stopped = await fit(diffusionMap(Y), {
      onProgress: ({ stage }) => {
        if (stage !== undefined) stages.push(stage.name);
        return false;
      },
    });
    expect(stages).toEqual(['eigenvectors']);
    expect(stopped.status).toBe('stopped');
    expect(() => stopped.project).toThrow(OptimizationError);
  });

  it('cannot be evaluated, and a definition of both kinds is refused', () => {
    expect(() => evaluate(diffusionMap(Y))).toThrow(/The solution of the model 'diffusionMap' is computed/);
    const both = { name: 'both', solve: () => ({}), variables: () => ({}) };
    // biome-ignore lint/suspicious/noExplicitAny: what a caller without types may do.
    expect(() => defineModel(both as any)).toThrow(/no member 'solve'.*Known are name, options, variables/);
    // biome-ignore lint/suspicious/noExplicitAny: what a caller without types may do.
    expect(() => defineModel({ name: 'none', solve: 1 } as any)).toThrow(InvalidInputError);
  });
});

function laplacian(Y: Matrix) {
  const L = Matrix.zeros(Y.rows, Y.rows);
  const { sources, targets } = knnGraph(Y, 4);
  sources.forEach((i, e) => {
    for (const [a, b] of [
      [i, targets[e]!],
      [targets[e]!, i],
    ] as const) {
      L.data[a * Y.rows + a]! += 1;
      L.data[a * Y.rows + b]! -= 1;
    }
  });
  return L;
}
// Precision strength·L + base·I, L the Laplacian of a graph.
const stiff = defineFieldLayer({
  name: 'stiff',
  parameters: { strength: positive(1), base: positive(1) },
  precision: (p, { size, sources, targets }) => {
    const degrees = new Float64Array(size);
    sources.forEach((i, e) => {
      for (const end of [i, targets[e]!]) degrees[end] = degrees[end]! + 1;
    });
    return {
      diagonal: op.add(op.mul(p.strength, op.tensor(degrees)), p.base),
      edges: op.neg(op.mul(p.strength, op.ones([sources.length]))),
    };
  },
});
const stiffField = defineModel({
  name: 'stiffField',
  variables: (Y: Matrix) => {
    const y = observed(Y, { density: stiff({}, knnGraph(Y, 4)) });
    return { y, x: embedded(y, { dim: 2 }) };
  },
});

describe('a field model of ones own, by public entry points', () => {
  it('is at its maximum, is read off its covariance and saved', async () => {
    const result = await fit(stiffField(Y), { tolerance: 1e-9, relativeDecrease: 0 });
    expect(result.status).toBe('converged');
    // D·Σ_c μ_c/(s·μ_c + b) = tr(YᵀLY) and D·Σ_c 1/(s·μ_c + b) = tr(YᵀY) at the maximum.
    const [s, b] = [Number(result.parameters['y.strength']), Number(result.parameters['y.base'])];
    const { values, vectors } = symmetricEigenpairs(laplacian(Y));
    const L = laplacian(Y);
    let [bent, size] = [0, 0];
    for (let i = 0; i < Y.rows; i++) {
      for (let j = 0; j < Y.rows; j++) {
        for (let d = 0; d < 3; d++) bent += Y.at(i, d) * L.at(i, j) * Y.at(j, d);
      }
      for (let d = 0; d < 3; d++) size += Y.at(i, d) ** 2;
    }
    expectClose(
      values.reduce((sum, mu) => sum + (3 * mu) / (s * mu + b), 0),
      bent,
      1e-6,
    );
    expectClose(
      values.reduce((sum, mu) => sum + 3 / (s * mu + b), 0),
      size,
      1e-6,
    );
    expectTypeOf(result.graph.weights).toEqualTypeOf<Float64Array>();
    for (const c of [0, 1]) {
      const scale = (s * values[c + 1]! + b) ** -0.5 * Math.sign(result.latents.at(0, c) * vectors.at(0, c + 1));
      expectClose(
        result.latents.toArrays().map((row) => row[c]!),
        Y.toArrays().map((_, i) => scale * vectors.at(i, c + 1)),
        1e-9,
      );
    }
    expect(loadFit(saved(result), { models: { stiffField } }).latents).toEqual(result.latents);
  });
});

describe('points that follow from a latent variable by a map', () => {
  const circle = defineMap({
    name: 'around',
    apply: (_, angle: op.Tensor2D) => op.concat<op.Tensor2D>([op.cos(angle), op.sin(angle)], 1),
  });
  const onCircle = defineModel({
    name: 'onCircle',
    variables: (y: Matrix) => {
      const angle = latent({ dim: 1, init: y.toArrays().map(([a, b]) => [Math.atan2(b!, a!)]) });
      const x = mapped(angle, circle(), { dim: 2 });
      return { angle, x, y: observed(y, { density: gaussianProcess({ kernel: rbf() }), given: x }) };
    },
  });

  it('are fitted by that variable, saved, and read again by the factory of the model', async () => {
    const result = await fit(onCircle(Y), { maxIterations: 30 });
    const angles = result.latents.toArrays().map(([angle]) => angle!);
    expectClose(
      result.values.x.data,
      angles.flatMap((angle) => [Math.cos(angle), Math.sin(angle)]),
      1e-14,
    );
    expect(result.objective).toBeGreaterThan((await fit(onCircle(Y), { maxIterations: 0 })).objective);
    const again = loadFit(saved(result), { models: { onCircle } });
    expect(again.predict({ angle: [[0]] })).toEqual(result.predict({ angle: [[0]] }));
  });
});

describe('the gradients of an evaluation', () => {
  it('suggest the nearest path for an unknown one, and exclude fixed parameters', () => {
    const { gradients } = evaluate(gplvm(Y, { latentDim: 2 }));
    expect(gradients['mapping.noise']).toBeTypeOf('number');
    expect(gradients['mapping.kernel.rbf.lengthscale']).toBeUndefined();
    expect(() => gradients['mapping.noize']).toThrow(/no gradient 'mapping.noize'. Did you mean 'mapping.noise'\?/);
    expect(() => gradients.latent).toThrow(/Did you mean 'latents'\?/);
    expect(JSON.parse(JSON.stringify(gradients))['mapping.noise']).toBe(gradients['mapping.noise']);
  });
});
