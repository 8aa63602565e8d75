import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fromDist } from '../context.mjs';
import { enginesFor } from '../engines.mjs';
import { compared } from './maxEntropy.mjs';

const FOLDER = process.env.LATENTFIELD_DATA ?? fileURLToPath(new URL('../../../shared/data/', import.meta.url));

const COIL20 = { task: 'Coil20, d = 84', file: 'coil20_32_X.npy', copies: 84, rows: { from: 0, step: 4, most: 360 } };

/** Rows of data sets of Mao et al. 2017, with the dimension that the paper states; λ is the default unless given. */
const SETS = [
  COIL20,
  // The grid of Figure 4.
  ...[0.1, 0.5, 1, 5, 10].map((given) => ({ ...COIL20, task: `${COIL20.task}, λ = ${given}`, given })),
  { task: 'USPS, d = 32', file: 'usps_X.npy', copies: 32, rows: { from: 7291, step: 1, most: 500 } },
];

/** Whole fits of MPME to data of its paper, from the observations to the latents, at one base precision for all contenders. */
export async function mpmeOfPapers(context) {
  const { fit, mpme, Matrix } = context.library;
  const results = [];
  for (const { task, file, copies, rows, given } of SETS) {
    if (!existsSync(`${FOLDER}/${file}`)) {
      context.missing.papers = `${file} is not in ${FOLDER}. Name the folder of the data sets in LATENTFIELD_DATA.`;
      continue;
    }
    const { readTable } = await fromDist('app/io/index.js');
    const all = (await readTable(`${FOLDER}/${file}`, { flatten: true })).observations;
    const most = context.short ? 120 : rows.most;
    const Y = Matrix.from(Array.from({ length: most }, (_, k) => all.row(rows.from + rows.step * k)));
    const basePrecision = given ?? (await connecting(Y, copies));
    const options = { latentDim: copies, basePrecision };
    const few = Matrix.from(Array.from({ length: 50 }, (_, i) => Y.row(i)));
    const ours = enginesFor(context, Y.rows, 1000, { shared: true }).map(
      ({ engine, name, threads, peer, once, use }) => ({
        name,
        threads,
        against: peer,
        once,
        async measure() {
          use();
          const here = { engine, ...(engine.startsWith('wasm') && { threads }) };
          await fit(mpme(few, { ...options, latentDim: 10 }), here);
          const start = performance.now();
          const { objective, diagnostics, graph } = await fit(mpme(Y, options), here);
          const ms = performance.now() - start;
          const { evaluations, kktResidual } = diagnostics;
          return { ms, value: objective, evaluations, kktResidual, edges: graph.sources.length };
        },
      }),
    );
    const peers = (context.peers === undefined ? [] : context.threads).map((threads) => ({
      name: `mpme.py ×${threads}`,
      threads,
      measure() {
        const printed = context.peers.mpme(threads, Y, copies, basePrecision);
        return (
          printed && {
            ms: 1000 * printed.seconds,
            value: (copies / 2) * printed.value,
            evaluations: printed.evaluations,
          }
        );
      },
    }));
    const contenders = [
      ...ours.map((one) => ({ ...one, ...(one.against && { against: one.against.replace('peers.py', 'mpme.py') }) })),
      ...peers,
    ];
    results.push(...(await compared(context, { section: 'papers', task, n: Y.rows }, contenders)));
  }
  return results;
}

/** The default base precision, rounded to two digits so that it can be passed to a peer. */
async function connecting(Y, copies) {
  const { connectingPrecision } = await fromDist('fields/density/connectingPrecision.js');
  const { edgeDistances } = await fromDist('fields/density/edgeSquaredDistances.js');
  const { completeGraph } = await fromDist('engine/graph/index.js');
  const pairs = completeGraph(Y.rows);
  return Number(connectingPrecision(pairs, edgeDistances(Y, pairs), copies).toPrecision(2));
}
