import {
  add,
  bayesianGplvm,
  bias,
  defineModel,
  dgplvm,
  dynamics,
  evaluate,
  type FitOf,
  fit,
  type Graph,
  gaussianProcess,
  gplrf,
  gplvm,
  isomap,
  type Kernel,
  latent,
  latentVariableModel,
  linear,
  llGplvm,
  loadFit,
  Matrix,
  type Model,
  matern32,
  mpme,
  multiply,
  observed,
  type Prediction,
  rankGplvm,
  rbf,
  standardNormal,
  thinPlateSpline,
  tpslvm,
  tsneGplvm,
} from 'latentfield';
import type { ParameterValue } from 'latentfield/model';
import { describe, expect, expectTypeOf, it } from 'vitest';

const Y = Array.from({ length: 12 }, (_, i) => [Math.cos(i), Math.sin(i), i / 6, Math.cos(i / 2)]);
const options = { maxIterations: 2 };
const mapped = ['predict', 'project', 'reconstruct', 'sample', 'interpolate', 'impute'];
const ofField = ['graph', 'precision', 'covariance', 'impute'];

describe('a fit has the members that its model can do, in types and in fact', () => {
  it('of a model with a mapping', async () => {
    const result = await fit(gplvm(Y, { latentDim: 2, kernel: add(rbf(), bias()) }), options);
    expectTypeOf(result.predict([[0, 0]])).toEqualTypeOf<Prediction>();
    expectTypeOf(result.parameters['mapping.noise']).toEqualTypeOf<number | readonly number[]>();
    expect(Object.keys(result)).toEqual(expect.arrayContaining(mapped));
    expect(result).not.toHaveProperty('forecast');
    // @ts-expect-error no prior on sequences, no forecast
    void result.forecast;
    // @ts-expect-error no field, no graph
    void result.graph;
    // @ts-expect-error a typo in a path
    void result.parameters['mapping.nose'];
  });

  /** What an editor offers: names without those that stand for any. */
  type Offered<T> = keyof { [Path in keyof T as string extends Path ? never : Path]: T[Path] };

  it('knows the paths of its kernel, for values and for gradients', async () => {
    const model = gplvm(Y, { latentDim: 2, kernel: add(rbf({ lengthscale: [1, 2] }), bias()) });
    const { gradients } = evaluate(model);
    const lengthscale = 'mapping.kernel.rbf.lengthscale';
    expectTypeOf<typeof lengthscale>().toExtend<Offered<typeof gradients>>();
    expectTypeOf<'mapping.kernel.bias.variance' | 'latents'>().toExtend<Offered<typeof gradients>>();
    expectTypeOf<'mapping.kernel.rbf.width'>().not.toExtend<Offered<typeof gradients>>();
    expectTypeOf(gradients.latents).toEqualTypeOf<Matrix>();
    expect(gradients[lengthscale]).toHaveLength(2);
    const result = await fit(model, options);
    expectTypeOf(result.parameters[lengthscale]).toEqualTypeOf<readonly number[]>();
    expect(result.parameters[lengthscale]).toHaveLength(2);
    // @ts-expect-error a typo in the path of a kernel's parameter
    void result.parameters['mapping.kernel.rbf.lenghtscale'];
    const general = latentVariableModel({ observations: Y, latentDim: 2, kernel: rbf() });
    const found = evaluate(general).gradients;
    expectTypeOf<typeof lengthscale>().toExtend<Offered<typeof found>>();
    expect(found[lengthscale]).toBeTypeOf('number');
  });

  it('knows the paths of the default kernel', async () => {
    const paths = ['rbf.variance', 'rbf.lengthscale', 'bias.variance'] as const;
    const labels = Y.map((_, i) => i % 2);
    for (const model of [
      gplvm(Y, { latentDim: 2 }),
      rankGplvm(Y, { latentDim: 2 }),
      llGplvm(Y, { latentDim: 2 }),
      tsneGplvm(Y, { latentDim: 2, perplexity: 3 }),
      gplrf(Y, labels, { latentDim: 2 }),
      dgplvm(Y, labels, { latentDim: 2 }),
    ]) {
      const { parameters } = await fit(model, { maxIterations: 0 });
      for (const path of paths) {
        expectTypeOf(parameters[`mapping.kernel.${path}`]).toEqualTypeOf<number>();
        expect(parameters[`mapping.kernel.${path}`]).toBeTypeOf('number');
      }
      // @ts-expect-error the default kernel has no such parameter
      expect(parameters['mapping.kernel.rbf.period']).toBeUndefined();
    }
    const either = gplvm(Y, { latentDim: 2, kernel: rbf() as Kernel | undefined });
    expectTypeOf((await fit(either, options)).parameters['mapping.kernel.any']).toEqualTypeOf<
      ParameterValue | undefined
    >();
  });

  it('including thin plate splines, for any kernel', async () => {
    const spline = (await fit(tpslvm(Y, { latentDim: 2, dynamics: true }), options)).parameters;
    expectTypeOf<'mapping.kernel.scale.variance'>().toExtend<Offered<typeof spline>>();
    expectTypeOf(spline['mapping.kernel.scale.variance']).toEqualTypeOf<number>();
    expect(spline['mapping.kernel.scale.variance']).toBeTypeOf('number');
    expectTypeOf(spline['priors.dynamics.kernel.rbf.variance']).toEqualTypeOf<ParameterValue | undefined>();
    // @ts-expect-error a typo
    expect(spline['mapping.kernel.scale.varience']).toBeUndefined();
    const centered = (await fit(tpslvm(Y, { latentDim: 2, centers: 4 }), options)).parameters;
    expect(centered['mapping.kernel.scale.variance']).toBeTypeOf('number');
    const kernel = add(thinPlateSpline(), rbf({ lengthscale: [1, 2] }));
    const own = (await fit(tpslvm(Y, { latentDim: 2, kernel }), options)).parameters;
    expectTypeOf(own['mapping.kernel.rbf.lengthscale']).toEqualTypeOf<readonly number[]>();
    expect(own['mapping.kernel.rbf.lengthscale']).toHaveLength(2);
    // @ts-expect-error the kernel that was given is not scaled
    expect(own['mapping.kernel.scale.variance']).toBeUndefined();
  });

  it('knows the paths of several views, of latents that are distributions, of fields and of models of one’s own', async () => {
    const views = {
      pose: { observations: Y, kernel: rbf() },
      picture: { observations: Y, kernel: matern32({ lengthscale: [1, 2] }) },
    };
    const seen = (await fit(latentVariableModel({ latentDim: 2, views }), options)).parameters;
    expectTypeOf(seen['views.pose.kernel.rbf.lengthscale']).toEqualTypeOf<number>();
    expectTypeOf(seen['views.picture.kernel.matern32.lengthscale']).toEqualTypeOf<readonly number[]>();
    expect(seen['views.picture.kernel.matern32.lengthscale']).toHaveLength(2);
    expect(seen['views.pose.noise']).toBeTypeOf('number');
    // @ts-expect-error the kernel of the other view
    void seen['views.pose.kernel.matern32.lengthscale'];

    const bayesian = await fit(bayesianGplvm(Y, { latentDim: 2, inducing: 4 }), options);
    expectTypeOf(bayesian.parameters['mapping.kernel.rbf.lengthscale']).toEqualTypeOf<readonly number[]>();
    expectTypeOf(bayesian.relevance).toEqualTypeOf<Float64Array>();
    expect(bayesian.relevance).toHaveLength(2);
    const product = multiply(rbf(), linear());
    const without = await fit(bayesianGplvm(Y, { latentDim: 1, inducing: 4, kernel: product }), options);
    expectTypeOf(without.relevance).toEqualTypeOf<Float64Array | undefined>();
    expect(without.relevance).toBeUndefined();

    const field = (await fit(mpme(Y), options)).parameters;
    expectTypeOf(field['field.weights']).toEqualTypeOf<readonly number[]>();
    expect(field['field.weights'].length).toBeGreaterThan(3);
    // @ts-expect-error a typo
    void field['field.wights'];

    const own = defineModel({
      name: 'own',
      variables: (data: Matrix) => {
        const x = latent({ dim: 2, density: standardNormal() });
        return { x, y: observed(data, { density: gaussianProcess({ kernel: rbf() }), given: x }) };
      },
    });
    const ofOwn = await fit(own(Matrix.from(Y)), options);
    const holed = [[Number.NaN, 0, 1, 0]];
    const filled = await ofOwn.impute({ y: holed });
    expectTypeOf(filled).toEqualTypeOf<{ readonly y: Prediction }>();
    expectTypeOf((await ofOwn.reconstruct({ y: holed })).y).toEqualTypeOf<Matrix>();
    expectTypeOf(await ofOwn.impute(holed)).toEqualTypeOf<Prediction>();
    expect(filled.y.mean.columns).toBe(4);
    // @ts-expect-error rows of a variable that there is not
    await expect(ofOwn.impute({ y: holed, z: holed })).rejects.toThrow(/'z'/);
    const { parameters } = ofOwn;
    expect(parameters['y.kernel.rbf.variance']).toBeGreaterThan(0);
    expect(Object.keys(parameters)).toEqual(expect.arrayContaining(['x', 'y.kernel.rbf.variance', 'y.noise']));
  });

  it('with a prior on sequences, in any form', async () => {
    const named = await fit(gplvm(Y, { latentDim: 2, dynamics: true }), options);
    expect(named.forecast(2).latents.rows).toBe(2);
    const priors = [standardNormal(), dynamics()] as const;
    const general = await fit(latentVariableModel({ observations: Y, latentDim: 2, kernel: rbf(), priors }), options);
    expect(general.forecast(1).mean.columns).toBe(4);
    const inPlace = latentVariableModel({ observations: Y, latentDim: 1, kernel: rbf(), priors: [dynamics()] });
    expect((await fit(inPlace, options)).forecast(1).latents.columns).toBe(1);
  });

  it('of a random field', async () => {
    const result = await fit(mpme(Y), { maxIterations: 20 });
    expectTypeOf(result.graph).toEqualTypeOf<Graph>();
    expectTypeOf(result.precision()).toEqualTypeOf<Matrix>();
    expect(Object.keys(result)).toEqual(expect.arrayContaining(ofField));
    expect(result).not.toHaveProperty('predict');
    // @ts-expect-error no mapping, no predictions
    void result.predict;
  });

  it('of a spectral model, which takes no restarts', async () => {
    const result = await fit(isomap(Y, { neighbors: 5 }));
    expectTypeOf(result.eigenvalues).toEqualTypeOf<Float64Array>();
    for (const name of ['predict', 'graph']) expect(result).not.toHaveProperty(name);
    // @ts-expect-error isomap predicts nothing
    void result.predict;
    // @ts-expect-error a model that finds its solution by itself takes no restarts
    await expect(fit(isomap(Y, { neighbors: 5 }), { restarts: 3 })).rejects.toThrow(/leave it out/);
  });

  it('with any model, where each ability has to be requested', async () => {
    const any: Model = gplvm(Y, { latentDim: 2 });
    const result = await fit(any, options);
    expectTypeOf(result.predict).extract<undefined>().toEqualTypeOf<undefined>();
    expectTypeOf(result.parameters.whatever).toExtend<unknown>();
    const saved = loadFit(JSON.parse(JSON.stringify(result)));
    expectTypeOf(saved.predict([[0, 0]])).toEqualTypeOf<Prediction>();
    const again: FitOf<ReturnType<typeof gplvm>> = await fit(gplvm(Y, { latentDim: 2 }), options);
    expect(saved.predict([[0, 0]])).toEqual(again.predict([[0, 0]]));
  });

  it('and takes options that are undefined', async () => {
    const [restarts, kernel] = [undefined, undefined];
    const result = await fit(gplvm(Y, { latentDim: 2, kernel, dynamics: undefined }), { ...options, restarts });
    expect(result.status).toBe('maxIterations');
  });

  it('and refuses options that are not there', () => {
    // @ts-expect-error a typo in an option
    expect(() => gplvm(Y, { latentDim: 2, kernal: rbf() })).toThrow(/Did you mean 'kernel'/);
  });
});
