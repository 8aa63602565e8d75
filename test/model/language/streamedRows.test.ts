import {
  bias,
  defineModel,
  encoded,
  evaluate,
  fit,
  gaussian,
  gaussianProcess,
  InvalidInputError,
  known,
  latent,
  loadFit,
  Matrix,
  type MatrixLike,
  mapped,
  mlpMap,
  observed,
  type RowSource,
  rbf,
  samplePrior,
  seededRandom,
  standardNormal,
} from 'latentfield';
import { describe, expect, it } from 'vitest';

const random = seededRandom(4);
const N = 60;
const Y = Matrix.from(
  Array.from({ length: N }, (_, i) => {
    const t = (2 * Math.PI * i) / N;
    return [3 + Math.cos(t), Math.sin(t), 2 * Math.cos(2 * t)].map((y) => y + 0.05 * random.normal());
  }),
);
const some = (indices: Int32Array) => Matrix.from(Array.from(indices, (i) => Array.from(Y.row(i))));
function sourceOf() {
  const asked: number[] = [];
  const read = async (indices: Int32Array) => {
    asked.push(indices.length);
    return some(indices);
  };
  return { rows: N, columns: 3, read, asked };
}
type Rows = MatrixLike | RowSource;

const autoencoder = defineModel({
  name: 'autoencoder',
  variables: ({ y }: { y: Rows }) => {
    const z = latent({ dim: 2, density: standardNormal(), posterior: gaussian({ encoder: mlpMap({ hidden: 4 }) }) });
    const f = mapped(z, mlpMap({ hidden: 4 }));
    return { z, f, y: observed(y, { density: gaussian({ variance: 0.1 }), given: f, center: true, scale: true }) };
  },
});
const process = defineModel({
  name: 'process',
  variables: (y: Rows) => {
    const z = latent({ dim: 2, density: standardNormal(), posterior: encoded(mlpMap({ hidden: 4 })) });
    return { z, y: observed(y, { density: gaussianProcess({ kernel: rbf(), inducing: 6 }), given: z }) };
  },
});
const settings = { batchSize: 16, seed: 3, maxEpochs: 4 };
const far = (a: Matrix, b: Matrix) => Math.max(...a.data.map((own, k) => Math.abs(own - b.data[k]!)));

describe('observations that are read in blocks of rows', () => {
  it.each([
    ['an autoencoder', autoencoder as (data: never) => ReturnType<typeof autoencoder>, (y: Rows) => ({ y })],
    ['a process through inducing inputs', process as (data: never) => ReturnType<typeof process>, (y: Rows) => y],
  ])('fit %s as a matrix of them does, and are not in its file', async (_, make, dataOf) => {
    const own = sourceOf();
    const read = await fit(make(dataOf(own) as never), settings);
    const whole = await fit(make(dataOf(Y) as never), settings);
    expect(Math.abs(read.objective / whole.objective - 1)).toBeLessThan(1e-9);
    expect(read.latents.rows).toBe(N);
    expect(far(read.latents, whole.latents)).toBeLessThan(1e-8);
    expect(far(read.latentVariances!, whole.latentVariances!)).toBeLessThan(1e-8);
    expect(Math.max(...own.asked.slice(3))).toBe(16);
    const rows = some(Int32Array.of(5, 7));
    const placed = await read.project(rows);
    expect(far(placed.latents, Matrix.from([5, 7].map((i) => Array.from(read.latents.row(i)))))).toBeLessThan(1e-12);
    const at = read.predict(read.latents);
    expect(far(at.mean, whole.predict(whole.latents).mean)).toBeLessThan(1e-7);
    expect(far(read.values.z, read.latents)).toBe(0);
    const text = JSON.stringify(read);
    const loaded = loadFit(JSON.parse(text), { models: { autoencoder, process } }) as unknown as typeof read;
    expect(JSON.stringify(loaded)).toBe(text);
    expect(loaded.latents).toEqual(read.latents);
    expect(loaded.predict(read.latents)).toEqual(at);
    expect(await loaded.project(rows)).toEqual(placed);
    await expect(fit(modelOf(text), settings)).rejects.toThrow(/are read in blocks of rows and are not saved with it/);
  });

  const modelOf = (text: string) => {
    const { model } = JSON.parse(text) as { model: { model: string } };
    return (model.model === 'process' ? process : autoencoder).restore(model as never);
  };

  it('are refused where nothing reads them, and with separate rows', async () => {
    const refused = async (work: () => unknown, message: RegExp) => {
      await expect(async () => work()).rejects.toThrow(InvalidInputError);
      await expect(async () => work()).rejects.toThrow(message);
    };
    const model = autoencoder({ y: sourceOf() });
    await refused(() => fit(model), /fitted in batches. Give their size, such as batchSize: 256/);
    await refused(() => evaluate(model), /read in blocks of rows, which fit\(model, \{ batchSize \}\) does/);
    await refused(() => samplePrior(model), /read in blocks of rows/);
    await refused(() => JSON.stringify(model), /'data.y' .* read in blocks of rows/);
    const density = gaussian({ variance: 0.1 });
    const fitOf = (variables: (y: RowSource) => object) => () =>
      fit(defineModel({ name: 'wrong', variables: variables as never })(sourceOf() as never), settings);
    const encoder = gaussian({ encoder: mlpMap({ hidden: 2 }) });
    await refused(
      fitOf((y) => {
        const z = latent({ dim: 2, density: standardNormal() });
        return { z, y: observed(y, { density: gaussianProcess({ kernel: rbf(), inducing: 4 }), given: z }) };
      }),
      /one latent variable with a row per point, a function of them: .*encoder/,
    );
    await refused(
      fitOf((y) => {
        const z = latent({ dim: 2, density: standardNormal(), posterior: encoder });
        const t = known(Y.toArrays().map(([own]) => [own!]));
        const f = mapped([z, t], mlpMap({ hidden: 2 }));
        return { z, t, f, y: observed(y, { density, given: f }) };
      }),
      /but 't' has separate rows/,
    );
    await refused(
      fitOf((y) => {
        const z = latent({ dim: 2, density: standardNormal(), posterior: encoder });
        return { z, y: observed(y, { density: gaussianProcess({ kernel: bias() }), given: z }) };
      }),
      /rows are not independent under the densities/,
    );
    const outside = sourceOf();
    await refused(
      fitOf(() => {
        const z = latent({ dim: 2, density: standardNormal(), posterior: encoder });
        const f = mapped(z, mlpMap({ hidden: 2 }));
        return { z, f, y: observed(outside, { density, given: f }) };
      }),
      /'y' .* is not part of the model's data/,
    );
    await refused(() => observed(sourceOf(), { density, missing: 'ignore' }), /cannot have missing entries/);
  });
});
