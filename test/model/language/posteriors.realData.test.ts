// @module-tag long
import { type AnyModel, type Draws, type Matrix, nuts, samplePosterior } from 'latentfield';
import * as ops from 'latentfield/ops';
import { expect, it } from 'vitest';
import { summaryRow } from '../../../src/inference/sampling/summary.ts';
import * as library from '../../everything.ts';
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
    Record<string, { readonly data: object; readonly parameters: Readonly<Record<string, Summary>> }>
  >;
}
interface Posterior {
  model(data: object): AnyModel;
  values(draws: Draws, parameter: string): Matrix;
}
const all = sharedReference<Reference>('posteriors.json')?.posteriors;
const file = new URL('../../../bench/posteriors/models.mjs', import.meta.url);
/** The module of the benchmark, which is plain JavaScript. */
const { posteriorModels }: { posteriorModels(of: object): Record<string, Posterior> } = await import(
  /* @vite-ignore */ file.href
);
const cases = posteriorModels({ ...library, ops });

it.skipIf(all === undefined)('every posterior of the reference is a model', () => {
  expect(Object.keys(cases).sort()).toEqual(Object.keys(all!).sort());
});

/**
 * Along its correlation of −.99999 a diagonal metric takes hundreds of steps a draw, and so does a dense one until it is known: two chains of twice
 * as many draws. The diagonal one shows what it can along that of earnings-logearn_height, −.998.
 */
const NARROW = 'kilpisjarvi_mod-kilpisjarvi';

for (const [name, { model, values }] of Object.entries(cases)) {
  it.skipIf(all === undefined)(
    `${name} has the means and quantiles of the reference`,
    { timeout: 300_000 },
    async () => {
      const { data, parameters } = all![name]!;
      const draws = await samplePosterior(model(data), {
        chains: 4,
        warmup: 500,
        draws: 1000,
        seed: 1,
        ...(name === NARROW && { method: nuts({ metric: 'dense' }), chains: 2, draws: 2000 }),
        // Several of the models have flat priors.
        priors: 'inTerms',
      });
      expect(draws.divergences).toEqual([]);
      for (const [parameter, wanted] of Object.entries(parameters)) {
        const row = summaryRow(values(draws, parameter));
        expect(row.rHat, parameter).toBeLessThan(1.01);
        const error = Math.hypot(row.mcseMean, wanted.mcse);
        expect(Math.abs(row.mean - wanted.mean) / error, `mean of ${parameter}`).toBeLessThan(4);
        // The error of a median is 1.25 times, of a quantile of 5 % 2.1 times, that of the mean of a normal distribution.
        const found = { q5: row.q5, q50: row.median, q95: row.q95 };
        for (const q of ['q5', 'q50', 'q95'] as const)
          expect(
            Math.abs(found[q] - wanted[q]) / ((q === 'q50' ? 1.3 : 2.2) * error),
            `${q} of ${parameter}`,
          ).toBeLessThan(4);
      }
    },
  );
}
