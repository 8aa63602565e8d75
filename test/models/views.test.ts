import {
  evaluate,
  fit,
  fixedAt,
  gaussian,
  gplvm,
  InvalidInputError,
  latentVariableModel,
  loadFit,
  Matrix,
  rbf,
  standardNormal,
} from 'latentfield';
import { checkModel } from 'latentfield/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { seededRandom } from '../../src/core/random.ts';
import { expectClose } from '../tolerance.ts';

const random = seededRandom(5);
const noisy = (entries: number[]) => entries.map((entry) => entry + 0.02 * random.normal());
const A = Array.from({ length: 20 }, (_, i) => noisy([Math.cos(i / 4), Math.sin(i / 4), i / 10]));
const B = Array.from({ length: 20 }, (_, i) => noisy([Math.sin(i / 4) ** 2, i / 20]));
const kernel = () => rbf({ variance: 1, lengthscale: 1 });
const shared = (a = A, b = B, missing?: 'ignore') =>
  latentVariableModel({
    latentDim: 2,
    views: {
      a: { observations: a, kernel: kernel(), noise: 0.01, missing },
      b: { observations: b, kernel: kernel(), likelihood: gaussian({ variance: [0.01, 0.02] }), missing },
    },
    priors: [standardNormal()],
  });

describe('a model with two views', () => {
  it('has the density of both, each with its own kernel and noise', () => {
    const latents = Matrix.from(A.map((row) => row.slice(0, 2)));
    const ofOne = (observations: number[][], noise: number | number[]) =>
      evaluate(latentVariableModel({ observations, latentDim: 2, kernel: kernel(), noise }), { latents });
    const both = evaluate(shared(), { latents });
    const [a, b] = [ofOne(A, 0.01), ofOne(B, [0.01, 0.02])];
    expect(Object.keys(both.terms)).toEqual(['a', 'b', 'standardNormal']);
    expectClose(both.terms.a!, a.objective, 1e-13);
    expectClose(both.terms.b!, b.objective, 1e-13);
    for (const parameter of ['kernel.rbf.lengthscale', 'noise']) {
      expectClose(
        both.gradients[`views.a.${parameter}`] as number,
        a.gradients[`mapping.${parameter}`] as number,
        1e-11,
      );
    }
    expect(Object.keys(both.gradients)).toContain('views.b.noise');
    expect(checkModel(shared()).passed).toBe(true);
  });

  it('has twice the density of one view where the other is a copy of it', () => {
    const latents = Matrix.from(A.map((row) => row.slice(0, 2)));
    for (const inducing of [undefined, 6]) {
      const view = { observations: A, kernel: kernel(), noise: 0.01, inducing };
      const one = evaluate(latentVariableModel({ latentDim: 2, views: { a: view } }), { latents });
      const both = evaluate(latentVariableModel({ latentDim: 2, views: { a: view, copy: view } }), { latents });
      expectClose(both.objective, 2 * one.objective, 1e-14);
      expectClose(
        both.gradients.latents,
        (one.gradients.latents as Matrix).data.map((entry) => 2 * entry),
        1e-12,
      );
    }
  });

  it('predicts, places and translates by view, and comes back from JSON with the same bits', async () => {
    const result = await fit(shared(), { maxIterations: 60 });
    const X = result.latents;
    expectClose(result.predict(X, { view: 'a' }).mean, A, 0.2);
    const fresh = A.slice(4, 7);
    const placed = await result.project({ a: fresh });
    expectClose(placed.latents, X.toArrays().slice(4, 7), 0.1);
    const translated = await result.translate({ a: fresh }, 'b');
    expect(translated.latents).toEqual(placed.latents);
    expect(translated.latentVariances).toEqual(placed.latentVariances);
    // Over the places where the rows may lie, which are known well: nearly the prediction at the likeliest one.
    const there = result.predict(placed.latents, { view: 'b' });
    expectClose(translated.mean, there.mean, 1e-3);
    translated.variance.data.forEach((entry, i) => {
      expect(entry).toBeGreaterThan(there.variance.data[i]!);
    });
    expectClose(translated.mean, B.slice(4, 7), 0.15);
    const fromB = await result.project({ b: B.slice(4, 7) });
    expect(fromB.latents.rows).toBe(3);
    const both = await result.project({ a: fresh, b: B.slice(4, 7) });
    const density = (view: 'a' | 'b', Y: number[][]) => {
      const { mean, variance } = result.predict(both.latents, { view, noise: true });
      return Array.from({ length: 3 }, (_, i) =>
        Y[i]!.reduce(
          (sum, y, j) =>
            sum - 0.5 * (Math.log(2 * Math.PI * variance.at(i, j)) + (y - mean.at(i, j)) ** 2 / variance.at(i, j)),
          0,
        ),
      );
    };
    const [ofA, ofB] = [density('a', fresh), density('b', B.slice(4, 7))];
    expectClose(
      both.logDensityAtPlace!,
      ofA.map((entry, i) => entry + ofB[i]!),
      1e-10,
    );
    expectClose(
      (await result.reconstruct({ b: B.slice(4, 7) })).b,
      result.predict(fromB.latents, { view: 'b' }).mean,
      0.1,
    );
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    const loaded = again as unknown as typeof result;
    expect(loaded.predict(X, { view: 'b' })).toEqual(result.predict(X, { view: 'b' }));
    expect(await loaded.project({ a: fresh })).toEqual(placed);
    expect(loaded.sample(X, { view: 'a', seed: 3 })).toEqual(result.sample(X, { view: 'a', seed: 3 }));
  });

  it('takes points that one of the views lacks', async () => {
    const holes = B.map((row, i) => (i % 5 === 0 ? row.map(() => Number.NaN) : row));
    const model = shared(A, holes, 'ignore');
    expect(checkModel(model).passed).toBe(true);
    const seen = holes.map((_, i) => i).filter((i) => i % 5 !== 0);
    const latents = A.map((row) => row.slice(0, 2));
    const ofSeen = latentVariableModel({
      observations: seen.map((i) => holes[i]!),
      latentDim: 2,
      kernel: kernel(),
      noise: [0.01, 0.02],
    });
    const alone = evaluate(ofSeen, { latents: seen.map((i) => latents[i]!) });
    expectClose(evaluate(model, { latents }).terms.b!, alone.objective, 1e-12);
  });

  it('lists its views, in errors and in types', async () => {
    const result = await fit(shared(), { maxIterations: 0 });
    expectTypeOf(result.predict).parameter(1).toHaveProperty('view').toEqualTypeOf<'a' | 'b'>();
    // @ts-expect-error no such view
    expect(() => result.predict([[0, 0]], { view: 'c' })).toThrow(/no variable 'c'.*Known are a, b/);
    // @ts-expect-error which view?
    expect(() => result.predict([[0, 0]])).toThrow(/which variable is meant: \{ view: 'a' \}/);
    // @ts-expect-error no such view
    await expect(result.project({ c: A })).rejects.toThrow(InvalidInputError);
    await expect(result.project({})).rejects.toThrow(/at least one observed variable/);
    await expect(result.project({ a: B })).rejects.toThrow(/'a' with 3 columns/);
    await expect(result.project({ a: A, b: B.slice(1) })).rejects.toThrow(/'a' has 20 and 'b' has 19/);
  });

  it.each<[string, object, RegExp]>([
    [
      'views of different points',
      { a: { observations: A, kernel: kernel() }, b: { observations: B.slice(1), kernel: kernel() } },
      /'a' has 20 and 'b' has 19/,
    ],
    ['no view', {}, /at least one view/],
    [
      'a view without a kernel',
      { a: { observations: A } },
      /view 'a' of latentVariableModel needs the option 'kernel'/,
    ],
    [
      'an option that a view does not have',
      { a: { observations: A, kernel: kernel(), kernal: 1 } },
      /view 'a' .* has no option 'kernal'/,
    ],
    ['a name with a dot', { 'a.b': { observations: A, kernel: kernel() } }, /one word/],
  ])('refuses %s', (_, views, message) => {
    const make = () => latentVariableModel({ latentDim: 2, views: views as never });
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });
});

describe('fixed latents', () => {
  it('stay, while the other parameters are fitted, and come back from JSON', async () => {
    const X = A.map((row) => row.slice(0, 2));
    const result = await fit(gplvm(A, { latentDim: 2, posterior: fixedAt(X) }), { maxIterations: 30 });
    expect(result.latents.toArrays()).toEqual(X);
    expect(Object.keys(evaluate(gplvm(A, { latentDim: 2, posterior: fixedAt(X) })).gradients)).not.toContain('latents');
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.predict(X)).toEqual(result.predict(X));
    expect(() => evaluate(gplvm(A, { latentDim: 2, posterior: fixedAt(X.slice(1)) }))).toThrow(/init must be 20×2/);
  });
});
