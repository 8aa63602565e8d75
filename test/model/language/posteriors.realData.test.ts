// @module-tag long
import {
  type AnyModel,
  type Draws,
  defineDensity,
  defineModel,
  halfNormal,
  known,
  latent,
  Matrix,
  normal,
  observed,
  type Parameter,
  positive,
  real,
  samplePosterior,
  standardNormal,
} from 'latentfield';
import * as op from 'latentfield/ops';
import { expect, it } from 'vitest';
import { summaryRow } from '../../../src/inference/sampling/summary.ts';
import { sharedReference } from '../../reference.ts';

/** Posteriors of the public posterior database in the language, beside summaries of its reference draws. */

interface Summary {
  readonly mean: number;
  readonly sd: number;
  readonly q5: number;
  readonly q50: number;
  readonly q95: number;
  readonly mcse: number;
}
interface Reference {
  readonly posteriors: Readonly<
    Record<
      string,
      { readonly data: Readonly<Record<string, never>>; readonly parameters: Readonly<Record<string, Summary>> }
    >
  >;
}
const all = sharedReference<Reference>('posteriors.json')?.posteriors;

const halfCauchy = defineDensity({
  name: 'halfCauchy',
  parameters: { scale: positive(1) },
  entrywise: true,
  support: { above: 0 },
  logDensity: ({ scale }, { value: x }) =>
    op.sub(Math.log(2 / Math.PI), op.log(op.mul(scale, op.add(1, op.square(op.div(x, scale)))))),
});

/** y_n ~ N(x_nᵀβ, σ²). */
const linear = defineDensity({
  name: 'linear',
  parameters: { beta: real(0), sigma: positive(1) },
  logDensity: (p, { value, given: [X] }) => {
    const mean = op.matMul<op.Tensor2D>(X!, op.reshape(p.beta, [-1, 1]));
    const z = op.div(op.sub(value, mean), p.sigma);
    return op.sum<op.Tensor1D>(
      op.sub(op.mul(-0.5, op.square(z)), op.add(op.log(p.sigma), Math.log(2 * Math.PI) / 2)),
      1,
    );
  },
});
/** y_n ~ N(α + β·x_n, σ²). */
const line = defineDensity({
  name: 'line',
  parameters: { alpha: real(0), beta: real(0), sigma: positive(1) },
  logDensity: (p, { value, given: [x] }) => {
    const z = op.div(op.sub(value, op.add(p.alpha, op.mul(p.beta, x!))), p.sigma);
    return op.sum<op.Tensor1D>(
      op.sub(op.mul(-0.5, op.square(z)), op.add(op.log(p.sigma), Math.log(2 * Math.PI) / 2)),
      1,
    );
  },
});
/** y_n ~ N(μ + τ·z_n, s_n²) with known s_n. */
const school = defineDensity({
  name: 'school',
  parameters: {
    mu: real(0, { prior: normal({ mean: 0, deviation: 5 }) }),
    tau: positive(1, { prior: halfCauchy({ scale: 5 }) }),
  },
  logDensity: (p, { value, given: [z, s] }) => {
    const off = op.div(op.sub(value, op.add(p.mu, op.mul(p.tau, z!))), s!);
    return op.sum<op.Tensor1D>(op.sub(op.mul(-0.5, op.square(off)), op.add(op.log(s!), Math.log(2 * Math.PI) / 2)), 1);
  },
});

const column = (entries: readonly number[]) => Matrix.from(entries.map((entry) => [entry]));
const regression = defineModel({
  name: 'regression',
  variables: ({ X, y, beta, sigma }: { X: number[][]; y: number[]; beta: Parameter; sigma: Parameter }) => {
    const x = known(X);
    return { x, y: observed(column(y), { density: linear({ beta, sigma }), given: x }) };
  },
});
const lines = defineModel({
  name: 'lines',
  variables: (data: { x: number[]; y: number[]; alpha: Parameter; beta: Parameter }) => {
    const x = known(column(data.x));
    return { x, y: observed(column(data.y), { density: line({ alpha: data.alpha, beta: data.beta }), given: x }) };
  },
});
const schools = defineModel({
  name: 'schools',
  variables: ({ y, sigma }: { y: number[]; sigma: number[] }) => {
    const z = latent({ dim: 1, density: standardNormal() });
    const s = known(column(sigma));
    return { z, s, y: observed(column(y), { density: school(), given: [z, s] }) };
  },
});

type Data = Record<string, number[]> & {
  X: number[][];
  psalpha: number;
  psbeta: number;
  pmualpha: number;
  pmubeta: number;
};
const flat = (count: number) => real(new Array<number>(count).fill(0));
const wide = (count: number) => real(new Array<number>(count).fill(0), { prior: normal({ mean: 0, deviation: 10 }) });
/** Models with the names of their parameters' draws, and the value of a reference's parameter at a draw. */
const cases: Record<string, (data: Data) => AnyModel> = {
  'earnings-logearn_height': ({ earn, height }) =>
    regression({ X: height!.map((h) => [1, h]), y: earn!.map(Math.log), beta: flat(2), sigma: positive(1) }),
  'kidiq-kidscore_momiq': ({ kid_score, mom_iq }) =>
    regression({
      ...{ X: mom_iq!.map((iq) => [1, iq]), y: kid_score!, beta: flat(2) },
      sigma: positive(10, { prior: halfCauchy({ scale: 2.5 }) }),
    }),
  'sblrc-blr': ({ X, y }) =>
    regression({ X, y: y!, beta: wide(5), sigma: positive(1, { prior: halfNormal({ scale: 10 }) }) }),
  'arK-arK': ({ y }) =>
    regression({
      ...{ X: y!.slice(5).map((_, t) => [1, ...[1, 2, 3, 4, 5].map((k) => y![t + 5 - k]!)]), y: y!.slice(5) },
      ...{ beta: wide(6), sigma: positive(1, { prior: halfCauchy({ scale: 2.5 }) }) },
    }),
  'kilpisjarvi_mod-kilpisjarvi': ({ x, y, pmualpha, pmubeta, psalpha, psbeta }) =>
    lines({
      ...{ x: x!, y: y! },
      alpha: real(0, { prior: normal({ mean: pmualpha, deviation: psalpha }) }),
      beta: real(0, { prior: normal({ mean: pmubeta, deviation: psbeta }) }),
    }),
  'eight_schools-eight_schools_noncentered': ({ y, sigma }) => schools({ y: y!, sigma: sigma! }),
};

/** Draws of a parameter by its name in the reference. */
function drawsOf(draws: Draws, name: string): Matrix {
  const at = Number(/\[(\d+)\]/.exec(name)?.[1]) - 1;
  const has = (own: string) => draws.names.includes(own);
  if (name.startsWith('theta')) {
    const [mu, tau, z] = ['y.mu', 'y.tau', `z[${at}, 0]`].map((own) => draws.values(own));
    return new Matrix(
      mu!.data.map((m, k) => m + tau!.data[k]! * z!.data[k]!),
      mu!.rows,
      mu!.columns,
    );
  }
  if (!name.includes('[') && has(`y.${name}`)) return draws.values(`y.${name}`);
  if (name === 'alpha') return draws.values('y.beta[0]');
  return draws.values(`y.beta[${has('y.beta[5]') ? at + 1 : at}]`);
}

for (const [name, make] of Object.entries(cases)) {
  it.skipIf(all === undefined)(
    `${name} has the means and quantiles of the reference`,
    { timeout: 300_000 },
    async () => {
      const { data, parameters } = all![name]!;
      const draws = await samplePosterior(make(data as unknown as Data), {
        chains: 4,
        warmup: 500,
        draws: 1000,
        seed: 1,
        // Three of the models have flat priors.
        priors: 'inTerms',
      });
      expect(draws.divergences).toEqual([]);
      for (const [parameter, wanted] of Object.entries(parameters)) {
        const row = summaryRow(drawsOf(draws, parameter));
        expect(row.rHat, parameter).toBeLessThan(1.01);
        const error = Math.hypot(row.mcseMean, wanted.mcse);
        expect(Math.abs(row.mean - wanted.mean) / error, `mean of ${parameter}`).toBeLessThan(4);
        // The error of a quantile of 5 % of a normal distribution is 2.1 times that of the mean.
        for (const q of ['q5', 'q95'] as const)
          expect(Math.abs(row[q] - wanted[q]) / (2.2 * error), `${q} of ${parameter}`).toBeLessThan(4);
      }
    },
  );
}
