import { existsSync } from 'node:fs';
import { startPage } from '../browser.mjs';
import { observations } from '../observations.mjs';
import { compare, sampler } from '../rounds.mjs';
import { disagreements } from './evaluations.mjs';

/** The same in Node and in a page: evaluations of a GPLVM, each a little elsewhere, for so many seconds. Sent to the page as text. */
const MEASURE = `
export function evaluator({ add, bias, gplvm, logDensityOf, rbf }, rows, engine) {
  const kernel = add(rbf(), bias({ variance: 0.1 }));
  const density = logDensityOf(gplvm(rows, { latentDim: 2, kernel, noise: 0.1, priors: [] }), { engine });
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
    const model = gplvm(rows, { latentDim: 2, noise, ...(latents && { init: latents }) });
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
 * Evaluations of a GPLVM in a worker of a page of Chromium compared with Node, frames per second of a slider that refits 50 points,
 * the time from the address of the playground to the map of its example, and its longest tasks while it fits and under the
 * pointer.
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
    return [...rows, ...(await firstMap(context)), ...(await longestTasks(context))];
  } finally {
    await close();
  }
}

/** Actions on the page while its tasks are timed. */
const DONE = [
  { task: 'longest task, fit', n: 1000, model: 'gplvm', done: fitted },
  { task: 'longest task, pointer', n: 10_000, model: 'pca', done: pointed },
  { task: 'longest task, pointer', n: 100_000, model: 'pca', done: pointed },
];

/** The longest task of the page's own thread while it does something, in milliseconds of the processor. */
async function longestTasks(context) {
  if (!existsSync(PLAYGROUND)) return [];
  const opened = await startPage({}, PLAYGROUND);
  const rows = [];
  try {
    for (const { task, n, model, done } of context.short ? DONE.slice(0, 1) : DONE) {
      const times = [];
      for (let k = 0; k < context.rounds; k++) times.push(await longestTask(opened, n, model, done));
      times.sort((a, b) => a - b);
      const ms = { median: times[times.length >> 1], least: times[0], most: times.at(-1), rounds: times.length };
      rows.push({ section: 'page', task, n, contender: 'Chromium, wasm', threads: 1, ms });
    }
    return rows;
  } finally {
    await opened.close();
  }
}

async function longestTask({ page, open, trace }, n, model, done) {
  const fresh = await open({ viewport: { width: 1440, height: 900 } });
  try {
    await fresh.goto(page.url());
    await fresh.getByRole('application', { name: 'Map of 150 rows, gplvm' }).waitFor();
    const drawer = fresh.getByRole('button', { name: 'Data and model', exact: true });
    if ((await drawer.getAttribute('aria-expanded')) === 'false') await drawer.click();
    const table = { name: 'own.csv', mimeType: 'text/csv', buffer: Buffer.from(waves(n)) };
    await fresh.locator('[name=table]').setInputFiles(table);
    await fresh.getByText(`${n} rows, 3 columns.`).waitFor();
    await fresh.selectOption('[name=model]', model);
    await fresh.getByLabel('Maximum iterations').fill('10');
    if (done !== fitted) await fitted(fresh);
    // Work that follows a fit, such as the scores of its map, ends too.
    await fresh.waitForTimeout(3000);
    return longest(await trace(fresh, () => done(fresh)));
  } finally {
    await fresh.context().close();
  }
}

/** Three columns of points along curves. */
function waves(n) {
  const lines = Array.from({ length: n }, (_, i) => [Math.sin(i / 5e3), Math.cos(i / 7e3), (i % 997) / 997].join());
  return ['a,b,c', ...lines].join('\n');
}

async function fitted(page) {
  await page.getByRole('button', { name: 'Fit', exact: true }).click();
  await page.waitForSelector('[data-status=running], [data-status=failed]').catch(() => undefined);
  await page.waitForSelector('[data-status=done]');
}

async function pointed(page) {
  const { x, y, width, height } = await page.getByRole('application').boundingBox();
  await page.mouse.move(x + 0.3 * width, y + 0.4 * height);
  await page.mouse.move(x + 0.7 * width, y + 0.6 * height, { steps: 40 });
}

/** Milliseconds of the processor that the longest task of a page's main thread took. Other processes of a busy machine do not lengthen it. */
function longest(events) {
  const of = ({ pid, tid }) => `${pid}:${tid}`;
  const pages = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(of);
  const tasks = events.filter((event) => event.name === 'ThreadControllerImpl::RunTask' && pages.includes(of(event)));
  if (tasks.length < 20)
    throw new Error(`The trace has ${tasks.length} tasks of the page, where at least 20 were awaited.`);
  // A task under way at either end of the trace has no complete time.
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000));
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
