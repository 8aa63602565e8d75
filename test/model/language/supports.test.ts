import {
  assess,
  bayesianGplvm,
  bernoulli,
  compareModels,
  defineDensity,
  defineModel,
  fit,
  gaussianLatents,
  gaussianProcess,
  latent,
  latentVariableModel,
  linearMap,
  Matrix,
  mapped,
  mixture,
  observed,
  poisson,
  positive,
  rbf,
  score,
  standardNormal,
} from 'latentfield';
import * as op from 'latentfield/ops';
import { checkDensity, checkModel } from 'latentfield/testing';
import { expect, it } from 'vitest';

const flags = Matrix.from(Array.from({ length: 8 }, (_, i) => [i % 2, Number(i > 3)]));
const decoded = defineModel({
  name: 'decoded',
  variables: (data: Matrix) => {
    const z = latent({ dim: 1, density: standardNormal() });
    const f = mapped(z, linearMap());
    return { z, f, y: observed(data, { density: bernoulli(), given: f, missing: 'ignore' }) };
  },
});
const processed = defineModel({
  name: 'processed',
  variables: (data: Matrix) => {
    const z = latent({ dim: 1, density: standardNormal() });
    const density = gaussianProcess({ kernel: rbf(), likelihood: bernoulli(), inducing: 4 });
    return { z, y: observed(data, { density, given: z, missing: 'ignore' }) };
  },
});

it.each([
  ['a map', decoded],
  ['a process', processed],
] as const)(
  'observations that a likelihood cannot be of are refused when fitted and when placed, under %s',
  async (_, of) => {
    const odd = Matrix.from([...flags.toArrays(), [Number.NaN, 2]]);
    await expect((async () => fit(of(odd)))()).rejects.toThrow(
      "An observation of likelihood 'bernoulli' is 0 or 1, but entry [8][1] of 'y' is 2.",
    );
    const result = await fit(of(flags), { maxIterations: 3 });
    for (const Y of [
      [[1, 0.5]],
      Matrix.from([
        [1, 1],
        [0, 0.5],
      ]),
    ]) {
      const refused =
        /^An observation of likelihood 'bernoulli' is 0 or 1, but entry \[[01]\]\[1\] of 'y' is 0\.5\. Correct it/;
      await expect(result.project({ y: Y })).rejects.toThrow(refused);
      await expect(result.project(Y)).rejects.toThrow(refused);
      await expect(result.reconstruct({ y: Y })).rejects.toThrow(refused);
      await expect(result.reconstruct(Y)).rejects.toThrow(refused);
      await expect(result.impute(Y)).rejects.toThrow(refused);
    }
    await expect(result.impute({ y: [[Number.NaN, -1]] })).rejects.toThrow("is 0 or 1, but entry [0][1] of 'y' is -1");
  },
);

const counts = Matrix.from(Array.from({ length: 12 }, (_, i) => [i % 4, (i * i) % 5, Number(i > 5), 2]));

it.each([
  ['below 0', [[1, -1, 0, 2]], 'entry [0][1] of'],
  [
    'broken',
    [
      [1, 1, 0, 2],
      [0, 0, 1, 1.5],
    ],
    'entry [1][3] of',
  ],
] as const)('new rows of counts that are %s are refused by every road of a named model', async (_, rows, place) => {
  const Y = Matrix.from(rows.map((row) => [...row]));
  const holed = Matrix.from(rows.map((row) => [Number.NaN, ...row.slice(1)]));
  const refused = `An observation of likelihood 'poisson' is a count, a whole number from 0, but ${place} `;
  const result = await fit(bayesianGplvm(counts, { latentDim: 1, inducing: 4, likelihood: poisson() }), {
    maxIterations: 3,
  });
  await expect(result.project(Y)).rejects.toThrow(refused);
  await expect(result.reconstruct(Y)).rejects.toThrow(refused);
  await expect(result.impute(holed)).rejects.toThrow(refused);
  await expect(score(result, Y)).rejects.toThrow(refused);
  const viewed = await fit(
    latentVariableModel({
      latentDim: 1,
      posterior: gaussianLatents(),
      views: {
        a: { observations: counts, kernel: rbf(), likelihood: poisson(), inducing: 4 },
        b: { observations: counts.toArrays().map(([a, b]) => [a! - b!]), kernel: rbf(), inducing: 4 },
      },
    }),
    { maxIterations: 3 },
  );
  await expect(viewed.translate({ a: Y }, 'b')).rejects.toThrow(refused);
  await expect(viewed.project({ a: Y })).rejects.toThrow(`${place} 'a' is `);
});

it('held-out rows with hidden entries are refused under an offset, which needs the whole row', async () => {
  const likelihood = poisson({ offset: 'rowSums' });
  const rows = counts.toArrays().map((row) => row.map((entry) => entry + 1));
  const result = await fit(bayesianGplvm(rows, { latentDim: 1, inducing: 4, likelihood }), { maxIterations: 3 });
  await expect(result.project([[Number.NaN, 1, 1, 2]])).rejects.toThrow('in a row without missing entries');
  await expect(result.project([[0, 0, 0, 0]])).rejects.toThrow("row index 0 of 'mapping' is not");
  await expect(score(result, rows.slice(0, 4))).rejects.toThrow(
    /No entries can be hidden from bayesianGplvm.*likelihood 'poisson' is in a row without missing entries.*but row index 0 of 'mapping' is not/,
  );
  expect((await result.project(rows.slice(0, 2))).latents.rows).toBe(2);
  const { notAssessed, bootstraps, calibration } = await assess(result, { starts: 0, bootstraps: 2, shuffled: 0 });
  expect(Object.keys(notAssessed)).toEqual(['held-out entries']);
  expect(notAssessed['held-out entries']).toContain('No entries can be hidden from bayesianGplvm');
  expect([bootstraps?.maps, calibration]).toEqual([2, undefined]);
  const plain = await fit(bayesianGplvm(rows, { latentDim: 1, inducing: 4, likelihood: poisson() }), {
    maxIterations: 3,
  });
  const comparison = await compareModels([result, plain], { heldOut: rows.slice(0, 4) });
  const [offset, without] = comparison.table;
  expect([offset!.entryDensity, without!.entryReason]).toEqual([Number.NaN, undefined]);
  // A density of counts whose sums are known is no more beside one of all counts than one in other units.
  expect([offset!.evidence, offset!.by, offset!.heldOutDensity]).toEqual([Number.NaN, 'none', Number.NaN]);
  expect(offset!.reason).toContain('whose row sums are known');
  expect([without!.by, without!.behind, without!.heldOutBehind]).toEqual(['bound', 0, 0]);
  const alike = await compareModels([result, result], { heldOut: rows.slice(0, 4) });
  expect(alike.table.map(({ evidence, behind }) => [evidence, behind])).toEqual([
    [result.evidence, 0],
    [result.evidence, 0],
  ]);
  expect(offset!.entryReason).toContain('without missing entries');
  expect(Number.isFinite(without!.entryDensity)).toBe(true);
  expect(String(comparison)).toContain('No entries of bayesianGplvm: No entries can be hidden');
});

// log Gamma(y | k, k/m), of mean m = exp f
const gammas = defineDensity({
  name: 'gammas',
  parameters: { shape: positive(2.5) },
  support: { above: 0 },
  takesMissing: true,
  logDensity: (p, { value, given: [f], present }) => {
    const rate = op.div(p.shape, op.exp(f!));
    const y = present === undefined ? value : op.add<op.Tensor2D>(value, op.sub(1, present));
    const log = op.sub(
      op.add(op.mul(p.shape, op.log(rate)), op.mul(op.sub(p.shape, 1), op.log(y))),
      op.add(op.mul(rate, y), op.lgamma(p.shape)),
    );
    return op.sum<op.Tensor1D>(present === undefined ? log : op.mul(present, log), 1);
  },
  condition: (p) => ({
    moments: ([f]) => {
      const mean = op.exp<op.Tensor2D>(f!);
      return { mean, variance: op.zerosLike(mean), noise: op.div<op.Tensor2D>(op.square(mean), p.shape) };
    },
  }),
});
const betas = defineDensity({
  name: 'betas',
  parameters: { a: positive(2), b: positive(0.7) },
  support: { above: 0, below: 1 },
  logDensity: (p, { value }) => {
    const constant = op.sub(op.lgamma(op.add(p.a, p.b)), op.add(op.lgamma(p.a), op.lgamma(p.b)));
    const log = op.add(op.mul(op.sub(p.a, 1), op.log(value)), op.mul(op.sub(p.b, 1), op.log(op.sub(1, value))));
    return op.sum<op.Tensor1D>(op.add(log, constant), 1);
  },
  condition: (p) => ({
    moments: () => {
      const sum = op.add(p.a, p.b);
      const mean = op.mul<op.Tensor2D>(op.ones([6, 1]), op.div(p.a, sum));
      const noise = op.div(op.mul(p.a, p.b), op.mul(op.square(sum), op.add(sum, 1)));
      return { mean, variance: op.zerosLike(mean), noise: op.mul<op.Tensor2D>(op.ones([6, 1]), noise) };
    },
  }),
});
const waits = defineDensity({
  name: 'waits',
  parameters: { rate: positive(0.5) },
  support: { to: -3 },
  logDensity: (p, { value }) => op.sum<op.Tensor1D>(op.add(op.log(p.rate), op.mul(p.rate, op.add(value, 3))), 1),
  sample: (p, random, [n, D]) => {
    const logs = Float64Array.from({ length: n * D }, () => Math.log(1 - random.uniform()));
    return op.sub<op.Tensor2D>(op.div(op.tensor<op.Tensor2D>(logs, [n, D]), p.rate), 3);
  },
});

it('densities of numbers above 0, between 0 and 1, and below a number are integrated over their support', {
  tags: 'long',
}, () => {
  for (const [density, options] of [
    [gammas(), { givenColumns: [1] }],
    [betas(), {}],
    [waits(), {}],
    [mixture([waits(), waits({ rate: 3 })]), {}],
    [poisson(), {}],
    [bernoulli(), {}],
  ] as const) {
    const { checks } = checkDensity(density, options);
    expect([density.name, checks.find(({ name }) => name === 'normalized')!.message]).toEqual([
      density.name,
      expect.stringMatching(/^largest error/),
    ]);
  }
  const notNormalized = defineDensity({
    name: 'half',
    support: { from: 0 },
    logDensity: (_: object, { value }) => op.neg(op.sum<op.Tensor1D>(op.mul(2, value), 1)),
  });
  expect(() => checkDensity(notNormalized())).toThrow(/normalized: entry 0 is 0\.(5|49{12})\d* and should be 1/);
});

it('the support of a custom density applies to fitted and to new rows', async () => {
  const sizes = defineModel({
    name: 'sizes',
    variables: (data: Matrix) => {
      const z = latent({ dim: 1, density: standardNormal() });
      const f = mapped(z, linearMap(), { dim: 2 });
      return { z, f, y: observed(data, { density: gammas(), given: f, missing: 'ignore' }) };
    },
  });
  const data = Matrix.from(Array.from({ length: 9 }, (_, i) => [0.5 + (i % 4), 1 + ((i * i) % 5)]));
  checkModel(sizes(data), { models: { sizes } });
  const result = await fit(sizes(data), { maxIterations: 20 });
  const refused = "An observation of density 'gammas' is a number above 0, but entry [0][1] of 'y' is 0.";
  await expect((async () => fit(sizes(Matrix.from([[1, 0], ...data.toArrays()]))))()).rejects.toThrow(refused);
  await expect(result.project([[1, 0]])).rejects.toThrow(refused);
  await expect(result.impute({ y: [[Number.NaN, 0]] })).rejects.toThrow(refused);
  expect((await result.impute({ y: [[Number.NaN, 2]] })).y.mean.at(0, 0)).toBeGreaterThan(0);
});

it('invalid supports, scaled observations and latent rows of such a density are refused', () => {
  const of = (support: never) =>
    defineDensity({ name: 'odd', support, logDensity: (_: object, { value }) => op.sum<op.Tensor1D>(value, 1) });
  for (const wrong of [
    'positive',
    [],
    [Number.NaN],
    { from: 1, to: 0 },
    { above: 0, from: 0 },
    { lower: 0 },
    3,
    null,
  ]) {
    expect(() => of(wrong as never), JSON.stringify(wrong)).toThrow(/support of density 'odd'/);
  }
  expect(() => latent({ dim: 1, density: gammas() })).toThrow("but an observation of density 'gammas' is not");
  const scaled = defineModel({
    name: 'scaled',
    variables: (data: Matrix) => {
      const z = latent({ dim: 1, density: standardNormal() });
      return { z, y: observed(data, { density: gammas(), given: z, scale: true }) };
    },
  });
  expect(() => scaled(Matrix.from([[1], [2], [3]])).assemble(0)).toThrow(
    "Observations of density 'gammas' cannot be centered or scaled. Omit center and scale",
  );
  const mixed = mixture([poisson(), bernoulli()]);
  expect(mixed.support!.refuses(3, 3)).toBeUndefined();
  expect(mixed.support!.refuses(-1, 3)).toBe('a count, a whole number from 0, or 0 or 1');
});
