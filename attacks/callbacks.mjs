// Functions of the caller's that throw, reject, hang, return nonsense or call the library again, in every place that takes one: the fit ends
// with an error of the library's or a result, in time, without a tensor left, and the next fit has the bits of the one before.
import * as tf from '@tensorflow/tfjs-core';
import {
  defineDensity,
  defineKernel,
  defineMap,
  defineModel,
  definePrior,
  fit,
  gplvm,
  latent,
  latentVariableModel,
  lbfgs,
  Matrix,
  mapped,
  minimize,
  observed,
  rbf,
  real,
  selectOptions,
} from 'latentfield';
import { fitSteps } from 'latentfield/inference';
import * as op from 'latentfield/ops';
import { tried } from './report.mjs';
import { Y } from './savedModels.mjs';

const plain = () => gplvm(Y, { latentDim: 1 });
const short = { maxIterations: 3, seed: 1, engine: 'wasm' };
const boom = new RangeError('boom');
const never = new Promise(() => undefined);

/** Behaviors of a function by name; `honest` is the expected one. */
const deeds = {
  throws: () => {
    throw boom;
  },
  rejects: () => Promise.reject(boom),
  'throws nothing at all': () => {
    throw undefined;
  },
  'returns NaN': () => Number.NaN,
  'returns text': () => 'text',
  'returns null': () => null,
  'returns itself': function itself() {
    return itself;
  },
  'calls the library again': (honest) => {
    minimize((x) => ({ value: x[0] ** 2, gradient: [2 * x[0]] }), [1], lbfgs());
    rbf();
    return honest();
  },
  'throws later': (honest, calls) => {
    if (calls > 2) throw boom;
    return honest();
  },
  hangs: () => never,
};
/** Functions that are called by tensor operations cannot be waited for. */
const waited = ['hangs', 'rejects'];

/** Callers of functions, each with a program that passes one. */
const places = {
  onProgress: (f) => fit(plain(), { ...short, onProgress: () => f(() => undefined), maxSeconds: 1 }),
  'onProgress, then the fit again': (f) =>
    fit(plain(), {
      ...short,
      maxSeconds: 1,
      onProgress: async () => {
        await fit(plain(), { ...short, maxIterations: 1 });
        return f(() => undefined);
      },
    }),
  checkpoint: (f) =>
    fit(plain(), { ...short, checkpoint: () => f(() => undefined), checkpointInterval: 0, maxSeconds: 1 }),
  'a loop over steps': async (f) => {
    try {
      for await (const step of fitSteps(plain(), short)) {
        if ((await Promise.race([f(() => step), step])) === undefined) break;
      }
    } catch (error) {
      // The loop is the caller's own, and so is what it throws.
      if (error !== boom && error !== undefined) throw error;
    }
  },
  // `minimize` rethrows errors of the caller's objective unchanged.
  objective: async (f) => {
    try {
      return minimize((x) => f(() => ({ value: x[0] ** 2, gradient: [2 * x[0]] })), [1], lbfgs());
    } catch (error) {
      if (error !== boom && error !== undefined) throw error;
    }
  },
  kernel: (f) => {
    const own = defineKernel({
      name: 'own',
      parameters: { variance: 1 },
      covariance: (p, A, B) => f(() => op.mul(p.variance, op.exp(op.mul(-0.5, op.squaredDistances(A, B))))),
    });
    return fit(latentVariableModel({ observations: Y, latentDim: 1, kernel: own(), noise: 0.1 }), short);
  },
  prior: (f) => {
    const own = definePrior({
      name: 'own',
      parameters: {},
      logDensity: (_, X) => f(() => op.neg(op.sum(op.square(X)))),
    });
    return fit(gplvm(Y, { latentDim: 1, priors: [own()] }), short);
  },
  map: (f) => {
    const own = defineMap({
      name: 'own',
      parameters: () => ({ weights: real(new Matrix(Float64Array.of(1, 0.5, 0.2), 3, 1)) }),
      apply: (p, X) => f(() => op.matMul(X, p.weights)),
    });
    return fit(gplvm(Y, { latentDim: 1, backConstraint: own() }), short);
  },
  'log density of a model': (f) => {
    const own = defineModel({
      name: 'own',
      variables: (data) => variablesOf(data, ({ value, given }) => f(() => near(value, given[0]))),
    });
    return fit(own(Matrix.from(Y)), short);
  },
  'map of a model': (f) => {
    const own = defineModel({
      name: 'own',
      variables: (data) =>
        variablesOf(
          data,
          ({ value, given }) => near(value, given[0]),
          (x) => f(() => op.square(x)),
        ),
    });
    return fit(own(Matrix.from(Y)), short);
  },
  'variables of a model': (f) => {
    const own = defineModel({
      name: 'own',
      variables: (data) => f(() => variablesOf(data, ({ value, given }) => near(value, given[0]))),
    });
    return fit(own(Matrix.from(Y)), short);
  },
  score: (f) =>
    selectOptions(() => f(plain), { latentDim: [1] }, { folds: 2, fit: { maxIterations: 2, maxSeconds: 1 } }),
};
const near = (Z, x) => op.neg(op.sum(op.square(op.sub(Z, x)), 1));
function variablesOf(data, logDensity, map = (x) => x) {
  const density = defineDensity({ name: 'own', logDensity: (_, rows) => logDensity(rows) });
  const x = latent({ dim: 1 });
  const h = mapped(x, map);
  return { x, h, y: observed(data, { density: density(), given: h }) };
}
const mayWait = ['onProgress', 'onProgress, then the fit again', 'checkpoint', 'a loop over steps'];

export async function attackCallbacks({ cases, report }) {
  const expected = bitsOf(await fit(plain(), short));
  const pairs = Object.keys(places).flatMap((place) => Object.keys(deeds).map((deed) => [place, deed]));
  const chosen = pairs.filter(([place, deed]) => !waited.includes(deed) || mayWait.includes(place));
  for (let i = 0; i < cases; i++) {
    // A prime step, so that few cases see every place and deed.
    const [place, deed] = chosen[(i * 7) % chosen.length];
    const what = `${place} ${deed}`;
    const before = tf.engine().state.numTensors;
    let calls = 0;
    const hostile = (honest) => deeds[deed](honest, ++calls);
    const outcome = await tried(report, what, () => withinSeconds(20, places[place](hostile)));
    if (outcome !== undefined) report.count(outcome.error === undefined ? 'ended with a result' : 'typed errors');
    const left = tf.engine().state.numTensors - before;
    if (left !== 0) report.fail(what, `${left} tensors were left`);
    if (bitsOf(await fit(plain(), short)) !== expected) report.fail(what, 'the next fit has other bits');
  }
}

async function withinSeconds(seconds, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`did not end within ${seconds} s`)), 1000 * seconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const bitsOf = ({ latents, objective, parameters }) => JSON.stringify([latents, objective, parameters]);
