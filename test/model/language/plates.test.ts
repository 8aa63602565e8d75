import {
  defineModel,
  describe as described,
  encoded,
  evaluate,
  fit,
  fixed,
  fixedAt,
  gaussian,
  gaussianLatents,
  gaussianProcess,
  known,
  type LatentPosterior,
  latent,
  linearMap,
  loadFit,
  Matrix,
  mapped,
  mlpMap,
  observed,
  rbf,
  samplePrior,
  seededRandom,
  standardNormal,
} from 'latentfield';
import * as op from 'latentfield/ops';
import { checkModel } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';

const random = seededRandom(8);
const N = 12;
const schools = [5, 2, 7, 7, 2, 5, 5, 2, 7, 5, 5, 2];
/** Row of each point in a plate of the values 2, 5, 7. */
const places = schools.map((own) => [2, 5, 7].indexOf(own));
const school = Matrix.from(schools.map((own) => [own]));
const x = Matrix.from(schools.map(() => [random.normal(), random.normal()]));
const Y = Matrix.from(schools.map((own) => [own / 3 + random.normal(), random.normal() - own / 5]));
const U = Matrix.from([
  [0.3, -0.2],
  [1.1, 0.4],
  [-0.6, 0.9],
]);
const W = Matrix.from([
  [0.5, -1],
  [0.2, 0.7],
]);

interface Data {
  readonly y: Matrix;
  readonly x: Matrix;
  readonly school: Matrix;
}
// y_n ~ N(Wᵀx_n + u_school(n), σ²), u_k ~ N(0, I/4): partial pooling
const effects = defineModel({
  name: 'effects',
  variables: ({ y, x, school }: Data) => {
    const inputs = known(x);
    const u = latent({ dim: 2, rows: 'school', density: standardNormal({ precision: fixed(4) }) });
    const line = mapped(inputs, linearMap(), { dim: 2 });
    const f = mapped([line, u], op.add);
    const density = gaussian({ variance: 0.1 });
    return { inputs, school: known(school), u, line, f, y: observed(y, { density, given: f, missing: 'ignore' }) };
  },
});
const data = { y: Y, x, school };
const values = { u: U, 'line.weights': W, 'y.noise': 0.3 };
const misfit = (n: number, d: number, u: Matrix, w: Matrix) =>
  Y.at(n, d) - x.at(n, 0) * w.at(0, d) - x.at(n, 1) * w.at(1, d) - u.at(places[n]!, d);
const normal = (gap: number, variance: number) => -0.5 * (Math.log(2 * Math.PI * variance) + gap ** 2 / variance);

describe('a plate of the values of a known variable', () => {
  it('gives each point its own row, in the value and in the gradients', async () => {
    const { terms, gradients } = await evaluate(effects(data), values);
    let [ofRows, ofPlate] = [0, 0];
    const slopes = Matrix.zeros(3, 2);
    for (let d = 0; d < 2; d++) {
      for (let n = 0; n < N; n++) {
        ofRows += normal(misfit(n, d, U, W), 0.3);
        slopes.data[2 * places[n]! + d]! += misfit(n, d, U, W) / 0.3;
      }
      for (let k = 0; k < 3; k++) {
        ofPlate += normal(U.at(k, d), 0.25);
        slopes.data[2 * k + d]! -= 4 * U.at(k, d);
      }
    }
    expect(terms.y).toBeCloseTo(ofRows, 10);
    expect(terms.u).toBeCloseTo(ofPlate, 10);
    const found = (gradients.u as Matrix).data;
    expect(Math.max(...found.map((own, i) => Math.abs(own - slopes.data[i]!)))).toBeLessThan(1e-10);
  });

  it('is fitted at the shrunk means of its groups, and new rows come with theirs', async () => {
    const result = await fit(effects(data), { tolerance: 1e-9, relativeDecrease: 0, maxIterations: 500 });
    const { u } = result.values;
    const { 'line.weights': w, 'y.noise': noise } = result.parameters as { 'line.weights': Matrix; 'y.noise': number };
    for (let k = 0; k < 3; k++) {
      const members = places.flatMap((own, n) => (own === k ? [n] : []));
      for (let d = 0; d < 2; d++) {
        const sum = members.reduce((total, n) => total + misfit(n, d, Matrix.zeros(3, 2), w), 0);
        expect(u.at(k, d)).toBeCloseTo(sum / (members.length + 4 * noise), 6);
      }
    }
    const at = { school: [[7], [2]], inputs: [x.row(0), x.row(0)].map((row) => Array.from(row)) };
    const { mean } = result.predict(at).y;
    for (const d of [0, 1]) {
      const line = x.at(0, 0) * w.at(0, d) + x.at(0, 1) * w.at(1, d);
      expect(mean.at(0, d)).toBeCloseTo(line + u.at(2, d), 12);
      expect(mean.at(1, d)).toBeCloseTo(line + u.at(0, d), 12);
    }
    expect(() => result.predict({ ...at, school: [[7], [3]] })).toThrow(
      /'school' of the model 'effects' is 3 in row index 1, which is not among its 3 values in the fit \(2 to 7\)/,
    );
    // @ts-expect-error groups are not there
    expect(() => result.predict({ inputs: at.inputs })).toThrow(/needs rows of 'school' too/);
    const again = loadFit(JSON.parse(JSON.stringify(result)), { models: { effects } });
    expect((again as unknown as typeof result).predict(at)).toEqual(result.predict(at));
  });

  it('has the density of all rows as the mean over batches', async () => {
    const start = values;
    const whole = await evaluate(effects(data), values);
    const batched = await fit(effects(data), { start, batchSize: 5, maxIterations: 0 });
    expect(batched.objective).toBeCloseTo(whole.objective, 9);
  });

  it('is drawn once a group, described, and passes the check of models', () => {
    const [draw] = samplePrior(effects(data), { values: { 'y.noise': 1e-12, 'line.weights': W } });
    for (let n = 0; n < N; n++) {
      for (const d of [0, 1]) {
        expect(draw!.f!.at(n, d)).toBeCloseTo(draw!.line!.at(n, d) + draw!.u!.at(places[n]!, d), 12);
      }
    }
    expect(described(effects(data))).toContain('u: latent, 3×2 ~ standardNormal, one row a value of school');
    checkModel(effects(data), { models: { effects }, values });
  });

  // Inputs of a process: a latent row per point beside one a group.
  const inputsOf = (u: 'ofGroups' | 'ofPoints') =>
    defineModel({
      name: u,
      variables: ({ y, school }: Omit<Data, 'x'>) => {
        const group = known(school);
        const z = latent({ dim: 1, density: standardNormal() });
        const own =
          u === 'ofGroups'
            ? latent({ dim: 2, rows: 'group', density: standardNormal() })
            : latent({ dim: 2, posterior: fixedAt(Matrix.from(places.map((k) => Array.from(U.row(k))))) });
        const y0 = observed(y, { density: gaussianProcess({ kernel: rbf(), noise: 0.1 }), given: [z, own] });
        return u === 'ofGroups' ? { group, z, u: own, y: y0 } : { z, u: own, y: y0 };
      },
    });

  it('is an input of a process as rows of points are, and new rows are placed in their group', {
    tags: 'long',
  }, async () => {
    const z = Matrix.from(Y.toArrays().map(([y]) => [y! / 2]));
    const groups = inputsOf('ofGroups')({ y: Y, school });
    const points = inputsOf('ofPoints')({ y: Y, school });
    const a = await evaluate(groups, { z, u: U });
    const b = await evaluate(points, { z });
    expect(a.terms.y).toBe(b.terms.y);
    expect(a.gradients.z).toEqual(b.gradients.z);
    const result = await fit(groups, { maxIterations: 30 });
    const rows = Matrix.from(Y.toArrays().slice(0, 3));
    const own = Matrix.from(school.toArrays().slice(0, 3));
    const placed = await result.project({ y: rows, group: own } as never);
    const others = await result.project({ y: rows, group: own.toArrays().map(() => [2]) } as never);
    expect([...placed.logDensity][1]).toBeCloseTo(others.logDensity[1]!, 10);
    expect(placed.logDensity[0]).not.toBeCloseTo(others.logDensity[0]!, 3);
    checkModel(groups, { models: { ofGroups: inputsOf('ofGroups') } });
  });

  it('is interpolated between points of different groups as the group of the nearer one', async () => {
    const result = await fit(inputsOf('ofGroups')({ y: Y, school }), { maxIterations: 5 });
    const { z } = result.values;
    const path = result.interpolate(0, 2, 5);
    const way = [0, 0.25, 0.5, 0.75, 1].map((part) => (1 - part) * z!.at(0, 0) + part * z!.at(2, 0));
    const expected = result.predict({ z: way.map((own) => [own]), group: [[5], [5], [7], [7], [7]] } as never, {
      noise: true,
    });
    expect(path).toMatchObject(expected.y);
  });

  const inferred = (posterior: LatentPosterior, options: { init?: Matrix; rows?: string } = { rows: 'school' }) =>
    defineModel({
      name: 'inferred',
      variables: ({ y, x, school }: Data) => {
        const [inputs, density] = [known(x), standardNormal({ precision: fixed(4) })];
        const u = latent({ dim: 2, density, posterior, ...options });
        const own = gaussianProcess({ kernel: rbf(), inducing: 4 });
        const group = options.rows === undefined ? {} : { school: known(school) };
        return { inputs, ...group, u, y: observed(y, { density: own, given: [inputs, u] }) };
      },
    });

  it('has as many Gaussian rows as values, which start at init', async () => {
    const variance = Matrix.from(U.toArrays().map((row) => row.map((u) => 0.1 + u ** 2)));
    const model = inferred(gaussianLatents({ variance }), { rows: 'school', init: U });
    const { parameters, values: shown } = await fit(model(data), { maxIterations: 0 });
    expect([shown.u, parameters['u.posterior.mean'], parameters['u.posterior.variance']]).toEqual([U, U, variance]);
    // KL(N(m, s)‖N(0, 1/4)) of six entries, and of no more.
    const lost = U.data.reduce((sum, m, i) => {
      const s = variance.data[i]!;
      return sum + 0.5 * (4 * (s + m ** 2) - 1 - Math.log(4 * s));
    }, 0);
    const { terms } = evaluate(model(data));
    expect(terms.u! + (terms['u.entropy'] ?? 0)).toBeCloseTo(-lost, 12);
    const whole = await fit(model(data), { maxIterations: 20 });
    const read = loadFit(JSON.parse(JSON.stringify(whole)), { models: { inferred: model } });
    expect([read.objective, read.latentVariances]).toEqual([whole.objective, whole.latentVariances]);
    expect(checkModel(model(data), { models: { inferred: model }, entries: 2 }).toString()).toMatch(
      /predictions of 'y'/,
    );
    const elsewhere = Matrix.from(Y.toArrays().map(([first], i) => [first!, i % 2]));
    const points = inferred(gaussianLatents(), { init: elsewhere })(data);
    expect((await fit(points, { maxIterations: 0 })).values.u).toEqual(elsewhere);
  });

  it('is not computed from the observations of points, and not fixed and started elsewhere', () => {
    for (const posterior of [encoded(mlpMap({ hidden: 3 })), gaussian({ encoder: mlpMap({ hidden: 3 }) })]) {
      expect(() => evaluate(inferred(posterior)(data))).toThrow(
        /'u' of .* has not one row per point, but its posterior/,
      );
    }
    expect(() => latent({ dim: 2, posterior: fixedAt(U), init: U })).toThrow(/fixedAt\(X\) fixes the variable/);
  });

  it('is refused where its index is not a known number per point, or where its parent has no rows of that kind', () => {
    const refused = (options: { rows: string; index?: Matrix; given?: boolean }, message: RegExp) => {
      const model = defineModel({
        name: 'wrong',
        variables: (y: Matrix) => {
          const group = known(options.index ?? school);
          const u = latent({ dim: 2, rows: options.rows, density: standardNormal() });
          const h = mapped(options.given ? [latent({ dim: 1, rows: 3 }), u] : u, (...all) => all.at(-1)!);
          return { group, u, h, y: observed(y, { density: gaussian(), given: h }) };
        },
      });
      expect(() => evaluate(model(Y))).toThrow(message);
    };
    refused({ rows: 'school' }, /'rows' of 'u' .* is 'school', which names no known variable \(there are 'group'\)/);
    refused({ rows: 'group', index: x }, /must be 12×1, one number per point, but is 12×2/);
    refused({ rows: 'group', index: Matrix.from([[1], [2]]) }, /must be 12×1, .* but is 2×1/);
    expect(() => latent({ dim: 1, rows: 0 })).toThrow(/the name of a known variable, but 0 was given/);
  });
});
