import {
  bayesianGplvm,
  bernoulli,
  byKind,
  evaluate,
  fit,
  fitAt,
  gplvm,
  InvalidInputError,
  loadFit,
  Matrix,
  negativeBinomial,
  poisson,
  seededRandom,
} from 'latentfield';
import { covariates } from 'latentfield/models';
import { describe, expect, it } from 'vitest';

const [N, D] = [24, 3];
const random = seededRandom(5);
const hidden = Array.from({ length: N }, () => random.normal());
const exposure = hidden.map((_, n) => 2 + 10 * (n % 5));
const offset = exposure.map((own) => Math.log(own));
const column = (of: readonly number[]) => of.map((entry) => [entry]);
const rate = (n: number, d: number) => Math.exp(0.8 * Math.sin(hidden[n]! + d));
const counts = Matrix.from(
  hidden.map((_, n) => Array.from({ length: D }, (_, d) => Math.round(exposure[n]! * rate(n, d)))),
);
const OPTIONS = { latentDim: 1, inducing: 5 };
const logFactorial = (y: number) => Array.from({ length: y }, (_, k) => Math.log(k + 1)).reduce((a, b) => a + b, 0);

const makers = [
  ['gplvm', gplvm],
  ['bayesianGplvm', bayesianGplvm as unknown as typeof gplvm],
] as const;

/** Free values of a model, at other values than the initial ones. */
function moved(make: typeof gplvm, likelihood: ReturnType<typeof poisson>) {
  const model = make(counts, { ...OPTIONS, likelihood, offset });
  const { gradients } = evaluate(model);
  const own = seededRandom(8);
  return Object.fromEntries(
    Object.entries(gradients as Record<string, Matrix | number | readonly number[]>)
      .filter(([path]) => /latents.mean|^latents$|variational/.test(path))
      .map(([path, like]) => {
        const { rows, columns } = like as Matrix;
        // Roots are lower triangular.
        const isRoot = path.endsWith('root');
        return [
          path,
          Matrix.zeros(rows, columns).map((_, i, j) =>
            isRoot ? (i % columns === j ? 0.6 : i % columns > j ? 0.1 * own.normal() : 0) : 0.4 * own.normal(),
          ),
        ];
      }),
  );
}

describe('an offset of the functions', () => {
  it.each(makers)('of twice the exposure with twice the counts weighs a row twice, in %s', (_, make) => {
    const values = {
      ...fitAt(make(counts, { ...OPTIONS, likelihood: poisson(), offset })).parameters,
      ...moved(make, poisson()),
    } as never;
    const twice = (n: number) => (n % 3 === 0 ? 2 : 1);
    const weighted = evaluate(
      make(counts, { ...OPTIONS, likelihood: poisson(), offset, rowWeights: hidden.map((_, n) => twice(n)) }),
      values,
    );
    const doubled = evaluate(
      make(
        counts.map((y, n) => twice(n) * y),
        { ...OPTIONS, likelihood: poisson(), offset: offset.map((own, n) => own + Math.log(twice(n))) },
      ),
      values,
    );
    // log p(2y | 2e) = 2·log p(y | e) + 2y·log 2 − log (2y)! + 2·log y!
    const constant = counts.data.reduce((sum, y, k) => {
      if (twice(Math.floor(k / D)) === 1) return sum;
      return sum + 2 * y * Math.log(2) - logFactorial(2 * y) + 2 * logFactorial(y);
    }, 0);
    expect(Math.abs(doubled.objective - weighted.objective - constant)).toBeLessThan(
      1e-9 * Math.abs(doubled.objective),
    );
    const path = 'mapping.variational.mean' as never;
    const [own, other] = [weighted, doubled].map(({ gradients }) => gradients[path] as unknown as Matrix);
    own!.data.forEach((slope, k) => {
      expect(Math.abs(slope - other!.data[k]!)).toBeLessThan(1e-8 * (1 + Math.abs(slope)));
    });
  });

  it('is added to the functions: expected densities under their moments without it, by the trapezoidal rule', async () => {
    const likelihoods = [
      [poisson(), counts],
      [negativeBinomial({ size: 3 }), counts],
      [bernoulli(), counts.map((y) => +(y > 10))],
    ] as const;
    for (const [likelihood, Y] of likelihoods) {
      const model = gplvm(Y, { ...OPTIONS, likelihood, offset });
      const values = moved(gplvm, poisson()) as never;
      const plain = await fit(model, { maxIterations: 1, start: values } as never);
      const at = { ...plain.parameters, latents: plain.latents } as never;
      const { terms } = evaluate(model, at);
      const zero = hidden.map(() => [0]);
      const { mean, variance } = plain.predict(plain.latents, { given: zero });
      const density = (f: number, y: number) => {
        if (likelihood.name === 'bernoulli') return y === 1 ? -Math.log1p(Math.exp(-f)) : -Math.log1p(Math.exp(f));
        if (likelihood.name === 'poisson') return y * f - Math.exp(f) - logFactorial(y);
        const r = (plain.parameters as Record<string, unknown>)['mapping.likelihood.size'] as number;
        const choices = Array.from({ length: y }, (_, k) => Math.log(r + k)).reduce((a, b) => a + b, 0);
        return choices - logFactorial(y) + y * f + r * Math.log(r) - (y + r) * Math.log(r + Math.exp(f));
      };
      let expected = 0;
      for (let n = 0; n < N; n++) {
        for (let d = 0; d < D; d++) {
          const [m, s] = [mean.at(n, d), Math.sqrt(variance.at(n, d))];
          for (let k = -400; k <= 400; k++) {
            const z = k / 40;
            const weight = Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI) / 40;
            expected += weight * density(m + s * z + offset[n]!, Y.at(n, d));
          }
        }
      }
      const m = (plain.parameters as unknown as Record<string, Matrix>)['mapping.variational.mean']!;
      const root = (plain.parameters as unknown as Record<string, Matrix>)['mapping.variational.root']!;
      const M = m.rows;
      // Σ_d KL(N(m_d, C_d·C_dᵀ)‖N(0, I))
      let divergence = 0.5 * m.data.reduce((sum, entry) => sum + entry * entry, 0) - 0.5 * D * M;
      for (let i = 0; i < root.rows; i++) {
        for (let j = 0; j <= i % M; j++) divergence += 0.5 * root.at(i, j) ** 2;
        divergence -= Math.log(Math.abs(root.at(i, i % M)));
      }
      expect(Math.abs((terms as Record<string, number>).mapping! - expected + divergence)).toBeLessThan(
        1e-6 * Math.abs(expected),
      );
    }
  });

  it.each(makers)('has gradients that agree with differences, in %s', (_, make) => {
    const model = make(counts, { ...OPTIONS, likelihood: negativeBinomial({ size: 3 }), offset });
    const values = moved(make, poisson()) as Record<string, Matrix>;
    const { gradients } = evaluate(model, values as never);
    const h = 1e-5;
    for (const [path, value] of Object.entries(values)) {
      for (const place of [0, 2]) {
        const changed = (by: number) =>
          evaluate(model, {
            ...values,
            [path]: value.map((entry, i, j) => (i * value.columns + j === place ? entry + by : entry)),
          } as never).objective;
        const slope = (changed(h) - changed(-h)) / (2 * h);
        const own = (gradients as unknown as Record<string, Matrix>)[path]!.data[place]!;
        expect(Math.abs(own - slope)).toBeLessThan(1e-5 * (1 + Math.abs(slope)));
      }
    }
  });

  it('shows rates, not exposures: predictions are proportional to the exposure, places do not depend on it', async () => {
    const models = [
      gplvm(counts, { ...OPTIONS, likelihood: poisson(), offset }),
      bayesianGplvm(counts, { ...OPTIONS, likelihood: poisson(), offset }),
      bayesianGplvm(counts, { ...OPTIONS, likelihood: poisson(), offset, given: covariates(column(hidden)) }),
      bayesianGplvm(counts, {
        ...OPTIONS,
        columns: byKind({ as: { column0: 'count', column1: 'count', column2: 'count' } }),
        offset,
      }),
    ] as readonly ReturnType<typeof gplvm>[];
    for (const [k, model] of models.entries()) {
      const result = await fit(model, { maxIterations: 60 });
      const again = (await loadFit(JSON.parse(JSON.stringify(result)))) as unknown as typeof result;
      expect(again.objective).toBe(result.objective);
      const rows = Matrix.from(counts.toArrays().slice(0, 4));
      const beside = (own: readonly number[]) =>
        k === 2 ? { given: column(hidden.slice(0, own.length)), offset: column(own) } : { offset: column(own) };
      const given = beside(offset.slice(0, 4));
      const [own, other] = [await result.project(rows, { given }), await again.project(rows, { given })];
      expect(other.latents.toArrays()).toEqual(own.latents.toArrays());
      const tenfold = await result.project(
        rows.map((y) => 10 * y),
        { given: beside(offset.slice(0, 4).map((entry) => entry + Math.log(10))) },
      );
      tenfold.latents.data.forEach((x, i) => {
        expect(Math.abs(x - own.latents.data[i]!)).toBeLessThan(0.5);
      });
      const at = (e: number) =>
        result.predict(own.latents, { given: beside([e, e, e, e].map(Math.log)), noise: true }).mean;
      const many = at(1000);
      at(1).data.forEach((entry, i) => {
        expect(Math.abs(many.data[i]! / entry / 1000 - 1)).toBeLessThan(1e-9);
        expect(Math.abs(Math.log(entry / rate(Math.floor(i / D), i % D)))).toBeLessThan(0.7);
      });
      const holed = rows.map((entry, i, j) => (i === j ? Number.NaN : entry));
      expect((await again.impute(holed, { given })).mean.toArrays()).toEqual(
        (await result.impute(holed, { given })).mean.toArrays(),
      );
      expect(again.sample(own.latents, { given }).toArrays()).toEqual(result.sample(own.latents, { given }).toArrays());
      await expect(result.project(rows)).rejects.toThrow(/needs rows of '(given|offset)' too/);
      await expect(result.project(rows, { given: beside([1, 2, 3]) })).rejects.toThrow(InvalidInputError);
      await expect(result.project(rows, { given: beside([1, 2, 3, Number.NaN]) })).rejects.toThrow(
        /'offset' must contain finite numbers/,
      );
      expect(() => result.predict(own.latents)).toThrow(InvalidInputError);
    }
  });

  it('is refused where it cannot be added, of another length, and with entries that are not finite', () => {
    const of = (options: object) => () => gplvm(counts, { ...OPTIONS, likelihood: poisson(), ...options });
    expect(of({ offset: offset.slice(1) })).toThrow(/each of 24 rows, but 23 were given/);
    expect(of({ offset: offset.map((own, n) => (n === 3 ? Number.NaN : own)) })).toThrow(/row index 3 has NaN/);
    expect(of({ offset: exposure.map((own, n) => Math.log(n === 0 ? 0 : own)) })).toThrow(/row index 0 has -Infinity/);
    expect(of({ offset: 3 })).toThrow(InvalidInputError);
    expect(of({ offset, likelihood: undefined })).toThrow(/Subtract it from real numbers/);
    const numbers = Matrix.from(hidden.map((x) => [x, x * x, Math.sin(x)]));
    expect(() => bayesianGplvm(numbers, { ...OPTIONS, columns: byKind(), offset })).toThrow(/no column is one/);
  });
});
