/**
 * How many files inside the library each kind of extension touches: a kernel, a likelihood, a prior, a distribution of parameters, a model and a
 * solver are added to a copy of the built library, which must then export them, and find them by their names.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { libraryIn } from './modules.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Within the project, so that it finds what the library depends on. */
const copy = join(root, 'node_modules/.cache/extended');

const Y = Array.from({ length: 12 }, (_, i) => [Math.sin(i), Math.cos(i), Math.sin(2 * i)]);

/** By kind: contents or added lines by file, and whether the library knows it. */
const extensions = {
  kernel: {
    files: {
      'kernels/cauchy.js': `
        import { positive } from '../model/parameter.js';
        import * as op from '../engine/tensors/ops.js';
        import { defineKernel } from './defineKernel.js';
        export const cauchy = defineKernel({
          name: 'cauchy',
          parameters: { variance: positive(1) },
          covariance: (p, A, B) => op.div(p.variance, op.add(1, op.squaredDistances(A, B))),
          diagonal: (p, A) => op.mul(p.variance, op.ones([A.shape[0]])),
        });`,
      'kernels/builtIn.js': `export { cauchy } from './cauchy.js';`,
    },
    isKnown: ({ cauchy, parseKernel }) => parseKernel('cauchy(2) + bias') !== undefined && cauchy !== undefined,
  },
  likelihood: {
    files: {
      'model/entrywise/logistic.js': `
        import * as op from '../../engine/tensors/ops.js';
        import { defineLikelihood } from './likelihood.js';
        export const logistic = defineLikelihood({
          name: 'logistic',
          parameters: {},
          logDensity: (p, f, y) => op.sub(op.sub(f, y), op.mul(2, op.softplus(op.sub(f, y)))),
        });`,
      'model/entrywise/builtIn.js': `export { logistic } from './logistic.js';`,
    },
    isKnown: ({ logistic, builtInLikelihoods }) => logistic !== undefined && builtInLikelihoods.logistic === logistic,
  },
  prior: {
    files: {
      'priors/peaked.js': `
        import * as op from '../engine/tensors/ops.js';
        import { definePrior } from './definePrior.js';
        export const peaked = definePrior({
          name: 'peaked',
          parameters: {},
          logDensity: (p, X) => op.neg(op.sum(op.log(op.add(1, op.square(X))))),
        });`,
      'priors/builtIn.js': `import { peaked } from './peaked.js';\nexport { peaked };`,
    },
    // The catalog of priors is a list, where a prior adds one entry.
    entry: { after: 'standardNormal,', text: 'peaked,' },
    isKnown: ({ peaked, builtInPriors }) => peaked !== undefined && builtInPriors.peaked === peaked,
  },
  distribution: {
    files: {
      'model/entrywise/exponential.js': `
        import * as op from '../../engine/tensors/ops.js';
        import { positive } from '../parameter.js';
        import { defineLikelihood } from './likelihood.js';
        export const exponential = defineLikelihood({
          name: 'exponential',
          alone: { name: 'rate', parameter: positive(1), functionOf: ({ rate }) => op.neg(op.log(rate)) },
          support: { above: 0 },
          logDensity: (_, f, y) => op.neg(op.add(f, op.mul(y, op.exp(op.neg(f))))),
        });`,
      'model/entrywise/builtIn.js': `export { exponential } from './exponential.js';`,
    },
    isKnown: async ({ exponential, fit, gplvm, loadFit, positive }) => {
      const noise = positive(0.1, { prior: exponential({ rate: 2 }) });
      const fitted = await fit(gplvm(Y, { latentDim: 1, noise }), { maxIterations: 0 });
      return (await loadFit(JSON.parse(JSON.stringify(fitted.toJSON())))).objective === fitted.objective;
    },
  },
  model: {
    files: {
      'models/gp/plain.js': `
        import { observationsFrom } from '../../core/observations.js';
        import { rbf } from '../../kernels/rbf.js';
        import { gaussianProcess } from '../../processes/gaussianProcess.js';
        import { defineModel } from '../../model/defineModel.js';
        import { latent } from '../../model/language/latent.js';
        import { observed } from '../../model/language/variable.js';
        export const plain = defineModel({
          name: 'plain',
          variables: (Y) => {
            const x = latent({ dim: 1 });
            return { x, y: observed(Y, { density: gaussianProcess({ kernel: rbf() }), given: x }) };
          },
        });`,
      'models/builtIn.js': `export { plain } from './gp/plain.js';`,
    },
    isKnown: async ({ plain, describedModel, fit, loadFit, Matrix, namedModels }) => {
      if (plain === undefined || !('plain' in namedModels)) return false;
      const fitted = await fit(describedModel('plain', Matrix.from(Y), undefined, {}), { maxIterations: 2 });
      return (await loadFit(JSON.parse(JSON.stringify(fitted.toJSON())))).objective === fitted.objective;
    },
  },
  solver: {
    files: {
      'inference/solvers/descent.js': `
        export const descent = () => ({
          name: 'descent',
          options: {},
          bounded: false,
          stochastic: false,
          begin: (iterate) => ({
            iterate,
            memory: {},
            steps: (function* () {
              return { status: 'failed', reason: 'It takes no step.' };
            })(),
          }),
        });`,
      'inference/solvers/builtIn.js': `export { descent } from './descent.js';`,
    },
    isKnown: async ({ descent }) => {
      const { solverFromJSON } = await import(pathToFileURL(join(copy, 'inference/solvers/json.js')).href);
      return descent !== undefined && solverFromJSON({ name: 'descent', options: {} }).name === 'descent';
    },
  },
};

/** How many files each kind touches; throws where the library does not know what was added. */
export async function extensionFiles() {
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(join(copy, '..'), { recursive: true });
  cpSync(join(root, 'dist'), copy, { recursive: true, filter: (path) => !path.endsWith('.map') });
  for (const { files, entry } of Object.values(extensions)) {
    for (const [file, text] of Object.entries(files)) {
      const path = join(copy, file);
      if (!file.endsWith('/builtIn.js')) writeFileSync(path, text, { flag: 'wx' });
      else {
        const registered = readFileSync(path, 'utf8');
        const listed =
          entry === undefined ? registered : registered.replace(entry.after, `${entry.after} ${entry.text}`);
        writeFileSync(path, `${text}\n${listed}`);
      }
    }
  }
  const library = await libraryIn(copy);
  const counts = [];
  for (const [kind, { files, isKnown }] of Object.entries(extensions)) {
    if (!(await isKnown(library))) throw new Error(`The library does not know the ${kind} that was added to it.`);
    counts.push([kind, Object.keys(files)]);
  }
  rmSync(copy, { recursive: true });
  return counts;
}
