import {
  add,
  bayesianGplvm,
  bias,
  evaluate,
  fit,
  gaussian,
  gaussianProcess,
  gplvm,
  InvalidInputError,
  inducing,
  type Kernel,
  latentVariableModel,
  linear,
  loadFit,
  Matrix,
  matern32,
  multiply,
  rbf,
  seededRandom,
  standardNormal,
  thinPlateSpline,
  tpslvm,
  white,
} from 'latentfield';
import { checkModel } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';
import { matrixTensor, tensorMatrix } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../src/engine/tensors/gradients.ts';
import { valueTensors } from '../../src/model/part.ts';
import { observedPatterns } from '../../src/processes/covariance/covariance.ts';
import { allColumns, covariancesOf } from '../../src/processes/functionMoments.ts';
import type { GaussianProcessOptions } from '../../src/processes/gaussianProcess.ts';
import { expectClose } from '../tolerance.ts';
import { conditioned, predictiveDensity } from './conditioned.ts';

const random = seededRandom(3);
const normals = (rows: number, columns: number) =>
  Matrix.from(Array.from({ length: rows }, () => Array.from({ length: columns }, () => random.normal())));
const X = normals(14, 2);
const Y = normals(14, 4);
const withHoles = Matrix.from(Y);
for (const place of [1, 5, 9, 14, 30]) withHoles.data[place] = Number.NaN;
const Z = normals(5, 2);
const A = normals(3, 2);
const seen = normals(3, 4);

/** The density of Y at X by a process, and its gradient in X. */
function densityOf(process: ReturnType<typeof gaussianProcess>, observations: Matrix) {
  return withFloat64(() => {
    const p = valueTensors(initialOf(process));
    const inputs = matrixTensor(X);
    const given = process.given(observedPatterns(observations), 14);
    const result = valueAndGradients(() => given.logDensity(p, inputs), [inputs]);
    given.dispose();
    return result;
  });
}

const initialOf = ({ parameters }: ReturnType<typeof gaussianProcess>) =>
  Object.fromEntries(Object.entries(parameters).map(([path, { initial }]) => [path, initial]));

const kernels: Record<string, Kernel> = {
  'rbf + bias': add(rbf({ lengthscale: 0.7 }), bias({ variance: 0.4 })),
  matern32: matern32({ lengthscale: [0.6, 1.1] }),
  'rbf + white': add(rbf({ lengthscale: 0.7 }), white({ variance: 0.3 })),
  'a product': multiply(rbf({ lengthscale: 0.8 }), add(linear(), bias())),
};
const noises: Record<string, Omit<GaussianProcessOptions, 'kernel'>> = {
  'one noise variance': { noise: 0.1 },
  'one per column': { noise: [0.1, 0.2, 0.05, 0.3] },
  'one per row': { likelihood: gaussian({ variance: Y.toArrays().map((_, i) => 0.05 + 0.02 * i), per: 'row' }) },
};
const cases = Object.entries(kernels).flatMap(([kernelName, kernel]) =>
  Object.entries(noises).flatMap(([noiseName, noise]) =>
    [Y, withHoles].map((observations) => ({
      title: `${kernelName}, ${noiseName}${observations === Y ? '' : ', missing entries'}`,
      kernel,
      noise,
      observations,
    })),
  ),
);

describe.each(cases)('a process through its own inputs: $title', ({ kernel, noise, observations }) => {
  const exact = gaussianProcess({ kernel, ...noise });
  const through = gaussianProcess({ kernel, ...noise, approximation: inducing(X, { jitter: 1e-12 }) });

  it('has the exact log density', () => {
    const [a, b] = [densityOf(exact, observations), densityOf(through, observations)];
    expect(Math.abs(b.value / a.value - 1)).toBeLessThan(1e-9);
  });

  it('predicts what the exact one does', () => {
    withFloat64(() => {
      const patterns = observedPatterns(observations);
      const [a, b] = [exact, through].map((process) => {
        const groups = process.momentsAt(initialOf(process), X, patterns)(matrixTensor(A));
        const { mean, variance } = allColumns(groups, 4);
        return [mean, variance, ...covariancesOf(groups)].map(tensorMatrix);
      });
      for (const [k, expected] of a!.entries()) expectClose(b![k]!, expected, 1e-8);
    });
  });
});

describe.each([Y, withHoles])('the density of a process through its own inputs', (observations) => {
  it.each(Object.entries(kernels))('draws and judges new rows as the exact one does: %s', (_, kernel) => {
    withFloat64(() => {
      const [a, b] = [{}, { approximation: inducing(X, { jitter: 1e-12 }) }].map((given) => {
        const process = gaussianProcess({ kernel, noise: 0.1, ...given });
        const known = conditioned(process, initialOf(process), X, observations);
        const drawn = tensorMatrix(known.sample!([matrixTensor(A)], seededRandom(1)));
        return { drawn, ...predictiveDensity(known, A, seen) };
      });
      expectClose(b!.drawn, a!.drawn, 1e-6);
      expectClose(b!.density, a!.density, 1e-8);
      expectClose(b!.gradient, a!.gradient, 1e-6);
    });
  });
});

describe('a process through few inducing inputs', () => {
  it('has less than the exact log density', () => {
    for (const kernel of Object.values(kernels)) {
      const [bound, exact] = [{ inducing: Z }, {}].map(
        (given) => densityOf(gaussianProcess({ kernel, noise: 0.1, ...given }), Y).value,
      );
      expect(bound).toBeLessThan(exact! - 0.1);
    }
  });

  it.each([Y, withHoles])(
    'has the collapsed bound of a Bayesian GPLVM whose latents have no variance',
    (observations) => {
      const given = {
        latentDim: 2,
        inducing: Z,
        kernel: kernels['rbf + bias']!,
        noise: 0.1,
        missing: 'ignore',
        init: X,
      } as const;
      const point = evaluate(gplvm(observations, { ...given, priors: [] }));
      const certain = evaluate(bayesianGplvm(observations, { ...given, latentVariance: 1e-14 }));
      expect(Math.abs(certain.terms.mapping! / point.objective - 1)).toBeLessThan(1e-9);
      expectClose(point.gradients.latents, gradientOf(certain, 'latents.mean', X), 1e-7);
      expectClose(point.gradients['mapping.inducing'], certain.gradients['mapping.inducing'], 1e-7);
    },
  );

  describe('is a part of every model of the family, with the right gradients', () => {
    const models = {
      free: gplvm(Y, { latentDim: 2, inducing: 5 }),
      'back-constrained with dynamics': gplvm(Y, {
        latentDim: 2,
        inducing: Z,
        backConstraint: 'kernel',
        dynamics: true,
        kernel: matern32(),
      }),
      'noise a column and missing entries': gplvm(withHoles, {
        latentDim: 2,
        inducing: 5,
        missing: 'ignore',
        noise: [0.1, 0.2, 0.1, 0.3],
      }),
      'thin plate spline': tpslvm(Y, { latentDim: 2, inducing: 6 }),
      'centers of their own': gplvm(Y, { latentDim: 2, inducing: 4, kernel: thinPlateSpline({ centers: 4 }) }),
    };
    for (const [name, model] of Object.entries(models)) {
      const tags = name === 'free' ? [] : ['long'];
      it(name, { tags }, async () => {
        expect(checkModel(model, { entries: 3 }).passed).toBe(true);
        const result = await fit(model, { maxIterations: 10 });
        expect(result.objective).toBeGreaterThan(evaluate(model).objective);
        const again = await loadFit(JSON.parse(JSON.stringify(result)));
        expect(again.predict(result.latents)).toEqual(result.predict(result.latents));
        expect(again.parameters['mapping.inducing']).toEqual(result.parameters['mapping.inducing']);
      });
    }
  });

  it('reconstructs new points of a curve as the exact model does', { tags: 'long' }, async () => {
    const point = (t: number) => [Math.cos(t), Math.sin(t), t / 2, t * t];
    const arc = Matrix.from(Array.from({ length: 40 }, (_, i) => point(i / 30)));
    const options = { latentDim: 1, kernel: add(rbf({ lengthscale: 0.6 }), bias()), noise: 1e-3 };
    const exact = await fit(gplvm(arc, options), { maxIterations: 40 });
    const sparse = await fit(gplvm(arc, { ...options, inducing: 10 }), { maxIterations: 40 });
    const Ynew = Matrix.from([point(0.61)]);
    expectClose(await sparse.reconstruct(Ynew), await exact.reconstruct(Ynew), 0.01);
    expectClose(await sparse.reconstruct(Ynew), Ynew, 0.02);
  });

  it('serves each view by its own', { tags: 'long' }, async () => {
    const model = latentVariableModel({
      latentDim: 2,
      views: {
        a: { observations: Y, kernel: rbf(), noise: 0.1, inducing: 5 },
        b: { observations: normals(14, 2), kernel: rbf(), noise: 0.2 },
      },
      priors: [standardNormal()],
    });
    expect(checkModel(model, { entries: 3 }).passed).toBe(true);
    const result = await fit(model, { maxIterations: 5, restarts: { count: 1, inits: ['isomap'] } });
    expect((result.parameters['views.a.inducing'] as Matrix).rows).toBe(5);
    expect(Object.keys(result.parameters)).not.toContain('views.b.inducing');
    expect(result.predict(A, { view: 'a' }).mean.columns).toBe(4);
  });

  it('refuses invalid numbers of them, and inputs of other columns', () => {
    for (const inducing of [0, 15, 2.5, Number.NaN]) {
      expect(() => gplvm(Y, { latentDim: 2, inducing })).toThrow(
        /'inducing' of gplvm must be a whole number from 1 to 14/,
      );
    }
    expect(() => gplvm(Y, { latentDim: 2, inducing: 'all' as never })).toThrow(InvalidInputError);
    expect(() => evaluate(gplvm(Y, { latentDim: 3, inducing: Z }))).toThrow(/must have 3 columns/);
  });
});

/** The gradient of the bound's mapping term: that of the objective without the divergence's. */
function gradientOf({ gradients }: ReturnType<typeof evaluate>, path: string, mean: Matrix): number[] {
  return Array.from((gradients[path] as Matrix).data, (entry, i) => entry + mean.data[i]!);
}

describe('another unit of the observations', () => {
  it.each([1e-6, 1e6])('%f times as large changes the bound through inducing inputs by its Jacobian only', (unit) => {
    const inputs = normals(30, 2);
    const observations = Matrix.from(
      inputs.toArrays().map(([a, b]) => [Math.sin(a!), a! * b!, Math.cos(b!) + 0.1 * random.normal()]),
    );
    const scaled = new Matrix(
      observations.data.map((y) => unit * y),
      30,
      3,
    );
    // Inducing inputs that nearly meet: what is added to the diagonal decides.
    const close = Matrix.from([
      ...inputs.toArrays().slice(0, 8),
      ...inputs
        .toArrays()
        .slice(0, 8)
        .map(([a, b]) => [a! + 1e-5, b!]),
    ]);
    const at = (Y: Matrix) =>
      evaluate(gplvm(Y, { latentDim: 2, inducing: close, init: inputs, priors: [standardNormal()] })).objective;
    const own = at(observations);
    expect(Math.abs(at(scaled) + 90 * Math.log(unit) - own)).toBeLessThan(1e-6 * Math.abs(own));
  });
});
