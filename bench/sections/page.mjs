import { existsSync } from 'node:fs';
import { startPage } from '../browser.mjs';
import { observations } from '../observations.mjs';
import { compare, sampler } from '../rounds.mjs';
import { disagreements } from './evaluations.mjs';

/** The same in Node and in a page: evaluations of a GPLVM, each a little elsewhere, for so many seconds. Sent to the page as text. */
const MEASURE = `
export function evaluator({ add, bias, gplvm, open, rbf }, rows, engine) {
  const kernel = add(rbf(), bias({ variance: 0.1 }));
  const density = open(gplvm(rows, { latentDim: 2, kernel, noise: 0.1, priors: [] }), { engine });
  let count = 0;
  const evaluate = () => {
    const factor = 1 + 1e-6 * ++count;
    density.evaluate(density.start.map((entry) => entry * factor));
  };
  return { evaluate, value: density.evaluate(density.start).value };
}`;

const WORKER = `
import * as library from './latentfield.js';
import { evaluator } from './measure.js';
let made;
onmessage = ({ data: { rows, engine, seconds } }) => {
  try {
    made ??= evaluator(library, rows, engine);
    const times = [];
    const end = performance.now() + 1000 * seconds;
    while (times.length < 3 || performance.now() < end) {
      // Clocks of pages are coarse: at least some milliseconds at a time.
      const start = performance.now();
      let runs = 0;
      do {
        made.evaluate();
        runs++;
      } while (performance.now() - start < 5);
      times.push((performance.now() - start) / runs);
    }
    postMessage({ ms: times.sort((a, b) => a - b)[times.length >> 1], value: made.value });
  } catch (error) {
    postMessage({ reason: String(error) });
  }
};`;

/** Frames of a slider that moves the noise: each is a fit of 5 iterations from the latents of the one before, in the page's own thread. */
const SLIDER = `
import * as library from './latentfield.js';
const { fit, fixed, free, gplvm } = library;
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
globalThis.slide = async (rows, engine, frames) => {
  let latents;
  const [times, refits] = [[], []];
  for (let k = 0; k < frames; k++) {
    times.push(await frame());
    const start = performance.now();
    const noise = fixed(0.1 + 0.05 * Math.sin(k / 10));
    const model = gplvm(rows, { latentDim: 2, noise, ...(latents && { latents: free({ init: latents }) }) });
    ({ latents } = await fit(model, { engine, maxIterations: 5 }));
    refits.push(performance.now() - start);
  }
  // The first ones compile.
  const median = (list) => list.slice(20).sort((a, b) => a - b)[(list.length - 20) >> 1];
  return { refit: median(refits), perSecond: 1000 / median(times.slice(1).map((time, k) => time - times[k])) };
};
globalThis.isReady = true;`;

/** The playground as `npm run site` builds it. */
const PLAYGROUND = new URL('../../web/dist/playground/', import.meta.url);

/**
 * Evaluations of a GPLVM in a worker of a page of Chromium beside those in Node, frames a second of a slider that fits 50 points
 * again, and the time from the address of the playground to the map of its example.
 */
export async function pages(context) {
  const index = '<!doctype html><title>bench</title><script type="module" src="slider.js"></script>';
  const opened = await startPage({
    'index.html': index,
    'measure.js': MEASURE,
    'worker.measure.js': WORKER,
    'slider.js': SLIDER,
  });
  if ('reason' in opened) {
    context.missing.page = opened.reason;
    return [];
  }
  const { page, version, close } = opened;
  try {
    context.machine.chromium = version;
    await page.waitForFunction('globalThis.isReady === true');
    const { evaluator } = await import(`data:text/javascript,${encodeURIComponent(MEASURE)}`);
    const rows = [];
    for (const n of context.sizes([100, 300, 1000], [100])) {
      const Y = (await observations(context, n)).toArrays();
      const contenders = [nodeContender(context, evaluator, Y, 'wasm'), pageContender(context, page, Y, 'wasm')];
      const measured = await compare(context, { section: 'page', task: 'evaluation', n }, contenders);
      context.disagreements.push(...disagreements(measured));
      rows.push(...measured.map(perSecond));
    }
    const few = (await observations(context, 50)).toArrays();
    const { refit, perSecond: frames } = await page.evaluate(
      ([Y, count]) => globalThis.slide(Y, 'wasm', count),
      [few, context.short ? 60 : 300],
    );
    const ms = { median: refit, least: refit, most: refit, rounds: 1 };
    rows.push({
      section: 'page',
      task: 'slider',
      n: 50,
      contender: 'Chromium, wasm',
      threads: 1,
      ms,
      perSecond: frames,
    });
    return [...rows, ...(await firstMap(context))];
  } finally {
    await close();
  }
}

/** From the request of the playground to the map that it begins with; nothing is in the browser's cache. */
async function firstMap(context) {
  if (!existsSync(PLAYGROUND)) {
    context.missing.playground = 'The playground is not built: npm run site.';
    return [];
  }
  const { page, open, close } = await startPage({}, PLAYGROUND);
  const address = page.url();
  try {
    const measure = async () => {
      const fresh = await open({ viewport: { width: 1440, height: 900 } });
      const start = performance.now();
      await fresh.goto(address);
      await fresh.getByRole('application', { name: 'Map of 150 rows, gplvm' }).waitFor();
      await fresh.waitForFunction(() => document.querySelector('.map canvas').width > 300);
      const ms = performance.now() - start;
      await fresh.context().close();
      return ms;
    };
    const times = [];
    for (let k = 0; k < 3 * context.rounds; k++) times.push(await measure());
    times.sort((a, b) => a - b);
    const ms = { median: times[times.length >> 1], least: times[0], most: times.at(-1), rounds: times.length };
    return [{ section: 'page', task: 'playground, first map', n: 150, contender: 'Chromium, wasm', threads: 1, ms }];
  } finally {
    await close();
  }
}

const perSecond = (row) => ({ ...row, perSecond: 1000 / row.ms.median });

function nodeContender({ library, seconds }, evaluator, Y, engine) {
  const { evaluate, value } = evaluator(library, Y, engine);
  const measure = sampler(seconds, evaluate);
  return { name: `Node, ${engine}`, threads: 1, measure: () => ({ ...measure(), value }) };
}

function pageContender({ seconds }, page, Y, engine) {
  const name = `${engine} ${Y.length}`;
  let isWarm = false;
  const ask = async () => {
    const reply = await page.evaluate(
      ({ name, ...request }) => {
        globalThis.workers ??= {};
        globalThis.workers[name] ??= new Worker('worker.measure.js', { type: 'module' });
        const worker = globalThis.workers[name];
        return new Promise((resolve) => {
          worker.onmessage = ({ data }) => resolve(data);
          worker.onerror = ({ message }) => resolve({ reason: message || 'its file could not be loaded' });
          worker.postMessage(request);
        });
      },
      { name, rows: Y, engine, seconds },
    );
    if ('reason' in reply) throw new Error(`The worker of the page failed: ${reply.reason}`);
    return reply;
  };
  return {
    name: `Chromium, ${engine}`,
    threads: 1,
    against: `Node, ${engine}`,
    async measure() {
      if (!isWarm) await ask();
      isWarm = true;
      return ask();
    },
  };
}
