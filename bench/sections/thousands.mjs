import { compare } from '../rounds.mjs';
import { realSet, sheets, timed, umapJsOf } from './maps.mjs';

/**
 * Fits of the default `gplvm` and `bayesianGplvm` to thousands of rows: time, processor seconds, how they end, and the leave-one-out 1-NN error of the map.
 * umap-js' map of the digits measures the speed of the machine: see aims.mjs.
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
  const { bayesianGplvm, fit, gplvm, nearestNeighborError } = context.library;
  const results = [];
  for (const { task, Y, labels } of [...sets.filter(Boolean), ...kinds]) {
    const measured = (name, make) => async () => {
      const { value, ...spent } = await timed(() => fit(make(Y, { latentDim: 2 })));
      const { latents, status, diagnostics } = value;
      const { iterations, evaluations } = diagnostics;
      const converged = status === 'converged';
      if (!converged) context.missing[`${name} of ${task}, N=${Y.rows}`] = `The fit ended at ${status}.`;
      return { ...spent, iterations, evaluations, error: nearestNeighborError(latents, labels), converged };
    };
    const umapJs = async () => {
      const { value, ...spent } = await timed(() => umapJsOf(context, Y, 1));
      return { ...spent, error: nearestNeighborError(value, labels) };
    };
    const contenders = [
      ...Object.entries({ gplvm, bayesianGplvm }).map(([name, make]) => [name, measured(name, make)]),
      ...(task === 'digits' ? [['umap-js', umapJs]] : []),
    ].map(([name, measure]) => ({ name, measure, threads: 1, once: true }));
    results.push(...(await compare(context, { section: 'thousands', task, n: Y.rows }, contenders)));
  }
  return results;
}
