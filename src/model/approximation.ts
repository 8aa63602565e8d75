import { shortNumber } from '../core/wording.ts';

export const APPROXIMATIONS = ['inducingInputs', 'basisFunctions', 'expectationBound', 'quadrature', 'draws'] as const;

/** An approximation used by a fit, as plain data. */
export interface Approximation {
  /**
   * Inducing inputs or basis functions of a process; a lower bound on expected log densities under a likelihood without a closed form; expectations under Gaussian rows
   * by Gauss–Hermite quadrature, or by averages over draws.
   */
  readonly name: (typeof APPROXIMATIONS)[number];
  /** Names of the variables whose density is approximated, or whose Gaussian rows are averaged over. */
  readonly of: readonly string[];
  /** Number of inducing inputs, of basis functions, of columns under a bound, of nodes per dimension, or of draws. */
  readonly count: number;
  /** Objective at the result minus the exact one, in nats, if measured: for quadrature with more nodes, for draws with other draws, for inducing inputs and basis functions without them, for a bound by quadrature. */
  readonly error?: number;
  /** Standard error of an error measured with other draws. */
  readonly standardError?: number;
  /** Upper bound on how much the objective may be too low, in nats, if only a bound is known. */
  readonly errorBound?: number;
}

/** Measures the error of an approximation, in the evaluation that uses it. */
export type Measured = () => Pick<Approximation, 'error' | 'standardError' | 'errorBound'>;

/** Sentences about approximations, each after a space. */
export const approximationsInWords = (all: readonly Approximation[]): string => all.map(inWords).join('');

function inWords({ name, of, count, error, standardError, errorBound }: Approximation): string {
  const names = of.map((each) => `'${each}'`).join(' and ');
  if (name === 'inducingInputs') {
    const bound = errorBound === undefined ? '' : `, too low by ${shortNumber(errorBound)} at most`;
    const low = error === undefined ? bound : `, too low by ${shortNumber(-error)}`;
    return ` The process of ${names} goes through ${count} inducing inputs: its log density is a lower bound${low}.`;
  }
  if (name === 'basisFunctions') {
    const off =
      error === undefined ? '; its error is measured for at most 2000 rows' : `, off by ${shortNumber(error)}`;
    return ` The process of ${names} is a sum of ${count} basis functions: its log density is approximate${off}.`;
  }
  if (name === 'expectationBound') {
    return ` Expected log densities of ${names} are replaced by a lower bound${error === undefined ? '' : `, too low by ${shortNumber(-error)} in all`}.`;
  }
  const rows = ` Expectations under the Gaussian rows of ${names} are`;
  if (name === 'quadrature') {
    const off = error === undefined ? '' : `; more nodes change the objective by ${shortNumber(-error)}`;
    return `${rows} by quadrature, ${count} nodes per dimension${off}.`;
  }
  const off =
    error === undefined ? '' : `; other draws change it by ${shortNumber(-error)} ± ${shortNumber(standardError!)}`;
  return `${rows} means over ${count} draws: the objective is an estimate of the bound, and may lie above it${off}.`;
}
