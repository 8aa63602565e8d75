import * as tf from '@tensorflow/tfjs-core';
import { Matrix } from '../../core/matrix.ts';
import { certainExpectations } from '../../kernels/expectations/index.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { ParameterValues, TensorMap } from '../../model/model.ts';
import { type Parameter, real } from '../../model/parameter.ts';
import { valueTensors } from '../../model/valueTensors.ts';
import { withFloat64 } from '../../tensors/float64/scope.ts';
import { matrixTensor, tensorMatrix } from '../../tensors/matrixTensor.ts';
import * as op from '../../tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../tensors/tensorflow.ts';
import type { GaussianProcess, GivenProcess, ProcessContext } from '../gaussianProcess.ts';
import { functionsOf, type Likelihood } from '../likelihoods/likelihood.ts';
import { type ObservedPattern, observedPatterns } from '../observedPatterns.ts';
import { type Process, processDensity } from '../processDensity.ts';
import { collapsedData } from './collapsedData.ts';
import { sampledExpectedDensity } from './expectedDensity.ts';
import { INDUCING_JITTER, inducingFactor } from './inducingFactor.ts';
import { type InducingPosterior, inducingMoments, tensorsOf } from './inducingMoments.ts';
import { inducingDivergence, inducingVariables, Q_MEAN, Q_ROOT, variablesFrom } from './inducingVariables.ts';
import { optimalPosterior } from './optimalPosterior.ts';

/** A process as a view of a model has it. */
export type ViewProcess = Pick<GaussianProcess, 'kernel' | 'likelihood' | 'parameters' | 'given' | 'density'>;

export interface VariationalProcessOptions {
  readonly kernel: Kernel;
  /** Any, Gaussian or not. */
  readonly likelihood: Likelihood;
  /** Where the inducing inputs start, M×q. */
  readonly inducing: Matrix;
  /** N×D, NaN where missing, and the inputs (N×q) at which they are where the search starts. */
  readonly observations: Matrix;
  readonly inputs: Matrix;
}

const [MEAN, ROOT] = [Q_MEAN, Q_ROOT].map((path) => path.replace('mapping.', '')) as [string, string];

/**
 * Y ~ p(y|f(X)) with every column of f a Gaussian process, for any likelihood, through inducing inputs: its density is the bound
 *
 *   Σ_nd E[log p(y_nd | f_nd)] − Σ_d KL(q(u_d)‖p(u_d)), f_nd ~ q at x_n,
 *
 * with q(u) as variables under `variational.…`. One covariance of q(u) a column, or one for all of many.
 *
 * @see Hensman, Matthews & Ghahramani 2015
 */
export function variationalProcess(options: VariationalProcessOptions): ViewProcess {
  const { kernel, likelihood, inducing, observations } = options;
  const columns = Int32Array.from({ length: observations.columns }, (_, j) => j);
  const ownKernel = <T>(p: Readonly<Record<string, T>>) => named(kernel.parameters, p, 'kernel.');
  const ownLikelihood = <T>(p: Readonly<Record<string, T>>) => named(likelihood.parameters, p, '');
  const q = (p: TensorMap, onJitter?: (jitter: number) => void) => ({
    factor: inducingFactor(kernel, ownKernel(p), p.inducing as Tensor2D, {
      jitter: INDUCING_JITTER,
      ...(onJitter && { onJitter }),
    }),
    variables: variablesFrom(p[MEAN] as Tensor2D, p[ROOT] as Tensor2D),
  });
  const started = inducingVariables(startPosterior(options), observations.columns, likelihood);

  const process: Process = {
    kernel,
    likelihood,
    parameters: Object.freeze<Record<string, Parameter>>({
      ...Object.fromEntries(Object.entries(kernel.parameters).map(([name, own]) => [`kernel.${name}`, own])),
      ...likelihood.parameters,
      inducing: real(inducing),
      [MEAN]: started[Q_MEAN]!,
      [ROOT]: started[Q_ROOT]!,
    }),
    given: (patterns, points): GivenProcess => {
      const Y = fromPatterns(patterns, points, columns.length);
      const entries = tf.keep(matrixTensor(mapped(Y, (y) => (Number.isNaN(y) ? 0 : y))));
      const mask = tf.keep(matrixTensor(mapped(Y, (y) => (Number.isNaN(y) ? 0 : 1))));
      return {
        logDensity: (p, X, { onJitter }: ProcessContext = {}) => {
          const { factor, variables } = q(p, onJitter);
          const density = sampledExpectedDensity(
            kernel,
            ownKernel(p),
            { inducing: p.inducing as Tensor2D, factor, groups: [{ columns, ...variables }] },
            { mean: X, variance: op.zeros<Tensor2D>(X.shape) },
            { moves: op.zeros<Tensor2D>([1, X.shape[1]]), weights: [1] },
            likelihood,
            ownLikelihood(p),
            entries,
            mask,
          );
          return op.sub<Scalar>(density, inducingDivergence(variables));
        },
        dispose: () => {
          entries.dispose();
          mask.dispose();
        },
      };
    },
    momentsAt: (values, _X, _patterns, other = kernel) => {
      const posterior = withFloat64((): InducingPosterior => {
        const p = valueTensors(values);
        const { factor, variables } = q(p);
        const group = { columns, mean: tensorMatrix(variables.mean), roots: tensorMatrix(variables.roots) };
        return { inducing: tensorMatrix(p.inducing as Tensor2D), factor: tensorMatrix(factor), groups: [group] };
      });
      const own: ParameterValues = ownKernel(values);
      return (A) => inducingMoments(other, valueTensors(own), tensorsOf(posterior), A);
    },
  };
  return Object.freeze<ViewProcess>({
    kernel,
    likelihood,
    parameters: process.parameters,
    given: process.given,
    density: processDensity(process, INDUCING_JITTER),
  });
}

/** The values of some parameters, by their names without the prefix. */
function named<T>(parameters: object, values: Readonly<Record<string, T>>, prefix: string): Record<string, T> {
  return Object.fromEntries(Object.keys(parameters).map((name) => [name, values[prefix + name]!]));
}

const mapped = ({ data, rows, columns }: Matrix, of: (y: number) => number) => new Matrix(data.map(of), rows, columns);

/** N×D observations from what is seen of each group of columns, NaN elsewhere. */
function fromPatterns(patterns: readonly ObservedPattern[], points: number, D: number): Matrix {
  const Y = new Matrix(new Float64Array(points * D).fill(Number.NaN), points, D);
  for (const { rows, columns, observations } of patterns) {
    rows.forEach((row, i) => {
      columns.forEach((column, j) => {
        Y.data[row * D + column] = observations.at(i, j);
      });
    });
  }
  return Y;
}

/** Where q(u) starts: its optimum for what the observations say of the functions, known with unit variance. */
function startPosterior({ kernel, likelihood, inducing, observations, inputs }: VariationalProcessOptions) {
  const functions = functionsOf(likelihood, observations);
  return withFloat64(() => {
    const data = collapsedData(functions, observedPatterns(functions));
    const p = valueTensors(
      Object.fromEntries(Object.entries(kernel.parameters).map(([name, { initial }]) => [name, initial])),
    );
    const Z = matrixTensor(inducing);
    const expectations = certainExpectations(kernel, p, matrixTensor(inputs), Z, data.weights);
    const factor = inducingFactor(kernel, p, Z, { jitter: INDUCING_JITTER });
    const result = optimalPosterior(Z, factor, expectations, op.scalar(1), data);
    data.dispose();
    return result;
  });
}
