import { shortNumber } from '../core/wording.ts';

/** An approximation behind a fit, as plain data. */
export interface Approximation {
  /** A process through inducing inputs; expectations under Gaussian rows by Gauss–Hermite quadrature, or as means over draws. */
  readonly name: 'inducingInputs' | 'quadrature' | 'draws';
  /** Names of the variables: those whose density goes through inducing inputs, or whose Gaussian rows are averaged over. */
  readonly of: readonly string[];
  /** Number of inducing inputs, of nodes a dimension, or of draws. */
  readonly count: number;
  /** Objective at the result less the exact one, in nats, where it is measured: for quadrature with more nodes, for draws with others, for inducing inputs without them. */
  readonly error?: number;
  /** Standard error of an error that is measured with other draws. */
  readonly standardError?: number;
  /** Most by which the objective may be too low, in nats, where only that is known. */
  readonly errorBound?: number;
}

/** Measures the error of an approximation in the evaluation that makes it. */
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
  const rows = ` Expectations under the Gaussian rows of ${names} are`;
  if (name === 'quadrature') {
    const off = error === undefined ? '' : `; more nodes change the objective by ${shortNumber(-error)}`;
    return `${rows} by quadrature, ${count} nodes a dimension${off}.`;
  }
  const off =
    error === undefined ? '' : `; other draws change it by ${shortNumber(-error)} ± ${shortNumber(standardError!)}`;
  return `${rows} means over ${count} draws: the objective is an estimate of the bound, and may lie above it${off}.`;
}
