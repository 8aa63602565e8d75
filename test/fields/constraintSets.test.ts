import {
  defineModel,
  embedded,
  evaluate,
  fit,
  gplvm,
  InvalidInputError,
  knnGraph,
  loadFit,
  Matrix,
  maxEntropy,
  meu,
  mpme,
  observed,
  products,
  type QuadraticForm,
  quadratic,
  seededRandom,
  squaredDifferences,
  standardNormal,
} from 'latentfield';
import { bestMultipliers } from 'latentfield/fields';
import { describe, expect, it } from 'vitest';

const random = seededRandom(8);
const N = 12;
const Y = Matrix.from(
  Array.from({ length: N }, (_, i) => [Math.cos(i / 2), Math.sin(i / 2), i / 6].map((y) => y + 0.1 * random.normal())),
);
const means = [0, 1, 2].map((c) => Y.toArrays().reduce((sum, row) => sum + row[c]! / N, 0));
const centered = Matrix.from(Y.toArrays().map((row) => row.map((y, c) => y - means[c]!)));
const graph = knnGraph(Y, 3);
/** (x_i − 2x_{i+1} + x_{i+2})² */
const bends = Array.from(
  { length: N - 2 },
  (_, i): QuadraticForm => ({
    rows: [i, i, i, i + 1, i + 1, i + 2],
    columns: [i, i + 1, i + 2, i + 1, i + 2, i + 2],
    values: [1, -2, 1, 4, -2, 1],
  }),
);
const twoSets = defineModel({
  name: 'twoSets',
  variables: ({ y }: { y: Matrix }) => {
    const density = maxEntropy({ base: 0.5, expect: { near: squaredDifferences(graph), bend: quadratic(bends) } });
    const own = observed(y, { density });
    return { y: own, x: embedded(own, { dim: 2 }) };
  },
});
/** xᵀAx of a matrix M in the place of xxᵀ. */
const statistic = ({ rows, columns, values }: QuadraticForm, M: (i: number, j: number) => number) =>
  Array.from(rows).reduce((sum, i, e) => sum + (i === columns[e] ? 1 : 2) * values[e]! * M(i, columns[e]!), 0);
const edge = (e: number): QuadraticForm => ({
  rows: [graph.sources[e]!, graph.sources[e]!, graph.targets[e]!],
  columns: [graph.sources[e]!, graph.targets[e]!, graph.targets[e]!],
  values: [1, -1, 1],
});
const inData = (i: number, j: number) => centered.row(i).reduce((sum, entry, c) => sum + entry * centered.at(j, c), 0);

describe('a maximum-entropy field of several sets of constraints', () => {
  it('meets all of them together, and shows both in its covariance and graph', async () => {
    const result = await fit(twoSets({ y: Y }));
    expect(result.status).toBe('converged');
    expect(result.diagnostics.kktResidual).toBeLessThan(1e-8);
    const { multipliers, kktResidual, graph: shown } = result.field('y');
    expect(kktResidual).toBeLessThan(1e-8);
    const U = result.covariance();
    const [near, bend] = [multipliers.near as number[], multipliers.bend as number[]];
    const check = (form: QuadraticForm, weight: number) => {
      const expected = 3 * statistic(form, (i, j) => U.at(i, j));
      const asked = statistic(form, inData);
      const excess = (expected - asked) / asked;
      expect(weight > 0 ? Math.abs(excess) : Math.max(0, excess)).toBeLessThan(1e-7);
    };
    for (const [e, weight] of near.entries()) check(edge(e), weight);
    for (const [k, weight] of bend.entries()) check(bends[k]!, weight);
    expect(Math.min(...near, ...bend)).toBe(0);
    expect(bend.some((weight) => weight > 0) && near.some((weight) => weight > 0)).toBe(true);
    // The second set has entries between points that are two apart, whether or not they are neighbors.
    const pairs = new Set(Array.from(shown.sources, (i, e) => `${i} ${shown.targets[e]}`));
    bend.forEach((weight, k) => {
      if (weight > 1e-6) expect(pairs.has(`${k} ${k + 2}`)).toBe(true);
    });
    expect([result.latents.rows, result.latents.columns]).toEqual([N, 2]);
    const again = loadFit(JSON.parse(JSON.stringify(result)), { models: { twoSets } });
    expect(again.latents).toEqual(result.latents);
  });

  it('is read off by eigenvectors of its precision too, as meu reads its own', async () => {
    const near = defineModel({
      name: 'near',
      variables: ({ y }: { y: Matrix }) => {
        const own = observed(y, { density: maxEntropy({ base: 0.5, expect: { near: squaredDifferences(graph) } }) });
        return { y: own, x: embedded(own, { dim: 2, by: 'eigenmap' }) };
      },
    });
    const { latents } = await fit(near({ y: Y }), { tolerance: 1e-10 });
    const named = await fit(meu(Y, { neighbors: 3, basePrecision: 0.5, embedding: 'eigenmap' }));
    for (let c = 0; c < 2; c++) {
      const sign = Math.sign(latents.at(0, c) * named.latents.at(0, c));
      for (let i = 0; i < N; i++) expect(Math.abs(latents.at(i, c) - sign * named.latents.at(i, c))).toBeLessThan(1e-6);
    }
  });

  it('of known values is a model alone, and coordinates derived from it agree with mpme', async () => {
    const squared = Float64Array.from(graph.sources, (i, e) => statistic(edge(e), inData) * (1 + 0.1 * (i % 2)));
    const expected = (copies: number) =>
      maxEntropy({ base: 0.5, copies, expect: { near: squaredDifferences(graph, squared) } });
    const alone = defineModel({
      name: 'alone',
      variables: ({ copies }: { copies: number }) => ({ x: embedded(expected(copies), { dim: 2 }) }),
    });
    const result = await fit(alone({ copies: 2 }), { tolerance: 1e-10 });
    const named = await fit(mpme({ graph, squaredDistances: squared }, { latentDim: 2, basePrecision: 0.5 }));
    expect(result.objective).toBeCloseTo(named.objective, 9);
    const U = named.covariance();
    result.covariance().data.forEach((entry, i) => {
      expect(entry).toBeCloseTo(U.data[i]!, 6);
    });
    expect(result.field('x').kktResidual).toBeLessThan(1e-7);
    expect([result.latents.rows, result.latents.columns]).toEqual([N, 2]);
    const again = loadFit(JSON.parse(JSON.stringify(result)), { models: { alone } });
    expect(again.latents).toEqual(result.latents);
    expect('project' in result || 'predict' in result).toBe(false);

    const rows = maxEntropy({ base: 0.5, expect: { near: squaredDifferences(graph) } });
    const open = defineModel({ name: 'open', variables: (_: object) => ({ x: embedded(rows, { dim: 2 }) }) });
    expect(() => open({})).toThrow(/no observed one/);
    const both = defineModel({
      name: 'both',
      variables: ({ y }: { y: Matrix }) => ({ y: observed(y, { density: rows }), x: embedded(rows, { dim: 2 }) }),
    });
    expect(() => both({ y: Y })).toThrow(/speaks of rows.*Give values to all sets/);
    const none = defineModel({
      name: 'none',
      variables: ({ y }: { y: Matrix }) => ({
        y: observed(y, { density: rows }),
        x: embedded(standardNormal(), { dim: 2 }),
      }),
    });
    expect(() => none({ y: Y })).toThrow(/is read off a random field, but/);
  });

  it('has the log density of a normal of its precision, with gradients by differences', async () => {
    const at = {
      'y.near': graph.weights.map((_, e) => 0.3 + 0.1 * (e % 3)),
      'y.bend': bends.map((_, k) => 0.2 + 0.05 * k),
    };
    const values = Object.fromEntries(Object.entries(at).map(([path, own]) => [path, Array.from(own)]));
    const { objective, gradients } = await evaluate(twoSets({ y: Y }), values);
    const Q = Array.from({ length: N }, (_, i) => Array.from({ length: N }, (_, j) => (i === j ? 0.5 : 0)));
    const add = ({ rows, columns, values: own }: QuadraticForm, w: number) =>
      Array.from(rows).forEach((i, e) => {
        const j = columns[e]!;
        Q[i]![j]! += w * own[e]!;
        if (i !== j) Q[j]![i]! += w * own[e]!;
      });
    for (const [e, w] of values['y.near']!.entries()) add(edge(e), w);
    for (const [k, w] of values['y.bend']!.entries()) add(bends[k]!, w);
    // Gaussian elimination for log|Q|.
    const A = Q.map((row) => [...row]);
    let logDeterminant = 0;
    for (let k = 0; k < N; k++) {
      logDeterminant += Math.log(A[k]![k]!);
      for (let i = k + 1; i < N; i++) {
        const f = A[i]![k]! / A[k]![k]!;
        for (let j = k; j < N; j++) A[i]![j]! -= f * A[k]![j]!;
      }
    }
    let energy = 0;
    for (let i = 0; i < N; i++) for (let j = 0; j < N; j++) energy += Q[i]![j]! * inData(i, j);
    const exact = 1.5 * logDeterminant - 0.5 * energy - 1.5 * N * Math.log(2 * Math.PI);
    expect(Math.abs(objective - exact)).toBeLessThan(1e-10 * Math.abs(exact));
    for (const path of ['y.near', 'y.bend']) {
      const shifted = async (h: number) => {
        const moved = { ...values, [path]: values[path]!.map((w, k) => (k === 1 ? w + h : w)) };
        return (await evaluate(twoSets({ y: Y }), moved)).objective;
      };
      const slope = ((await shifted(1e-5)) - (await shifted(-1e-5))) / 2e-5;
      expect(Math.abs((gradients as Record<string, number[]>)[path]![1]! - slope)).toBeLessThan(
        1e-6 * Math.max(1, Math.abs(slope)),
      );
    }
  });

  it('expects products exactly, with multipliers of either sign', async () => {
    const pairs: [number, number][] = Array.from({ length: N }, (_, i): [number, number] => [i, i]).concat([
      [0, 1],
      [3, 9],
    ]);
    const model = defineModel({
      name: 'gram',
      variables: ({ y }: { y: Matrix }) => {
        const own = observed(y, { density: maxEntropy({ base: 0.01, expect: { gram: products(pairs) } }) });
        return { y: own, x: embedded(own, { dim: 2 }) };
      },
    });
    const result = await fit(model({ y: Y }));
    const U = result.covariance();
    for (const [i, j] of pairs) expect(3 * U.at(i, j)).toBeCloseTo(inData(i, j), 7);
    expect(Math.min(...(result.field('y').multipliers.gram as number[]))).toBeLessThan(0);
  });

  it('is refused next to another field on the same variable, with the remedy', () => {
    const near = maxEntropy({ base: 0.5, expect: { near: squaredDifferences(graph) } });
    const two = defineModel({
      name: 'two',
      variables: ({ y }: { y: Matrix }) => {
        const own = observed(y, { density: near, factors: maxEntropy({ expect: { bend: quadratic(bends) } }) });
        return { y: own, x: embedded(own, { dim: 2 }) };
      },
    });
    expect(() => evaluate(two({ y: Y }))).toThrow(/put all sets in expect/);
    const layers = [graph, knnGraph(Y, 5)].map((pairs) =>
      maxEntropy({ copies: 2, slack: 25, multipliers: bestMultipliers(), expect: { near: squaredDifferences(pairs) } }),
    );
    expect(() => gplvm(Y, { latentDim: 2, priors: layers })).toThrow(/put all sets in expect/);
    const wrong: [() => object, RegExp][] = [
      [() => maxEntropy({ expect: {} }), /at least one set of constraints/],
      [() => maxEntropy({ expect: { near: graph as never } }), /'near' of expect must be a set of constraints/],
      [() => quadratic([]), /quadratic takes a list of at least one form/],
      [() => quadratic([{ rows: [1], columns: [0], values: [1] }]), /Form 0 of quadratic needs rows/],
      [() => quadratic([{ rows: [0, 1], columns: [1, 0], values: [1, 1] }]), /Form 0 of quadratic needs rows/],
      [() => quadratic([{ rows: [0, 1], columns: [1], values: [1, 1] }]), /Form 0 of quadratic needs rows/],
      [() => quadratic([{ rows: [0, 1], columns: [1, 1], values: [1, Number.NaN] }]), /Form 0 of quadratic needs rows/],
      [() => squaredDifferences(graph, [1]), /takes squared distances as a list of one number for each of the/],
      [() => quadratic(bends, undefined, { at: 'least' as never }), /'most' or 'exactly'/],
    ];
    for (const [make, message] of wrong) {
      expect(make).toThrow(message);
      expect(make).toThrow(InvalidInputError);
    }
  });
});
