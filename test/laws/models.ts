import * as fc from 'fast-check';
import { type AnyModel, type Fit, fit, Matrix, seededRandom } from 'latentfield';
import { afterAll, describe, expect, it } from 'vitest';
import { namedModels } from '../../src/models/catalog.ts';

export const { laws, leftOut } = (await import(new URL('table.mjs', import.meta.url).href)) as {
  laws: Readonly<Record<string, string>>;
  leftOut: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

export type Rows = readonly (readonly number[])[];
export interface Table {
  readonly Y: Rows;
  readonly labels: readonly number[];
}

/** Three noisy arcs, 14 to 18 points in three to five dimensions. */
const tables = fc
  .record({
    seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
    n: fc.integer({ min: 14, max: 18 }),
    dim: fc.integer({ min: 3, max: 5 }),
  })
  .map(({ seed, n, dim }): Table => {
    const random = seededRandom(seed);
    const labels = Array.from({ length: n }, (_, i) => i % 3);
    const Y = labels.map((label, i) => {
      const angle = i / 5 + label;
      const curve = [Math.cos(angle), Math.sin(angle), label, 0.5 * label * angle, Math.sin(2 * angle)];
      return curve.slice(0, dim).map((y) => y + 0.1 * random.normal());
    });
    return { Y, labels };
  });

/** A table, and something that is drawn for its number of rows and of columns. */
export const tableWith = <T>(drawn: (n: number, dim: number) => fc.Arbitrary<T>): fc.Arbitrary<[Table, T]> =>
  tables.chain((table) => fc.tuple(fc.constant(table), drawn(table.Y.length, table.Y[0]!.length)));
export const numbers = (count: number, min: number, max: number) =>
  fc.array(fc.double({ min, max, noNaN: true }), { minLength: count, maxLength: count });
export const permutations = (n: number) =>
  fc.shuffledSubarray(
    Array.from({ length: n }, (_, i) => i),
    { minLength: n, maxLength: n },
  );

type Options = Readonly<Record<string, unknown>>;
/** Options under which a model of few rows is worth a look. */
const optionsOf = (name: string, n: number): Options | undefined =>
  ({
    // With fewer, those that it begins with depend on the order of rows.
    bayesianGplvm: { inducing: n },
    llGplvm: { neighbors: 4 },
    tsneGplvm: { perplexity: 4 },
    tsne: { perplexity: 4, steps: 20 },
    umap: { neighbors: 5, steps: 20 },
    meu: { neighbors: 5 },
    alle: { neighbors: 4 },
    drill: { neighbors: 5, penalty: 0.05 },
    isomap: { neighbors: 7 },
    mvu: { neighbors: 5 },
    lle: { neighbors: 6 },
    laplacianEigenmaps: { neighbors: 7 },
    lpp: { neighbors: 6 },
    slpp: { neighbors: 3 },
  })[name];
/** Solvers whose first steps depend on the order of rows, and whose optimum does not. */
const ITERATIONS: Readonly<Record<string, number>> = { meu: 60, mpme: 60, mvu: 1000 };

/** Fits of the laws of one file, which begin with the same tables. */
const made = new Map<string, Promise<Fit>>();

/** A fit of a few iterations: laws hold after each, with the exceptions above. */
export function fitted(name: string, { Y, labels }: Table, more: Options = {}): Promise<Fit> {
  const key = JSON.stringify([name, Y, labels, more]);
  if (!made.has(key)) {
    const options = { latentDim: 2, ...optionsOf(name, Y.length), ...more };
    const model: AnyModel = namedModels[name]!.make(Y as number[][], labels, options);
    made.set(key, fit(model, { seed: 1, maxIterations: ITERATIONS[name] ?? 4, engine: 'wasm' }) as Promise<Fit>);
  }
  return made.get(key)!;
}

/** Models whose mapping is that of gplvm, with another prior of the latents. */
const ofGplvm = ['llGplvm', 'rankGplvm', 'tsneGplvm'];

/** One test per model that claims a law: of one table, and of more tables and models by `npm run test:all`. */
export function testLaw<T>(
  law: string,
  drawn: fc.Arbitrary<[Table, T]>,
  holds: (name: string, table: Table, by: T) => Promise<void>,
) {
  afterAll(() => made.clear());
  const property = (name: string) => fc.asyncProperty(drawn, ([table, by]) => holds(name, table, by));
  describe(laws[law]!, () => {
    const claiming = Object.keys(namedModels).filter((name) => leftOut[name]?.[law] === undefined);
    for (const name of claiming)
      it(name, { tags: ofGplvm.includes(name) ? 'long' : [] }, () =>
        fc.assert(property(name), { numRuns: 1, seed: 56, endOnFailure: true }),
      );
    it.for(claiming)('%s, more tables', { tags: 'long' }, (name) =>
      fc.assert(property(name), { numRuns: ofGplvm.includes(name) ? 2 : 6, seed: 65, endOnFailure: true }),
    );
  });
}

/** Fails where numbers differ by more than a part of the largest of them. */
export function near(found: Rows, wanted: Rows, tolerance = 1e-6): void {
  const size = Math.max(...wanted.flat().map(Math.abs));
  const difference = Math.max(...found.flatMap((row, i) => row.map((y, j) => Math.abs(y - wanted[i]![j]!))));
  expect(difference / size).toBeLessThan(tolerance);
}

/** Fails where latents are not those of another fit, up to rotations and reflections: row i is the other's row places[i]. */
export function sameMap(
  found: Matrix,
  wanted: Matrix,
  places: readonly number[] = Array.from({ length: wanted.rows }, (_, i) => i),
): void {
  const of = (X: Rows) => X.map((a) => X.map((b) => Math.hypot(...a.map((x, d) => x - b[d]!))));
  const rows = wanted.toArrays();
  near(of(found.toArrays()), of(places.map((i) => rows[i]!)));
}

/** Predictions at the latents of a fit. */
export const predicted = (result: Fit): Rows | undefined => result.predict?.(result.latents).mean.toArrays();

/** Three rows that are near to some of a table. */
export const rowsNear = ({ Y }: Table): Matrix =>
  Matrix.from([2, 7, 11].map((i) => Y[i]!.map((y, d) => y + 0.02 * (d + 1) - 0.01 * (i % 4))));
