import type { Matrix } from '../../core/matrix.ts';
import { aligned } from '../../core/wording.ts';
import { essBulk, essTail, joined, mcseMean, rHat } from './convergence.ts';
import { mean, median, quantileOfSorted, sampleVariance, sorted } from './givenDraws.ts';

/** Posterior summary of one scalar quantity. */
export interface SummaryRow {
  readonly mean: number;
  readonly median: number;
  /** Standard deviation. */
  readonly sd: number;
  /** Median absolute deviation, times 1.4826. */
  readonly mad: number;
  /** The 5 % and 95 % quantiles. */
  readonly q5: number;
  readonly q95: number;
  readonly rHat: number;
  readonly essBulk: number;
  readonly essTail: number;
  /** Monte Carlo standard error of the mean. */
  readonly mcseMean: number;
}

/** Summary rows by name; as text, the table of R's posterior package. */
export type DrawsSummary = Readonly<Record<string, SummaryRow>>;

/** R̂ above which chains have not mixed. */
export const MOST_RHAT = 1.01;
/** Effective draws per chain below which quantiles and R̂ are unreliable. */
export const LEAST_ESS = 100;

export function summaryRow(draws: Matrix): SummaryRow {
  const chains = Array.from({ length: draws.rows }, (_, c) => draws.row(c));
  const all = joined(chains);
  const ordered = sorted(all);
  const center = median(all);
  return Object.freeze({
    mean: mean(all),
    median: center,
    sd: Math.sqrt(sampleVariance(all)),
    mad: 1.4826 * median(all.map((x) => Math.abs(x - center))),
    q5: quantileOfSorted(ordered, 0.05),
    q95: quantileOfSorted(ordered, 0.95),
    rHat: rHat(draws),
    essBulk: essBulk(draws),
    essTail: essTail(draws),
    mcseMean: mcseMean(draws),
  });
}

/** Summary of several quantities, with its text. */
export function summaryOf(rows: Readonly<Record<string, SummaryRow>>): DrawsSummary {
  const summary = { ...rows };
  Object.defineProperty(summary, 'toString', { value: () => table(rows), enumerable: false });
  return Object.freeze(summary) as DrawsSummary;
}

function table(rows: Readonly<Record<string, SummaryRow>>): string {
  const head = ['variable', 'mean', 'median', 'sd', 'mad', 'q5', 'q95', 'rhat', 'ess_bulk', 'ess_tail'];
  const number = (value: number) => (Number.isFinite(value) ? String(Number(value.toPrecision(3))) : 'NA');
  const size = (value: number) => (Number.isFinite(value) ? value.toFixed(0) : 'NA');
  const lines = Object.entries(rows).map(([name, row]) => [
    name,
    ...[row.mean, row.median, row.sd, row.mad, row.q5, row.q95].map(number),
    Number.isFinite(row.rHat) ? row.rHat.toFixed(3) : 'NA',
    size(row.essBulk),
    size(row.essTail),
  ]);
  return aligned([head, ...lines]).join('\n');
}
