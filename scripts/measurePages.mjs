// Measures pages of the site and an embed: kB over the network (gzip) and requests until the page is ready, its largest paint, the sum of its layout shifts, the longest task of
// its thread, and the memory of its process (workers included) before and after five fits, or one of 20 000 rows. The longest task of fits is in milliseconds of
// the processor, which other programs do not lengthen. `npm run measure:pages [-- NAME …]`, after `npm run site`.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { seededRandom } from '../dist/core/random.js';
import { CHROMIUM_ARGUMENTS } from './chromiumArguments.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
const FITS = 5;
/** Milliseconds without a request after which a page is at rest. */
const REST = 500;
const PATIENCE = 300_000;

const EMBED = `<!doctype html><meta charset="utf-8"><title>An embed</title><link rel="icon" href="data:,"><div id="map" style="height: 480px"></div><script type="module">
import { map } from './embed/map.js';
const parsed = (await (await fetch('./playground/tables/wine.csv')).text()).trim().split('\\n').map((line) => line.split(','));
const columns = parsed[0].map((_, j) => j).filter((j) => parsed.slice(1).every((row) => row[j] !== '' && Number.isFinite(Number(row[j]))));
const rows = parsed.slice(1).map((row) => columns.map((j) => Number(row[j])));
let made;
globalThis.fitAgain = async (seed) => { made?.release(); made = await map(document.getElementById('map'), rows, { model: 'gplvm', seed, maxIterations: 50 }); };
await globalThis.fitAgain(1);
globalThis.isReady = true;
</script>`;

const PAGES = {
  landing: { path: 'index.html', ready: (page) => mapOf(page.frameLocator('iframe')) },
  explorer: {
    path: 'playground/index.html',
    ready: mapOf,
    async fit(page, seed) {
      await page.locator('[name=seed]').evaluate((input, value) => {
        input.value = String(value);
        input.dispatchEvent(new Event('input', { bubbles: true }));
      }, seed);
      await page.locator('#settings').evaluate((form) => form.requestSubmit());
      await page.waitForSelector('[data-status=running]');
      await page.waitForSelector('[data-status=done]');
    },
  },
  '20 000 rows': {
    path: 'playground/index.html#new',
    fits: 1,
    ready: (page) => page.getByRole('heading', { name: 'Drop a table here' }).waitFor(),
    async fit(page) {
      // As a file: the driver would decode bytes on the thread that is measured.
      const folder = mkdtempSync(join(tmpdir(), 'latentfield-pages-'));
      writeFileSync(join(folder, 'many.csv'), manyRows());
      await page.locator('[name=any]').setInputFiles(join(folder, 'many.csv'));
      await page.locator('.welcome').getByRole('button', { name: 'Data and model' }).click();
      await page.getByLabel('Maximum iterations').fill(String(ITERATIONS_OF_MANY));
      await page.locator('#drawer').getByRole('button', { name: 'Fit', exact: true }).click();
      await page.waitForSelector('[data-status=done]');
      await page
        .locator('.read')
        .getByText(/Trustworthiness/)
        .first()
        .waitFor();
      rmSync(folder, { recursive: true });
    },
  },
  document: { path: 'first-model.html', ready: (page) => page.getByRole('heading', { level: 1 }).waitFor() },
  embed: {
    path: 'embed.html',
    ready: (page) => page.waitForFunction('globalThis.isReady', null, { timeout: PATIENCE }),
    fit: (page, seed) => page.evaluate(`globalThis.fitAgain(${seed})`),
  },
};

const ITERATIONS_OF_MANY = 100;

/** Table of 20 000 rows in four groups, ten columns that depend on two numbers, with noise. */
function manyRows() {
  const random = seededRandom(1);
  const lines = Array.from({ length: 20_000 }, (_, i) => {
    const [a, b] = [random.normal(), random.normal()];
    const value = (j) => Math.sin(a * (1 + j / 5) + (i % 4)) + Math.cos((b * (j + 1)) / 4) + 0.1 * random.normal();
    return [
      ['north', 'south', 'east', 'west'][i % 4],
      ...Array.from({ length: 10 }, (_, j) => value(j).toFixed(4)),
    ].join();
  });
  return [`site,${Array.from({ length: 10 }, (_, j) => `m${j}`)}`, ...lines].join('\n');
}

function mapOf(page) {
  return page.getByRole('application').first().waitFor({ timeout: PATIENCE });
}

/** Serves the site, and the files of an embed below embed/, compressed. */
async function served() {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname)).slice(1);
    const folder = path.startsWith('embed/') ? join(root, 'dist/browser') : join(root, 'web/dist');
    const file = join(folder, path.replace(/^embed\//, ''));
    const content = path === 'embed.html' ? EMBED : await readFile(file).catch(() => undefined);
    response.writeHead(content === undefined ? 404 : 200, {
      'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream',
      'Content-Encoding': 'gzip',
    });
    response.end(gzipSync(content ?? ''));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** MB of the processes of pages. */
async function memoryOf(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo
    .filter(({ type }) => type === 'renderer')
    .reduce((sum, { id }) => {
      const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, 'utf8'));
      return sum + Number(kilobytes) / 1000;
    }, 0);
}

/** Records of the page's thread, from its first script on. */
function record() {
  globalThis.records = { longest: 0, shift: 0, largest: 0 };
  const observe = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  observe('longtask', ({ duration }) => {
    globalThis.records.longest = Math.max(globalThis.records.longest, duration);
  });
  observe('layout-shift', ({ value, hadRecentInput }) => {
    if (!hadRecentInput) globalThis.records.shift += value;
  });
  observe('largest-contentful-paint', ({ startTime }) => {
    globalThis.records.largest = startTime;
  });
}

/** Milliseconds of the processor that the longest task of a page's own thread took. */
function longestOf(events) {
  const of = ({ pid, tid }) => `${pid}:${tid}`;
  const pages = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(of);
  const tasks = events.filter((event) => event.name === 'ThreadControllerImpl::RunTask' && pages.includes(of(event)));
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000));
}

async function measured(name, url) {
  const { path, ready, fit, fits = FITS } = PAGES[name];
  const browser = await chromium.launch({
    executablePath: process.env.LATENTFIELD_CHROMIUM ?? '/usr/bin/chromium',
    args: [...CHROMIUM_ARGUMENTS, '--js-flags=--expose-gc'],
  });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(PATIENCE);
  await page.addInitScript(record);
  let [bytes, requests, last] = [0, 0, performance.now()];
  page.on('requestfinished', async (request) => {
    requests++;
    last = performance.now();
    // A request that ends with the browser has no sizes.
    const sizes = await request.sizes().catch(() => undefined);
    if (sizes !== undefined) bytes += sizes.responseBodySize + sizes.responseHeadersSize;
  });
  await page.goto(url + path);
  await ready(page);
  while (performance.now() - last < REST) await page.waitForTimeout(100);
  await page.waitForTimeout(REST);
  const first = await page.evaluate('globalThis.records');
  const size = bytes;
  const count = requests;
  const before = await memoryOf(browser);
  let [after, longest] = [undefined, undefined];
  if (fit !== undefined) {
    await browser.startTracing(page, { categories: ['toplevel'] });
    for (let seed = 1; seed <= fits; seed++) await fit(page, seed);
    longest = longestOf(JSON.parse((await browser.stopTracing()).toString()).traceEvents);
    await page.evaluate('globalThis.gc()');
    await page.waitForTimeout(1000);
    after = await memoryOf(browser);
  }
  await browser.close();
  return [
    name,
    (size / 1000).toFixed(0),
    String(count),
    first.largest.toFixed(0),
    first.shift.toFixed(3),
    first.longest.toFixed(0),
    longest?.toFixed(0) ?? '–',
    before.toFixed(0),
    after?.toFixed(0) ?? '–',
  ];
}

const head = ['page', 'kB', 'requests', 'largest paint, ms', 'layout shift', 'longest task, ms'];
const lines = [[...head, 'of fits, ms of the processor', 'MB', 'after fits, MB']];
const server = await served();
const wanted = process.argv.slice(2);
for (const name of Object.keys(PAGES).filter((each) => wanted.length === 0 || wanted.includes(each)))
  lines.push(await measured(name, server.url));
server.close();
const widths = lines[0].map((_, j) => Math.max(...lines.map((line) => line[j].length)));
for (const line of lines) process.stdout.write(`${line.map((cell, j) => cell.padEnd(widths[j])).join('  ')}\n`);
