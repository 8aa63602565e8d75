import { measuredAlone } from '../alone.mjs';
import { noteObjectivesBelowPeer } from '../disagreements.mjs';
import { enginesFor, peerContenders } from '../engines.mjs';
import { manifoldPoints } from '../observations.mjs';
import { compare } from '../rounds.mjs';

/** Largest relative difference when our objective is below a peer, which ends at a looser tolerance. */
const EQUAL = 1e-9;

/** Whole fits of MPME to a noisy circle: the graph of all pairs, λ = 1, d = 2. */
export async function mpmeFits(context) {
  const { fit, mpme } = context.library;
  const rows = [];
  for (const n of context.sizes([400, 1000], [100])) {
    const Y = await manifoldPoints(context, 'circle', n);
    const few = await manifoldPoints(context, 'circle', 100);
    for (const slackPenalty of [Infinity, 1]) {
      const options = { latentDim: 2, basePrecision: 1, slackPenalty };
      const ours = enginesFor(context, n, 400, { shared: true }).map(({ engine, name, threads, peer, once, use }) => ({
        name,
        threads,
        against: peer,
        once,
        async measure() {
          use();
          // Threads are started by the fit, in its time.
          const here = { engine, ...(engine.startsWith('wasm') && { threads }) };
          await fit(mpme(few, options), here);
          const start = performance.now();
          const fitted = await fit(mpme(Y, options), here);
          return { ms: performance.now() - start, ...facts(fitted) };
        },
      }));
      const given = slackPenalty === Infinity ? [n] : [n, slackPenalty];
      const peers = peerContenders(context, 'mpme', given, peerSample(2));
      const task = `C = ${slackPenalty === Infinity ? '∞' : slackPenalty}`;
      rows.push(...(await compared(context, { section: 'mpme', task, n }, [...ours, ...peers])));
    }
  }
  return rows;
}

/** Up to this many points the peer of MEU, which is dense, ends in minutes. */
const DENSE = 2000;

/** Limit on the minutes of a fit of MEU: a million points, which only --sizes includes, take most of an hour on a busy machine. */
const minutesFor = (n) => (n > 100_000 ? 90 : 15);

/** Whole fits of MEU to a Swiss roll: 6 neighbors, γ = 1e-4. */
export async function meuFits(context) {
  const rows = [];
  for (const n of context.sizes([1000, 10_000, 100_000], [200])) {
    const Y = await manifoldPoints(context, 'swiss', n);
    const ours = {
      name: 'wasm',
      threads: 1,
      against: 'peers.py ×1',
      measure: () => measuredAlone(context, 'meu', Y, minutesFor(n)),
    };
    const contenders = [ours, ...densePeer(context, n)];
    rows.push(...(await compared({ ...context, rounds: 1 }, { section: 'meu', task: 'meu', n }, contenders)));
  }
  return rows;
}

/** The peer of MEU where it ends in bearable time. */
export function densePeer(context, n) {
  return n <= DENSE ? peerContenders({ ...context, threads: [1] }, 'meu', [n], peerSample(3)) : [];
}

function facts({ objective, diagnostics, graph }) {
  const { evaluations, kktResidual } = diagnostics;
  return { value: objective, evaluations, kktResidual, edges: graph.sources.length };
}

/** The peer's objective is ours in units of copies/2. */
function peerSample(copies) {
  return ({ seconds, value, evaluations }) => ({ ms: 1000 * seconds, value: (copies / 2) * value, evaluations });
}

export async function compared(context, of, contenders) {
  const rows = await compare(context, of, contenders);
  noteObjectivesBelowPeer(context, rows, EQUAL);
  for (const { contender, kktResidual, n, section, task } of rows) {
    if (kktResidual > 1e-8) {
      context.disagreements.push(
        `${section} ${n}, ${task}: by ${contender} the optimality conditions hold to ${kktResidual} only.`,
      );
    }
  }
  return rows;
}
