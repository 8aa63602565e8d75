import { LatentFieldError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import { seededRandom } from '../core/random.ts';
import { doublesOf, matrixTensor } from '../engine/tensors/doubles.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import * as op from '../engine/tensors/ops.ts';
import { startedAt } from '../kernels/algebra.ts';
import { covariance } from '../kernels/covariance.ts';
import { describe } from '../kernels/describe.ts';
import {
  closedExpectations,
  drawnNodes,
  type Expectations,
  quadratureExpectations,
} from '../kernels/expectations/index.ts';
import { type AnyKernelFactory, builtInKernels, type KernelCatalog, kernelFromJSON } from '../kernels/json.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { kernelToJSON } from '../kernels/kernelToJson.ts';
import { parseKernel } from '../kernels/parse.ts';
import type { ParameterValues } from '../model/model.ts';
import { shapeOf } from '../model/parameter.ts';
import { valueTensors } from '../model/part.ts';
import { STANDARD_ERRORS, within } from './checkDensity.ts';
import { agreement } from './report.ts';

/** Rounds of draws, whose spread gives the standard error of their mean. */
const ROUNDS = 64;
/** Draws of each latent per round. */
const DRAWS = 16;

/** True if a kernel has closed-form expectations under Gaussian latents for points with this number of columns. */
export function hasExpectations(kernel: Kernel, values: ParameterValues, Z: Matrix): boolean {
  return withFloat64(() => closedExpectations(kernel, valueTensors(values), inputsOf(Z, Z)) !== undefined);
}

/**
 * Compares a kernel's closed-form expectations with means of seeded draws of the latents.
 *
 * @param X - means of the latents
 * @param Z - inducing inputs
 * @returns a sentence
 * @throws LatentFieldError for an entry that differs from the mean by more than five standard errors
 */
export function expectationAgreement(
  kernel: Kernel,
  values: ParameterValues,
  X: Matrix,
  Z: Matrix,
  seed: number,
): string {
  const closed = withFloat64(() => entriesOf(closedExpectations(kernel, valueTensors(values), inputsOf(X, Z))!));
  const rounds = Array.from({ length: ROUNDS }, (_, round) =>
    withFloat64(() => {
      const nodes = drawnNodes(X.rows, X.columns, DRAWS, seededRandom(seed + round));
      return entriesOf(quadratureExpectations(kernel, valueTensors(values), inputsOf(X, Z), nodes));
    }),
  );
  for (const [name, entries] of Object.entries(closed)) {
    entries.forEach((value, k) => {
      const drawn = rounds.map((round) => round[name as keyof typeof closed][k]!);
      within(`entry ${k} of ${name}`, drawn, value);
    });
  }
  return `within ${STANDARD_ERRORS} standard errors of ${ROUNDS * DRAWS} draws`;
}

/** Latents with variances from 0.1 to 0.3 around the rows of X. */
function inputsOf(X: Matrix, Z: Matrix) {
  const variance = X.data.map((_, i) => 0.1 * (1 + (i % 3)));
  return {
    x: { mean: matrixTensor(X), variance: op.tensor<op.Tensor2D>(variance, [X.rows, X.columns]) },
    Z: matrixTensor(Z),
  };
}

const entriesOf = ({ diagonal, cross, products }: Expectations) => ({
  diagonal: doublesOf(diagonal),
  cross: doublesOf(cross),
  products: doublesOf(products()[0]!),
});

/** Numbers of columns for testing a kernel: as its lists and centers require, otherwise a few small ones. */
export function dimensionsOf(kernel: Kernel): readonly number[] {
  const { exact, least } = columnsOf(kernel);
  if (exact !== undefined) return [exact];
  return least > 1 ? [least] : [1, 2, 3];
}

/** Number of columns that a kernel requires exactly, if any, and at least. */
function columnsOf(kernel: Kernel): { exact: number | undefined; least: number } {
  const { form } = kernel;
  switch (form.type) {
    case 'leaf': {
      const lists = Object.values(kernel.parameters).flatMap(({ initial }) => shapeOf(initial).slice(-1));
      const { centers } = form.options;
      const points = Array.isArray(centers) ? [(centers[0] as number[]).length] : [];
      const [exact] = [...lists.filter((length) => length > 1), ...points];
      return { exact, least: exact ?? 1 };
    }
    case 'select':
      return { exact: undefined, least: Math.max(...form.columns) + 1 };
    case 'scale':
      return columnsOf(form.child);
    default: {
      const children = form.children.map(columnsOf);
      return {
        exact: children.find(({ exact }) => exact !== undefined)?.exact,
        least: Math.max(...children.map(({ least }) => least)),
      };
    }
  }
}

/** Checks that JSON restores the same JSON, paths and covariance, bit for bit. */
export function jsonRoundTrip(kernel: Kernel, X: Matrix): string {
  const text = JSON.stringify(kernelToJSON(kernel));
  const again = kernelFromJSON(JSON.parse(text), ownFactories(kernel));
  same('JSON', JSON.stringify(kernelToJSON(again)), text);
  return sameKernel(again, kernel, X);
}

/** Checks that text restores the same text, paths and covariance, bit for bit. */
export function textRoundTrip(kernel: Kernel, X: Matrix): string {
  const text = describe(kernel);
  const again = parseKernel(text, ownFactories(kernel));
  same('text', describe(again), text);
  return sameKernel(again, kernel, X);
}

function sameKernel(again: Kernel, kernel: Kernel, X: Matrix): string {
  same('list of parameters', Object.keys(again.parameters).join(), Object.keys(kernel.parameters).join());
  const K = (k: Kernel) => covariance(startedAt(k, X), X).data;
  return agreement(K(again), K(kernel), 0);
}

function same(what: string, again: string, before: string): void {
  if (again === before) return;
  throw new LatentFieldError(`the ${what} comes back as ${again}, and was ${before}`);
}

/** Factories of custom kernels, derived from the kernel itself. */
function ownFactories(kernel: Kernel): KernelCatalog {
  const { form } = kernel;
  switch (form.type) {
    case 'leaf': {
      const remade: AnyKernelFactory = (overrides = {}) => form.remade(overrides);
      return Object.hasOwn(builtInKernels, kernel.name) ? {} : { [kernel.name]: remade };
    }
    case 'scale':
    case 'select':
      return ownFactories(form.child);
    default:
      return Object.assign({}, ...form.children.map(ownFactories));
  }
}
