import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPage } from '../browser.mjs';
import { compare } from '../rounds.mjs';

const N = 30;
const CHAINS = 4;
const TASK = 'draws of a process';
const pathOf = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** Program of the page: the draws, with the time since the request for the page. */
const PAGE = `
import { drawStory } from './drawStory.js';
globalThis.tell = async (data, how) => {
  const story = await drawStory(await import('./latentfield.js'), data, how);
  return { ...story, wholeMs: performance.now() };
};
globalThis.isReady = true;`;

/**
 * Draws of the three hyperparameters of a Gaussian process of 30 points compared with Stan by rstan, the same model, one thread: seconds, gradients, effective sample
 * size (the least of bulk and tail of the three) per gradient after the warm-up and per second; and all of it from the start, in Node and in a page.
 */
export async function sampling(context) {
  const { seededRandom, Matrix } = context.library;
  const random = seededRandom(5);
  const inputs = Array.from({ length: N }, (_, i) => i / 6 - 2.5);
  const data = { inputs, observations: inputs.map((t) => Math.sin(2 * t) + 0.15 * random.normal()) };
  const [warmup, draws] = context.short ? [200, 200] : [1000, 2000];
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-stan-'));
  let seed = 0;
  const how = () => ({ warmup, draws, seed: Math.ceil(++seed / 2) });
  const compiling = [];
  const told = new Map();
  const tell = (name, { ms, ...story }) => {
    told.set(name, [...(told.get(name) ?? []), { ms: story.wholeMs, cpuSeconds: story.cpuSeconds }]);
    return { ms, cpuSeconds: story.drawCpuSeconds, ...sizesOf(story, ms), means: story.means };
  };
  const contenders = [
    { name: 'latentfield', threads: 1, against: 'rstan', measure: async () => tell('Node', inNode(data, how())) },
    { name: 'rstan', threads: 1, measure: async () => byStan(context, folder, data, how(), compiling, Matrix) },
  ];
  try {
    const rows = await compare(context, { section: 'sampling', task: TASK, n: N }, contenders);
    checkMeans(context, rows);
    const page = await inPage(context, data, { warmup, draws, seed: 1 });
    const all = (name, times) =>
      whole(
        name,
        times.map(({ ms }) => ms),
      );
    return [
      ...rows.map(({ means, ...row }) => ({ ...row, perSecond: (1000 * row.effective) / row.ms.median })),
      ...[...told].map(([name, times]) => all(name, times)),
      ...(page ? [all('Chromium', page)] : []),
      ...(compiling.length > 0 ? [whole('rstan, compiling', compiling)] : []),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const sizesOf = ({ least, gradients, afterWarmup }) => ({
  evaluations: gradients,
  effective: least,
  perGradient: least / afterWarmup,
});

function whole(contender, times) {
  const sorted = [...times].sort((a, b) => a - b);
  const ms = { median: sorted[sorted.length >> 1], least: sorted[0], most: sorted.at(-1), rounds: times.length };
  return { section: 'sampling', task: 'from nothing', n: N, contender, threads: 1, ms };
}

function inNode(data, { warmup, draws, seed }) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [pathOf('drawStory.mjs'), ...[warmup, draws, seed].map(String)],
    { input: JSON.stringify(data), encoding: 'utf8' },
  );
  if (status === 0) return JSON.parse(stdout);
  throw new Error(`drawStory.mjs failed: ${stderr}`);
}

async function inPage(context, data, how) {
  const files = {
    'index.html': '<!doctype html><title>bench</title><script type="module" src="tell.js"></script>',
    'tell.js': PAGE,
    'drawStory.js': await readFile(pathOf('drawStory.mjs'), 'utf8'),
  };
  const times = [];
  for (let round = 0; round < context.rounds; round++) {
    const opened = await startPage(files);
    if ('reason' in opened) {
      context.missing['draws in a page'] = opened.reason;
      return undefined;
    }
    try {
      await opened.page.waitForFunction('globalThis.isReady === true');
      const story = await opened.page.evaluate(([given, asked]) => globalThis.tell(given, asked), [data, how]);
      times.push({ ms: story.wholeMs });
    } finally {
      await opened.close();
    }
  }
  return times;
}

function byStan({ missing, library: { essBulk, essTail } }, folder, data, { warmup, draws, seed }, compiling, Matrix) {
  const counts = [N, CHAINS, warmup, draws, seed].map(String);
  const { status, stdout, stderr, error } = spawnSync('Rscript', [pathOf('peers/rstan.R'), folder, ...counts], {
    input: new Uint8Array(Float64Array.from([...data.inputs, ...data.observations]).buffer),
    maxBuffer: 2 ** 28,
  });
  const last = stderr?.toString().trim().split('\n').at(-1);
  if (status !== 0) {
    missing.rstan = `${error?.message ?? last}. On Debian: apt-get install r-cran-rstan r-cran-bh r-cran-rcppeigen.`;
    return undefined;
  }
  const said = JSON.parse(last);
  if (compiling.length === 0) compiling.push(1000 * said.compiling);
  const values = new Float64Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.byteLength));
  const of = (p) =>
    new Matrix(
      Float64Array.from({ length: CHAINS * draws }, (_, k) => values[3 * k + p]),
      CHAINS,
      draws,
    );
  const all = [0, 1, 2].map(of);
  const least = Math.min(...all.flatMap((each) => [essBulk(each), essTail(each)]));
  const means = all.map((each) => each.data.reduce((sum, entry) => sum + entry, 0) / each.data.length);
  const ms = 1000 * said.sampling;
  return { ms, cpuSeconds: said.cpuSeconds, ...sizesOf({ ...said, least }), means };
}

/** Standard errors of the means are about a hundredth of them: contenders that differ by a tenth draw from other posteriors. */
function checkMeans({ disagreements }, [ours, theirs]) {
  if (theirs === undefined) return;
  const apart = ours.means.some((mean, p) => Math.abs(mean / theirs.means[p] - 1) > 0.1);
  if (apart)
    disagreements.push(`sampling: means ${ours.means.join(', ')}, but those of rstan are ${theirs.means.join(', ')}.`);
}
