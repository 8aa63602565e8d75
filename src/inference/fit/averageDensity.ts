import type { LogDensity } from '../../model/objective.ts';

/** The log density of all rows from what each of the batches of an epoch says of it; the last batch may be smaller. */
export function averageDensity(parts: readonly LogDensity[], points: number, batchSize: number): LogDensity {
  const shareOf = (k: number) => Math.min(batchSize, points - k * batchSize) / points;
  const average = (of: (part: LogDensity) => number) => parts.reduce((sum, part, k) => sum + shareOf(k) * of(part), 0);
  return {
    value: average(({ value }) => value),
    terms: Object.fromEntries(Object.keys(parts[0]!.terms).map((name) => [name, average(({ terms }) => terms[name]!)])),
    gradients: [],
    jitter: parts.reduce((most, { jitter }) => Math.max(most, jitter), 0),
  };
}
