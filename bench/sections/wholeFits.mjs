import { noteObjectivesBelowPeer } from '../disagreements.mjs';
import { enginesFor, peerContenders } from '../engines.mjs';
import { observations } from '../observations.mjs';
import { compare } from '../rounds.mjs';
import { peersGplvm } from './evaluations.mjs';

/** Largest relative difference when our objective is below the peer's: rounding separates the paths, which may end at different optima. */
const CLOSE = 0.01;

/** Whole fits of the same GPLVM from the same start, by L-BFGS with SciPy's tolerances. */
export async function wholeFits(context) {
  const { fit } = context.library;
  const [n] = context.sizes([300], [100]);
  const maxIterations = context.short ? 20 : 500;
  const model = peersGplvm(context, await observations(context, n));
  const options = { maxIterations, tolerance: 1e-5, relativeDecrease: 1e7 * Number.EPSILON };
  const ours = enginesFor(context, n, 300, { shared: true }).map(({ engine, name, threads, peer, once, use }) => ({
    name,
    threads,
    against: peer,
    once,
    async measure() {
      use();
      // Threads are started by the fit, in its time.
      const here = { ...options, engine, ...(engine.startsWith('wasm') && { threads }) };
      await fit(model, { ...here, maxIterations: 3 });
      const start = performance.now();
      const { objective, diagnostics } = await fit(model, here);
      const ms = performance.now() - start;
      return { ms, value: objective, ...countsOf(diagnostics, ms) };
    },
  }));
  const read = (printed) => {
    const ms = 1000 * printed.seconds;
    return { ms, value: printed.logLikelihood, ...countsOf(printed, ms) };
  };
  const peers = peerContenders(context, 'gplvm-fit', [n, maxIterations], read, { kept: true });
  const of = { section: 'fit', task: `gplvm, ≤ ${maxIterations} iterations`, n };
  const rows = await compare(context, of, [...ours, ...peers]);
  noteObjectivesBelowPeer(context, rows, CLOSE);
  return rows;
}

function countsOf({ evaluations, iterations }, ms) {
  return { iterations, evaluations, msPerEvaluation: Number((ms / evaluations).toPrecision(4)) };
}
