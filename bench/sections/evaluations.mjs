import { fromDist } from '../context.mjs';
import { enginesFor, onThreads, peerContenders, peerName } from '../engines.mjs';
import { observations } from '../observations.mjs';
import { compare, sampler } from '../rounds.mjs';

/** A GPLVM as the peer has it: rbf(1, 1) + bias(0.1) + white noise(0.1), q = 2, no prior, from the principal components, with no inducing inputs among many rows either. */
export function peersGplvm({ library }, Y, lengthscale = 1) {
  const { add, bias, gplvm, rbf } = library;
  const kernel = add(rbf({ lengthscale }), bias({ variance: 0.1 }));
  return gplvm(Y, { latentDim: 2, kernel, noise: 0.1, priors: [], inducing: 'none' });
}

/** So short a lengthscale that the covariance has no form of low rank: typical of a fitted model rather than of a start. */
const SHORT_LENGTHSCALE = 0.1;

/** One value and gradient of the objective that `fit` minimizes for a GPLVM, with tensors and tape. */
export async function gplvmEvaluations(context) {
  const sizes = context.sizes([100, 300, 1000, 2000], [100]);
  const rows = await evaluations(context, { section: 'gplvm', task: 'evaluation' }, sizes, (Y) =>
    peersGplvm(context, Y),
  );
  const large = context.sizes([1000, 2000], []).filter((n) => n >= 1000);
  const of = { section: 'gplvm', task: `evaluation, lengthscale ${SHORT_LENGTHSCALE}` };
  const peers = (n) =>
    context.peers === undefined
      ? []
      : context.threads.map((count) => ({
          name: peerName(count),
          threads: count,
          measure() {
            const printed = context.peers.gplvm(count, n, SHORT_LENGTHSCALE);
            return printed && { ms: printed.ms, value: printed.value };
          },
        }));
  const model = (Y) => peersGplvm(context, Y, SHORT_LENGTHSCALE);
  return [...rows, ...(await evaluations(context, of, large, model, peers))];
}

/** The same for a thin plate spline latent variable model with noise of variance 1. */
export function tpslvmEvaluations(context) {
  const { gplvm, thinPlateSpline } = context.library;
  if (thinPlateSpline === undefined) {
    context.missing.tpslvm = 'The library has no thin plate spline kernel yet.';
    return [];
  }
  const model = (Y) => gplvm(Y, { latentDim: 2, kernel: thinPlateSpline(), noise: 1, priors: [], inducing: 'none' });
  const of = { section: 'tpslvm', task: 'evaluation' };
  return evaluations(context, of, context.sizes([300, 1000], [100]), model);
}

async function evaluations(context, of, sizes, model, peersAt = usualPeers(context, of)) {
  const { openProblem } = await fromDist('inference/fit/fitProblem.js');
  const { float64Backend } = await fromDist('engine/tensors/float64/scope.js');
  const memory = float64Backend().memory64;
  const rows = [];
  for (const n of sizes) {
    const Y = await observations(context, n);
    const opened = [];
    const ours = enginesFor(context, n, 1000, { shared: true }).map(({ engine, name, threads, peer, once, use }) => {
      let problem;
      const open = () => {
        problem = openProblem(model(Y), { seed: 0, engine });
        opened.push(problem);
      };
      let run;
      const evaluate = (x) => run(() => problem.compute(() => problem.objective(x)));
      let count = 0;
      // A little elsewhere each time, as the peer does.
      const measure = sampler(context.seconds, () => {
        const factor = 1 + 1e-6 * ++count;
        evaluate(problem.start.map((entry) => entry * factor));
      });
      return {
        name,
        threads,
        against: peer,
        once,
        measure: () =>
          onThreads({ engine, threads }, context.library.startThreads, (onThem) => {
            run = onThem;
            use();
            if (problem === undefined) open();
            const before = memory.liveBytes;
            memory.resetPeak();
            const value = evaluate(problem.start).value;
            const matrices = Number(((memory.peakBytes - before) / (8 * n * n)).toFixed(2));
            return { ...measure(), value, matrices };
          }),
      };
    });
    const measured = await compare(context, { ...of, n }, [...ours, ...peersAt(n)]);
    context.disagreements.push(...disagreements(measured));
    rows.push(...measured);
    for (const problem of opened) problem.dispose();
  }
  return rows;
}

function usualPeers(context, { section }) {
  const read = ({ ms, value }) => ({ ms, value });
  return (n) => peerContenders(context, `${section}-eval`, [n], read, { kept: true });
}

/** Rows whose objective differs from the last one. */
export function disagreements(rows) {
  const expected = rows.at(-1)?.value;
  return rows
    .filter(({ value }) => !(Math.abs(value - expected) <= 1e-7 * Math.abs(expected)))
    .map(({ section, task, n, contender, value }) => {
      return `${section}, ${task}, ${n}: the objective is ${value} by ${contender}, and ${expected} by ${rows.at(-1).contender}.`;
    });
}
