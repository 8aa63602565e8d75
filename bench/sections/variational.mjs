import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromDist } from '../context.mjs';
import { enginesFor, onThreads, peerName } from '../engines.mjs';
import { observations } from '../observations.mjs';
import { compare, sampler } from '../rounds.mjs';

const PROGRAM = fileURLToPath(new URL('../peers/bayesianGplvm.py', import.meta.url));
const [INDUCING, DIMENSIONS, JITTER] = [50, 10, 1e-8];

/** One value and gradient of the collapsed bound of a Bayesian GPLVM at its start, compared with the same formula in numpy. */
export async function variationalEvaluations(context) {
  const { openProblem } = await fromDist('inference/fit/fitProblem.js');
  const { bayesianGplvm } = context.library;
  const rows = [];
  for (const n of context.sizes([1000, 10_000], [200])) {
    const Y = await observations(context, n);
    const model = bayesianGplvm(Y, { latentDim: DIMENSIONS, inducing: INDUCING, jitter: JITTER });
    const opened = [];
    const ours = enginesFor(context, n, 0, { shared: true }).map(({ engine, name, threads, peer, use }) => {
      const problem = openProblem(model, { seed: 0, engine });
      opened.push(problem);
      let run;
      let count = 0;
      const evaluate = (x) => run(() => problem.compute(() => problem.objective(x)));
      const measure = sampler(context.seconds, () => {
        const factor = 1 + 1e-6 * ++count;
        evaluate(problem.start.map((entry) => entry * factor));
      });
      return {
        name,
        threads,
        against: peer.replace('peers.py', 'numpy'),
        measure: () =>
          onThreads({ engine, threads }, context.library.startThreads, (onThem) => {
            run = onThem;
            use();
            return { value: -evaluate(problem.start).value, ...measure() };
          }),
      };
    });
    const peers = numpyContenders(context, Y, opened[0]);
    const measured = await compare(context, { section: 'variational', task: 'evaluation', n }, [...ours, ...peers]);
    const expected = measured.at(-1)?.value;
    for (const { value, contender } of measured) {
      if (Math.abs(value / expected - 1) <= 1e-8) continue;
      context.disagreements.push(
        `variational ${n}: the bound is ${value} by ${contender}, and ${expected} by ${measured.at(-1).contender}.`,
      );
    }
    rows.push(...measured);
    for (const problem of opened) problem.dispose();
  }
  return rows;
}

/** The peer on each number of threads, given our start in a file. */
function numpyContenders({ peers, threads, seconds, missing }, Y, problem) {
  if (peers === undefined) return [];
  const values = problem.valuesAt(problem.start);
  const centered = center(Y);
  const of = (path) => values[`mapping.${path}`];
  const entries = (value) => Array.from(value.data ?? value);
  const numbers = [
    ...[Y.rows, Y.columns, INDUCING, DIMENSIONS, of('kernel.rbf.variance'), of('noise'), JITTER],
    ...centered,
    ...entries(values['latents.mean']),
    ...entries(values['latents.variance']),
    ...entries(of('inducing')),
    ...entries(of('kernel.rbf.lengthscale')),
  ];
  return threads.map((count) => ({
    name: peerName(count).replace('peers.py', 'numpy'),
    threads: count,
    measure() {
      const folder = mkdtempSync(join(tmpdir(), 'bound-'));
      const file = join(folder, 'start');
      writeFileSync(file, new Uint8Array(Float64Array.from(numbers).buffer));
      const python = process.env.LATENTFIELD_PYTHON ?? '/usr/bin/python3';
      const env = { ...process.env, OPENBLAS_NUM_THREADS: String(count) };
      const { status, stdout, stderr } = spawnSync(python, [PROGRAM, file, String(seconds)], { env, encoding: 'utf8' });
      rmSync(folder, { recursive: true });
      if (status !== 0) {
        missing.bayesianGplvm = stderr.trim().split('\n').at(-1);
        return undefined;
      }
      const { ms, value } = JSON.parse(stdout);
      return { ms, value };
    },
  }));
}

/** Entries of Y less their column's mean. */
function center({ data, rows, columns }) {
  const means = new Float64Array(columns);
  data.forEach((entry, k) => {
    means[k % columns] += entry / rows;
  });
  return Array.from(data, (entry, k) => entry - means[k % columns]);
}
