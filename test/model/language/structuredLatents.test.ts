import {
  defineModel,
  evaluate,
  fit,
  type Graph,
  gaussian,
  gaussianLatents,
  gaussianProcess,
  known,
  laplacian,
  latent,
  loadFit,
  Matrix,
  type Model,
  markov,
  maxEntropy,
  observed,
  positive,
  rbf,
  real,
  squaredDifferences,
} from 'latentfield';
import { describe, expect, it } from 'vitest';
import { reference } from '../../reference.ts';

type Numbers = number | number[] | number[][];
const { data, models, forecast } = reference<{
  readonly data: {
    readonly t: number[][];
    readonly Y: number[][];
    readonly around: number[][];
    readonly edges: [number, number][];
  };
  readonly models: Readonly<
    Record<
      string,
      {
        readonly values: Readonly<Record<string, Numbers>>;
        readonly terms: Readonly<Record<string, number>>;
        readonly gradients: Readonly<Record<string, Numbers>>;
      }
    >
  >;
  readonly forecast: { readonly times: number[][]; readonly mean: number[][]; readonly variance: number[][] };
}>('structuredLatents.json');

const graph: Graph = {
  size: data.Y.length,
  sources: Int32Array.from(data.edges, ([i]) => i),
  targets: Int32Array.from(data.edges, ([, j]) => j),
  weights: new Float64Array(data.edges.length).fill(1),
};
interface Data {
  readonly y: Matrix;
  readonly t: Matrix;
}
const rows = { dim: 2, posterior: gaussianLatents() };
const seen = (y: Matrix, z: Parameters<typeof observed>[1]['given']) => {
  const kernel = rbf({ variance: 1, lengthscale: [1, 1] });
  const inducing = models.timed!.values['y.inducing'] as number[][];
  return observed(y, { density: gaussianProcess({ kernel, noise: 0.1, inducing }), given: z!, centre: false });
};

/** Gaussian rows under a process of known times, a normal density around known values, random fields on a graph, and a random walk. */
const structured = {
  timed: defineModel({
    name: 'timed',
    variables: ({ y, t }: Data) => {
      const time = known(t);
      const z = latent({ ...rows, density: gaussianProcess({ kernel: rbf(), noise: 0.1 }), given: time });
      return { time, z, y: seen(y, z) };
    },
  }),
  around: defineModel({
    name: 'around',
    variables: ({ y }: Data) => {
      const centre = known(data.around);
      const z = latent({ ...rows, density: gaussian({ variance: 0.5 }), given: centre });
      return { centre, z, y: seen(y, z) };
    },
  }),
  alongGraph: defineModel({
    name: 'alongGraph',
    variables: ({ y }: Data) => {
      const density = laplacian(graph, { strength: positive(1), offset: positive(1) });
      const z = latent({ ...rows, density });
      return { z, y: seen(y, z) };
    },
  }),
  walking: defineModel({
    name: 'walking',
    variables: ({ y }: Data) => {
      const z = latent({ ...rows, density: markov({ coefficient: real(1), variance: positive(1) }) });
      return { z, y: seen(y, z) };
    },
  }),
  learned: defineModel({
    name: 'learned',
    variables: ({ y }: Data) => {
      const density = maxEntropy({ base: 0.3, expect: { near: squaredDifferences(graph) }, slack: 25 });
      const z = latent({ ...rows, density });
      return { z, y: seen(y, z) };
    },
  }),
};
const names = Object.keys(structured) as (keyof typeof structured)[];
const modelOf = (name: keyof typeof structured) =>
  structured[name]({ y: Matrix.from(data.Y), t: Matrix.from(data.t) }) as unknown as Model;
const flat = (value: unknown): number[] =>
  value instanceof Matrix ? Array.from(value.data) : ([value].flat(2) as number[]);

describe.each(names)('Gaussian rows under a structured prior: %s', (name) => {
  it('have the terms and gradients of the dense bound', async () => {
    const { values, terms, gradients } = models[name]!;
    const found = await evaluate(modelOf(name), values as never);
    expect(Object.keys(found.terms).sort()).toEqual(Object.keys(terms).sort());
    for (const [term, value] of Object.entries(terms)) {
      expect([term, Math.abs(found.terms[term]! - value) < 1e-9 * Math.max(1, Math.abs(value))]).toEqual([term, true]);
    }
    expect(Object.keys(found.gradients).sort()).toEqual(Object.keys(gradients).sort());
    for (const [path, gradient] of Object.entries(gradients)) {
      const right = flat(gradient);
      const own = flat((found.gradients as Record<string, unknown>)[path]);
      const size = Math.max(1, ...right.map(Math.abs));
      const worst = Math.max(...right.map((entry, i) => Math.abs(entry - own[i]!)));
      expect([path, worst / size < 1e-9]).toEqual([path, true]);
    }
  });

  it('are fitted, saved and loaded with the same bits', async () => {
    const result = await fit(modelOf(name), { maxIterations: 8 });
    const again = loadFit(JSON.parse(JSON.stringify(result)), { models: structured });
    expect(again.objective).toBe(result.objective);
    expect(Array.from(again.latents.data)).toEqual(Array.from(result.latents.data));
  });
});

describe('latents over known times', () => {
  it('have at new times the moments of the process given Gaussian rows', () => {
    const model = modelOf('timed');
    const { variables } = model.posterior(
      Object.fromEntries(
        Object.entries(models.timed!.values).map(([path, value]) => [
          path,
          Array.isArray(value) && Array.isArray(value[0]) ? Matrix.from(value as number[][]) : value,
        ]),
      ) as never,
    ) as unknown as {
      variables: { predict(values: object, noise: boolean): Record<string, { mean: Matrix; variance: Matrix }> };
    };
    const { z } = variables.predict({ time: Matrix.from(forecast.times) }, false);
    for (const key of ['mean', 'variance'] as const) {
      forecast[key].flat().forEach((right, i) => {
        expect([key, Math.abs(z![key].data[i]! - right) < 1e-9]).toEqual([key, true]);
      });
    }
  });

  it('are free in scale, which points would shrink without end', () => {
    const points = defineModel({
      name: 'points',
      variables: ({ y, t }: Data) => {
        const time = known(t);
        const z = latent({ dim: 2, density: gaussianProcess({ kernel: rbf(), noise: 0.1 }), given: time });
        return { time, z, y: seen(y, z) };
      },
    });
    return expect(fit(points({ y: Matrix.from(data.Y), t: Matrix.from(data.t) }))).rejects.toThrow(
      /infer the variable as Gaussian rows/,
    );
  });
});
