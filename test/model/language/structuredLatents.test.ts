import {
  add,
  bayesianGplvm,
  defineModel,
  evaluate,
  fit,
  type Graph,
  gaussian,
  gaussianLatents,
  gaussianProcess,
  inducing,
  known,
  laplacian,
  latent,
  linear,
  loadFit,
  Matrix,
  type Model,
  markov,
  maxEntropy,
  observed,
  positive,
  rbf,
  real,
  select,
  squaredDifferences,
  standardNormal,
} from 'latentfield';
import { describe, expect, it } from 'vitest';
import { reference } from '../../reference.ts';

type Numbers = number | number[] | number[][];
const { data, models, forecast } = reference<{
  readonly data: {
    readonly t: number[][];
    readonly batch: number[][];
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
  readonly forecast: {
    readonly times: number[][];
    readonly mean: number[][];
    readonly variance: number[][];
    /** The variances where the rows are correlated. */
    readonly jointly: number[][];
  };
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
const rowsThat = (correlated: boolean) => ({ dim: 2, posterior: gaussianLatents({ correlated }) });
const seen = (y: Matrix, z: Parameters<typeof observed>[1]['given']) => {
  const kernel = rbf({ variance: 1, lengthscale: [1, 1] });
  const inducing = models.timed!.values['y.inducing'] as number[][];
  return observed(y, { density: gaussianProcess({ kernel, noise: 0.1, inducing }), given: z!, center: false });
};

/** Gaussian rows under a process of known times, random fields on a graph, and a random walk. */
const structuredBy = (rows: ReturnType<typeof rowsThat>) => ({
  timed: defineModel({
    name: 'timed',
    variables: ({ y, t }: Data) => {
      const time = known(t);
      const z = latent({ ...rows, density: gaussianProcess({ kernel: rbf(), noise: 0.1 }), given: time });
      return { time, z, y: seen(y, z) };
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
});
const around = defineModel({
  name: 'around',
  variables: ({ y }: Data) => {
    const center = known(data.around);
    const z = latent({ ...rowsThat(false), density: gaussian({ variance: 0.5 }), given: center });
    return { center, z, y: seen(y, z) };
  },
});
/** A process of the latents and of the batch that each row is of. */
const besideBatches = defineModel({
  name: 'besideBatches',
  variables: ({ y }: Data) => {
    const batch = known(data.batch);
    const z = latent({ ...rowsThat(false), density: standardNormal() });
    const kernel = add(select(rbf({ lengthscale: [1, 1] }), [0, 1]), select(linear(), [2, 3]));
    const inducing = models.besideBatches!.values['y.inducing'] as number[][];
    const density = gaussianProcess({ kernel, noise: 0.1, inducing });
    return { batch, z, y: observed(y, { density, given: [z, batch], center: false }) };
  },
});
const byRow = { ...structuredBy(rowsThat(false)), around, besideBatches };
const jointly = structuredBy(rowsThat(true));
const own = { y: Matrix.from(data.Y), t: Matrix.from(data.t) };
const cases = [
  ...Object.entries(byRow).map(([name, factory]) => ({ name, factory, factories: byRow })),
  ...Object.entries(jointly).map(([name, factory]) => ({ name: `${name}, correlated`, factory, factories: jointly })),
].map(({ name, factory, factories }) => ({ name, factories, model: () => factory(own) as unknown as Model }));
const modelOf = (name: string) => cases.find((each) => each.name === name)!.model();
const flat = (value: unknown): number[] =>
  value instanceof Matrix ? Array.from(value.data) : ([value].flat(2) as number[]);

describe.each(cases)('Gaussian rows under a structured prior: $name', ({ name, factories, model }) => {
  it('have the terms and gradients of the dense bound', async () => {
    const { values, terms, gradients } = models[name]!;
    const found = await evaluate(model(), values as never);
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
    const result = await fit(model(), { maxIterations: 8 });
    const again = loadFit(JSON.parse(JSON.stringify(result)), { models: factories });
    expect(again.objective).toBe(result.objective);
    expect(Array.from(again.latentVariances!.data)).toEqual(Array.from(result.latentVariances!.data));
    expect(Array.from(again.latents.data)).toEqual(Array.from(result.latents.data));
  });
});

describe('latents over known times', () => {
  it.each([
    ['timed', 'variance'],
    ['timed, correlated', 'jointly'],
  ] as const)('have at new times the moments of the process given Gaussian rows: %s', (name, spread) => {
    const { variables } = modelOf(name).posterior(
      Object.fromEntries(
        Object.entries(models[name]!.values).map(([path, value]) => [
          path,
          Array.isArray(value) && Array.isArray(value[0]) ? Matrix.from(value as number[][]) : value,
        ]),
      ) as never,
    ) as unknown as {
      variables: { predict(values: object, noise: boolean): Record<string, { mean: Matrix; variance: Matrix }> };
    };
    const { z } = variables.predict({ time: Matrix.from(forecast.times) }, false);
    for (const [key, expected] of [
      ['mean', forecast.mean],
      ['variance', forecast[spread]],
    ] as const) {
      expected.flat().forEach((right, i) => {
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

describe('a field of precision I', () => {
  const { values } = models.learned!;
  const rows = values['z.posterior.variance'] as number[][];
  const fieldOf = (correlated: boolean) =>
    defineModel({
      name: 'identity',
      variables: ({ y }: Data) => {
        const density = maxEntropy({ base: 1, expect: { near: squaredDifferences(graph) }, slack: 25 });
        const z = latent({ ...rowsThat(correlated), density });
        return { z, y: seen(y, z) };
      },
    })(own) as unknown as Model;
  const none = { ...values, 'z.near': data.edges.map(() => 0) };

  it('has the bound and the gradients of bayesianGplvm to 1e-12', async () => {
    const named = await evaluate(
      bayesianGplvm(own.y, {
        latentDim: 2,
        kernel: rbf({ variance: 1, lengthscale: [1, 1] }),
        noise: 0.1,
        inducing: values['y.inducing'] as number[][],
        center: false,
        scale: false,
      }),
      Object.fromEntries(
        Object.entries(values)
          .filter(([path]) => path !== 'z.near')
          .map(([path, value]) => [path.replace('z.posterior', 'latents').replace(/^y/, 'mapping'), value]),
      ) as never,
    );
    const found = await evaluate(fieldOf(false), none as never);
    expect(Math.abs(found.objective / named.objective - 1)).toBeLessThan(1e-12);
    for (const of of ['mean', 'variance']) {
      const right = flat((named.gradients as Record<string, unknown>)[`latents.${of}`]);
      const ours = flat((found.gradients as Record<string, unknown>)[`z.posterior.${of}`]);
      const size = Math.max(...right.map(Math.abs));
      right.forEach((entry, i) => {
        expect(Math.abs(entry - ours[i]!) / size).toBeLessThan(1e-12);
      });
    }
  });

  it('leaves correlated rows independent, of variances 1/(1 + λ)', async () => {
    const others = Object.fromEntries(Object.entries(none).filter(([path]) => path !== 'z.posterior.variance'));
    const precision = rows.map((row) => row.map((variance) => 1 / variance - 1));
    const together = await evaluate(fieldOf(true), { ...others, 'z.posterior.precision': precision } as never);
    const alone = await evaluate(fieldOf(false), none as never);
    for (const [term, value] of Object.entries(alone.terms)) {
      expect(Math.abs((together.terms as Record<string, number>)[term]! - value)).toBeLessThan(1e-11);
    }
  });
});

describe('correlated Gaussian rows', () => {
  it('have a higher bound than independent ones', { tags: 'long' }, async () => {
    const limits = { maxIterations: 150 };
    const [alone, together] = [await fit(byRow.walking(own), limits), await fit(jointly.walking(own), limits)];
    expect(together.objective).toBeGreaterThan(alone.objective);
  });

  it('use the precision of a process through inducing inputs, which is exact where these are its inputs', async () => {
    const through = defineModel({
      name: 'through',
      variables: ({ y, t }: Data) => {
        const time = known(t);
        const process = gaussianProcess({
          kernel: rbf(),
          noise: 0.1,
          approximation: inducing(data.t, { jitter: 0 }),
        });
        const z = latent({ ...rowsThat(true), density: process, given: time });
        return { time, z, y: seen(y, z) };
      },
    });
    const { values, terms } = models['timed, correlated']!;
    const found = await evaluate(through(own) as unknown as Model, { ...values, 'z.inducing': data.t } as never);
    for (const [term, value] of Object.entries(terms)) {
      expect(Math.abs((found.terms as Record<string, number>)[term]! - value)).toBeLessThan(1e-7);
    }
  });

  it('need a density with a precision, over known variables', async () => {
    const z = (density: unknown, given?: unknown) =>
      latent({ ...rowsThat(true), density: density as never, ...(given ? { given: given as never } : {}) });
    const plain = defineModel({
      name: 'plain',
      variables: ({ y }: Data) => {
        const rows = z(gaussian({ variance: 1 }), known(data.around));
        return { center: rows.given[0]!, z: rows, y: seen(y, rows) };
      },
    });
    await expect(fit(plain(own) as unknown as Model)).rejects.toThrow(/no precision between rows/);
    const deep = defineModel({
      name: 'deep',
      variables: ({ y }: Data) => {
        const h = latent({ dim: 1, density: standardNormal() });
        const rows = z(gaussianProcess({ kernel: rbf(), noise: 0.1 }), h);
        return { h, z: rows, y: seen(y, rows) };
      },
    });
    await expect(fit(deep(own) as unknown as Model)).rejects.toThrow(/known variables only/);
    expect(() => gaussianLatents({ correlated: 1 as never })).toThrow(/true or false/);
  });
});
