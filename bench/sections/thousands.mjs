import { compare } from '../rounds.mjs';
import { realSet, sheets } from './maps.mjs';

/**
 * Fits of the default `gplvm` and `bayesianGplvm` to thousands of rows: time, processor seconds, how they end, and the leave-one-out 1-NN error of the map.
 */
export async function thousands(context) {
  const sets = [];
  const real = context.short
    ? []
    : [
        { task: 'digits', file: 'digits8x8', n: 1797 },
        { task: 'letters', file: 'letter', n: 2000 },
        { task: 'USPS', file: 'usps', n: 2000 },
        { task: 'USPS', file: 'usps', n: 9298 },
      ];
  for (const set of real) sets.push(await realSet(context, set));
  // As many columns and classes as Satimage has.
  const generated = context.short ? [120] : [2000, 10_000];
  const kinds = generated.map((n) => sheets(context, n, { columns: 36, classes: 6 }));
  const { bayesianGplvm, fit, gplvm, nearestNeighbourError } = context.library;
  const results = [];
  for (const { task, Y, labels } of [...sets.filter(Boolean), ...kinds]) {
    const measured = (name, make) => async () => {
      const [before, start] = [process.cpuUsage(), performance.now()];
      const { latents, status, diagnostics } = await fit(make(Y, { latentDim: 2 }));
      const ms = performance.now() - start;
      const { user, system } = process.cpuUsage(before);
      const { iterations, evaluations } = diagnostics;
      if (status !== 'converged') context.missing[`${name} of ${task}, N=${Y.rows}`] = `The fit ended at ${status}.`;
      const error = nearestNeighbourError(latents, labels);
      const converged = status === 'converged';
      return { ms, cpuSeconds: (user + system) / 1e6, iterations, evaluations, error, converged };
    };
    const contenders = Object.entries({ gplvm, bayesianGplvm }).map(([name, make]) => ({
      ...{ name, threads: 1, once: true },
      measure: measured(name, make),
    }));
    results.push(...(await compare(context, { section: 'thousands', task, n: Y.rows }, contenders)));
  }
  return results;
}
