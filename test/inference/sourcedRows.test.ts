import {
  bayesianGplvm,
  type Checkpoint,
  encoded,
  fit,
  gaussianLatents,
  InvalidInputError,
  loadFit,
  Matrix,
  mlpMap,
  poisson,
  seededRandom,
} from 'latentfield';
import { fitSteps } from 'latentfield/inference';
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
const source = () => {
  const asked: number[] = [];
  const read = async (indices: Int32Array) => {
    asked.push(indices.length);
    return some(indices);
  };
  return { rows: N, columns: 3, read, asked };
};
const options = () => ({ latentDim: 2, inducing: 6, posterior: encoded(mlpMap({ hidden: 4 })) });

describe('a fit of rows that are read some at a time', () => {
  it.each([{}, { scale: true }])('is the fit of the matrix of them, bit for bit: %o', async (more) => {
    const settings = { batchSize: 16, seed: 3, maxEpochs: 4 };
    const own = source();
    const read = await fit(bayesianGplvm(own, { ...options(), ...more }), settings);
    const whole = await fit(bayesianGplvm(Y, { ...options(), ...more }), settings);
    const parameters: Readonly<Record<string, unknown>> = read.parameters;
    for (const [path, value] of Object.entries(whole.parameters)) {
      const entries = (x: unknown) => (x instanceof Matrix ? Array.from(x.data) : [x].flat());
      entries(value).forEach((entry, k) => {
        expect(entries(parameters[path])[k]).toBeCloseTo(entry as number, 9);
      });
    }
    expect(Math.abs(read.objective / whole.objective - 1)).toBeLessThan(1e-9);
    expect(Math.max(...read.latents.data.map((x, k) => Math.abs(x - whole.latents.data[k]!)))).toBeLessThan(1e-8);
    expect(read.latentVariances.rows).toBe(N);
    // One pass for the means and one for the deviations, which say whether columns are of one unit, the rows it starts from, a batch at a time, a pass at the end.
    expect(Math.max(...own.asked.slice(3))).toBe(16);
  });

  it('continues from a checkpoint with the same bits, and is read again from its file', async () => {
    const settings = { batchSize: 16, seed: 3 };
    const whole = await fit(bayesianGplvm(source(), options()), { ...settings, maxIterations: 9 });
    let last: Checkpoint | undefined;
    const checkpoint = (state: Checkpoint) => {
      last = state;
    };
    await fit(bayesianGplvm(source(), options()), { ...settings, maxIterations: 5, checkpoint });
    const resume = JSON.parse(JSON.stringify(last));
    const resumed = await fit(bayesianGplvm(source(), options()), { batchSize: 16, maxIterations: 9, resume });
    expect(resumed.parameters).toEqual(whole.parameters);
    expect(resumed.objective).toBe(whole.objective);
    const other = {
      ...source(),
      read: async (indices: Int32Array) =>
        new Matrix(
          some(indices).data.map((y) => 2 * y),
          indices.length,
          3,
        ),
    };
    await expect(fit(bayesianGplvm(other, options()), { batchSize: 16, resume })).rejects.toThrow(
      /another model or other data/,
    );
    const loaded = loadFit(JSON.parse(JSON.stringify(whole)));
    expect(loaded.latents).toEqual(whole.latents);
    expect(loaded.predict(whole.latents)).toEqual(whole.predict(whole.latents));
    expect(JSON.stringify(loaded)).toBe(JSON.stringify(whole));
    const projected = await whole.project(some(Int32Array.of(5, 7)));
    expect(
      Math.max(...[5, 7].map((i, k) => Math.abs(projected.latents.at(k, 0) - whole.latents.at(i, 0)))),
    ).toBeLessThan(1e-12);
  });

  it('refuses what it cannot do', async () => {
    const refused = async (work: () => Promise<unknown>, message: RegExp) => {
      await expect(work()).rejects.toThrow(InvalidInputError);
      await expect(work()).rejects.toThrow(message);
    };
    const model = bayesianGplvm(source(), options());
    await refused(async () => fit(model), /fitted in batches. Give their size, such as batchSize: 256/);
    await refused(async () => bayesianGplvm(source(), { latentDim: 2 }), /Give posterior: encoded/);
    await refused(async () => bayesianGplvm(source(), { latentDim: 2, posterior: gaussianLatents() }), /encoded/);
    await refused(
      async () => bayesianGplvm(source(), { ...options(), missing: 'ignore' }),
      /cannot have missing entries/,
    );
    await refused(async () => bayesianGplvm({ ...source(), rows: 1 }, options()), /rows \(2 or more\)/);
    const narrow = { ...source(), read: async (indices: Int32Array) => Matrix.zeros(indices.length, 2) };
    await refused(async () => fit(bayesianGplvm(narrow, options()), { batchSize: 16 }), /gave a 60×2 matrix/);
    const holed = {
      ...source(),
      read: async (indices: Int32Array) =>
        new Matrix(new Float64Array(3 * indices.length).fill(Number.NaN), indices.length, 3),
    };
    await refused(async () => fit(bayesianGplvm(holed, options()), { batchSize: 16 }), /Leave that row out/);
    const counts = bayesianGplvm(source(), { ...options(), likelihood: poisson() });
    await refused(async () => fit(counts, { batchSize: 16 }), /An observation of likelihood 'poisson'/);
    await refused(async () => {
      for await (const step of fitSteps(model, { batchSize: 16 })) step.result();
    }, /is there at its end only/);
  });
});
