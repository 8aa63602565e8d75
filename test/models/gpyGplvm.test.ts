import { describe, it } from 'vitest';
import {
  add,
  bias,
  evaluate,
  fit,
  fixed,
  type Kernel,
  latentVariableModel,
  linear,
  matern32,
  mlp,
  rbf,
  standardNormal,
  white,
} from '../../src/index.ts';
import { reference, sharedReference } from '../reference.ts';
import { expectClose } from '../tolerance.ts';

interface Case {
  dataset: string;
  kernel: string;
  noise_variance: number;
  jitter: number;
  prior: string | null;
  log_likelihood: number;
  log_prior: number;
  dX_total: number[][];
  params: Record<string, number[]>;
  dparams: Record<string, number[]>;
  dnoise: number[];
}
interface GplvmReference {
  datasets: Record<string, { Y: number[][]; X: number[][] }>;
  cases: Case[];
}
interface Predictions {
  models: {
    tag: string;
    X: number[][];
    Y: number[][];
    params: Record<string, number[]>;
    noise_variance: number;
    jitter: number;
    Xnew: number[][];
    mean: number[][];
    var_latent: number[];
    var_with_noise: number[];
  }[];
}

const one = (values: number[]) => (values.length === 1 ? values[0]! : values);

/** Our kernel for one of GPy's sums, at GPy's values. */
function kernelOf(params: Record<string, number[]>): Kernel {
  const parts: Record<string, (p: Record<string, number | number[]>) => Kernel> = {
    rbf: (p) => rbf({ variance: p.variance!, lengthscale: p.lengthscale! }),
    linear: (p) => linear({ variance: p.variances! }),
    mlp: (p) => mlp({ variance: p.variance!, weightVariance: p.weight_variance!, biasVariance: p.bias_variance! }),
    Mat32: (p) => matern32({ variance: p.variance!, lengthscale: p.lengthscale! }),
    bias: (p) => bias({ variance: p.variance! }),
    white: (p) => white({ variance: p.variance! }),
  };
  const own: Record<string, Record<string, number | number[]>> = {};
  for (const [path, values] of Object.entries(params)) {
    const [part, name] = path.split('.') as [string, string];
    own[part] = { ...own[part], [name]: one(values) };
  }
  return add(...Object.entries(own).map(([part, p]) => parts[part]!(p)));
}

const NAMES: Record<string, string> = {
  'linear.variances': 'linear.variance',
  'mlp.weight_variance': 'mlp.weightVariance',
  'mlp.bias_variance': 'mlp.biasVariance',
  'Mat32.variance': 'matern32.variance',
  'Mat32.lengthscale': 'matern32.lengthscale',
};
const ours = (theirs: string) => `mapping.kernel.${NAMES[theirs] ?? theirs}`;

function checkCase({ datasets }: GplvmReference, expected: Case): void {
  const { Y, X } = datasets[expected.dataset]!;
  const model = latentVariableModel({
    observations: Y,
    latentDim: 2,
    kernel: kernelOf(expected.params),
    priors: expected.prior === null ? [] : [standardNormal()],
    center: false,
  });
  const { objective, terms, gradients } = evaluate(model, {
    latents: X,
    'mapping.noise': expected.noise_variance + expected.jitter,
  });
  expectClose(terms.mapping, expected.log_likelihood, 1e-11, 'log likelihood');
  expectClose(objective, expected.log_likelihood + expected.log_prior, 1e-11, 'log likelihood and prior');
  expectClose(gradients.latents, expected.dX_total, 1e-9, 'dX');
  for (const [path, gradient] of Object.entries(expected.dparams))
    expectClose(gradients[ours(path)], gradient, 1e-9, path);
  expectClose(gradients['mapping.noise'], expected.dnoise, 1e-9, 'noise');
}

function casesOf(file: GplvmReference): [string, Case][] {
  return file.cases.map((entry) => [
    `${entry.dataset} ${entry.kernel}${entry.prior === null ? '' : ' with prior'}`,
    entry,
  ]);
}

const tiny = reference<GplvmReference>('gpy-gplvm-tiny.json');
describe('log likelihood and gradients equal GPy', () => {
  it.each(casesOf(tiny))('%s', (_, expected) => checkCase(tiny, expected));
});

const shared = sharedReference<GplvmReference>('gpy-gplvm.json');
describe.runIf(shared)('log likelihood and gradients equal GPy on oil flow (shared/reference/gpy-gplvm.json)', () => {
  it.each(casesOf(shared ?? { datasets: {}, cases: [] }).filter(([name]) => name.startsWith('oil')))(
    '%s',
    (_, expected) => checkCase(shared!, expected),
  );
});

async function checkPredictions({ X, Y, params, noise_variance, jitter, ...expected }: Predictions['models'][number]) {
  const noise = noise_variance + jitter;
  const model = latentVariableModel({
    observations: Y,
    latentDim: 2,
    init: X,
    kernel: kernelOf(params),
    noise: fixed(noise),
    center: false,
  });
  const fitted = await fit(model, { maxIterations: 0 });
  expectClose(fitted.latents, X, 0, 'latents');
  const { mean, variance } = fitted.predict(expected.Xnew);
  expectClose(mean, expected.mean, 1e-8, 'mean');
  expectClose(variance.column(0), expected.var_latent, 1e-8, 'variance');
  expectClose(variance.column(Y[0]!.length - 1), expected.var_latent, 1e-8, 'variance of the last column');
  const noisy = fitted.predict(expected.Xnew, { noise: true });
  // Our noise holds GPy's jitter too, which GPy does not count as noise.
  const expectedNoisy = expected.var_with_noise.map((entry) => entry + jitter);
  expectClose(noisy.variance.column(0), expectedNoisy, 1e-8, 'variance with noise');
}

describe('predictions equal GPy', () => {
  it.each(reference<Predictions>('gpy-predict-tiny.json').models.map((m) => [m.tag, m] as const))('%s', (_, expected) =>
    checkPredictions(expected),
  );
});

const sharedPredictions = sharedReference<Predictions>('gpy-predict.json');
describe.runIf(sharedPredictions)('predictions equal GPy on oil flow (shared/reference/gpy-predict.json)', () => {
  it('oil100_fit200', () => checkPredictions(sharedPredictions!.models.find(({ tag }) => tag === 'oil100_fit200')!));
});
