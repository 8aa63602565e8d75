import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { fit, nearestNeighbourError, pca, trustworthiness } from '../../src/index.ts';
import { NEEDS_CHROMIUM, startChromium } from '../app/plot/chromium.ts';
import { servedFolder } from './servedFolder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const built = join(root, 'web/dist/playground');
const why = NEEDS_CHROMIUM || (existsSync(built) ? '' : ' (the playground is not built: npm run site)');
const STRICT =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'";

const rows = (count: number, change = 0) =>
  Array.from({ length: count }, (_, i) => {
    const t = (i + change) / 7;
    return `${Math.sin(t)},${Math.cos(t)},${Math.sin(2 * t) / 2},${i % 3 === 0 ? 'a' : 'b'}`;
  });
const CSV = ['first,second,third,kind', ...rows(40)].join('\n');
const file = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

describe.skipIf(why !== '')(`the playground${why}`, () => {
  let browser: Browser;
  let served: Awaited<ReturnType<typeof servedFolder>>;
  let page: Page;
  let problems: string[];

  beforeAll(async () => {
    // From a folder of a server, and with a policy for its workers too.
    served = await servedFolder(built, { below: '/some/where/', policy: STRICT });
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });
  beforeEach(() => {
    problems = [];
  });
  afterEach(async () => {
    await page.context().close();
    expect(problems).toEqual([]);
    expect(served.missing).toEqual([]);
  });

  /** Opens the page, and waits for the example that it fits by itself unless the address says otherwise. */
  async function open(options: BrowserContextOptions = {}, link = '', isFitted = true) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    page = await context.newPage();
    page.setDefaultTimeout(60_000);
    // Violations of the policy are told on the console too.
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(served.url)) problems.push(request.url());
    });
    await page.goto(served.url + link);
    if (isFitted) await page.waitForSelector('[data-status=done]');
  }
  const link = (settings: object) => `#${encodeURIComponent(JSON.stringify(settings))}`;
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const status = () => page.locator('[data-status]');
  const map = () => page.getByRole('application');
  const panel = () => page.locator('.read');
  async function drawer() {
    const button = page.getByRole('button', { name: 'Data and model', exact: true });
    if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
  }
  const iterations = async (count: number) => {
    await drawer();
    await page.getByLabel('Iterations at most').fill(String(count));
  };
  /** Fits, and waits for the end of it. */
  async function fitted() {
    await drawer();
    await press('Fit');
    await page.waitForSelector('[data-status=running], [data-status=failed]').catch(() => undefined);
    await page.waitForSelector('[data-status=done], [data-status=failed]');
    expect(await status().getAttribute('data-status')).toBe('done');
  }
  async function menu(title: string, item: string) {
    await press(title);
    await press(item);
  }
  async function downloaded(act: () => Promise<void>): Promise<Buffer> {
    const [download] = await Promise.all([page.waitForEvent('download'), act()]);
    return readFileSync(await download.path());
  }
  const savedBytes = async (name: string) => {
    const bytes = await downloaded(() => menu('Export', name));
    await page.keyboard.press('Escape');
    return bytes;
  };
  const saved = async (name: string) => (await savedBytes(name)).toString('utf8');
  /** What the program that the page gives prints, run beside the files that it gives. */
  async function printedByProgram(...files: string[]): Promise<number> {
    const folder = join(root, 'web/dist/program-test');
    mkdirSync(folder, { recursive: true });
    try {
      for (const file of files) writeFileSync(join(folder, file), await saved(file));
      writeFileSync(join(folder, 'program.mjs'), await saved('program.ts'));
      return Number(execFileSync(process.execPath, ['program.mjs'], { cwd: folder, encoding: 'utf8' }));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  async function choose(name: string, given: ReturnType<typeof file>) {
    if (name !== 'any') await drawer();
    await page.locator(`[name=${name}]`).setInputFiles(given);
  }
  async function ownTable(text = CSV, said = '40 rows, 3 columns.') {
    await choose('table', file('own.csv', text));
    await page.getByText(said).waitFor();
  }
  async function openFit(json: string) {
    await choose('fit', { ...file('again.json', json), mimeType: 'application/json' });
    await page.locator('.subject').getByText('again.json').waitFor();
  }
  /** A digest of what the map shows. */
  const canvas = async () => {
    const url = await page.evaluate(() => document.querySelector<HTMLCanvasElement>('.map canvas')!.toDataURL());
    return createHash('sha256').update(url).digest('hex');
  };
  /** Waits until the map no longer changes. */
  async function settled(): Promise<string> {
    let before = '';
    for (let k = 0; k < 100; k++) {
      const now = await canvas();
      if (now === before) return now;
      before = now;
      await page.waitForTimeout(250);
    }
    return before;
  }
  async function drag(from: readonly [number, number], to: readonly [number, number], onTheWay = async () => {}) {
    const { x, y, width, height } = (await map().boundingBox())!;
    await page.mouse.move(x + from[0] * width, y + from[1] * height);
    await page.mouse.down();
    await page.mouse.move(x + to[0] * width, y + to[1] * height, { steps: 6 });
    await onTheWay();
    await page.mouse.up();
  }

  it('opens with an example that was fitted as Node fits it, fits it to the same, and answers from the keyboard', async () => {
    await open();
    const asBuilt = JSON.parse(await saved('fit.json'));
    expect(asBuilt.status).toBe('converged');
    expect(Math.abs((await printedByProgram('data.csv')) / asBuilt.objective - 1)).toBeLessThan(1e-9);
    await fitted();
    const here = JSON.parse(await saved('fit.json'));
    // Logarithms and exponentials of hosts differ in their last bits.
    expect(Math.abs(here.objective / asBuilt.objective - 1)).toBeLessThan(1e-9);
    expect(here.table).toEqual(asBuilt.table);
    const means = panel().getByRole('region', { name: 'Means' });
    expect(await means.getByRole('columnheader').allInnerTexts()).toEqual([
      'column',
      ...['annular', 'homogeneous', 'stratified'],
    ]);
    expect(await means.locator('tbody tr').first().innerText()).toMatch(/^vertical1_30keV\s+1\.51\s+1\.86\s+2\.01$/);
    await map().focus();
    await page.keyboard.press('n');
    await panel().getByRole('heading', { name: 'row 1, ' }).waitFor();
    expect(await panel().locator('tbody tr').count()).toBe(12);
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowRight');
    await panel().getByRole('heading', { name: 'Expected here' }).waitFor();
    const before = await panel().locator('table').innerText();
    for (let k = 0; k < 8; k++) await page.keyboard.press('ArrowRight');
    await expect.poll(() => panel().locator('table').innerText(), { timeout: 20_000 }).not.toBe(before);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  });

  it('shows a finished example before its worker has started, from at most 300 kB compressed', async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    page = await context.newPage();
    // The worker, which loads the library, never comes.
    await page.route(/page\.worker/, () => {});
    const loaded: Promise<number>[] = [];
    page.on('requestfinished', async (request) => {
      loaded.push(request.response().then(async (found) => gzipSync(await found!.body()).length));
    });
    await page.goto(served.url);
    await page.getByRole('application', { name: 'Map of 150 rows, gplvm' }).waitFor();
    await page.waitForFunction(() => document.querySelector<HTMLCanvasElement>('.map canvas')!.width > 300);
    const kilobytes = (await Promise.all(loaded)).reduce((sum, bytes) => sum + bytes, 0) / 1000;
    expect(kilobytes).toBeGreaterThan(50);
    expect(kilobytes).toBeLessThan(300);
  });

  it('reads a table, tells its labels, and gives a program that fits it again', async () => {
    await open();
    await ownTable();
    expect(await page.locator('[name=labels]').inputValue()).toBe('kind');
    await page.locator('[name=kernel]').fill('matern32 + white(0.01)');
    await iterations(20);
    await fitted();
    const { objective } = JSON.parse(await saved('fit.json'));
    expect(Math.abs((await printedByProgram('data.csv')) / objective - 1)).toBeLessThan(1e-9);
    expect((await saved('latents.csv')).split('\n')[0]).toBe('x1,x2,kind');
  });

  const NAMED = ['sample,temp,flow,load,kind', ...rows(40).map((row, i) => `s${i},${row}`)].join('\n');
  it('opens a saved fit with its columns, ids and labels, places rows of the same names, and gives a program', async () => {
    await open();
    await ownTable(NAMED);
    await page.getByLabel('Columns to mean 0').check();
    await iterations(15);
    await fitted();
    const json = await saved('fit.json');
    expect((await saved('latents.csv')).split('\n').slice(0, 2).join()).toMatch(/^sample,x1,x2,kind,s0,/);
    await page.reload();
    await page.waitForSelector('[data-status=done]');
    await openFit(json);
    expect(await page.locator('.chip').allTextContents()).toEqual(['a 14', 'b 26']);
    await map().focus();
    await page.keyboard.press('n');
    await panel().getByRole('heading', { name: 'row 1 (s0), a' }).waitFor();
    // Standardised rows come back in their own units: the first temperature is sin 0.
    await panel().locator('tbody tr').first().filter({ hasText: 'exp.' }).waitFor();
    expect(await panel().locator('tbody tr').first().innerText()).toMatch(/^temp\s+0 exp\. −?0\.\d+/);
    await choose(
      'rows',
      file(
        'more.csv',
        [
          'flow,load,temp',
          ...rows(3, 0.5).map((row) => {
            const [temp, flow, load] = row.split(',');
            return [flow, load, temp].join();
          }),
        ].join('\n'),
      ),
    );
    await page.getByText('3 new rows are placed').waitFor();
    const { checksums: _, ...again } = JSON.parse(await saved('fit.json'));
    expect(JSON.parse(json)).toMatchObject(again);
    const printed = await printedByProgram('fit.json');
    expect(Math.abs(printed / JSON.parse(json).objective - 1)).toBeLessThan(1e-9);
    // Of latents that are distributions the variances are saved too.
    await page.context().close();
    await open(
      {},
      link({ set: 'twoMoons', model: 'bayesianGplvm', maxIterations: 5, options: { latentDim: 2, inducing: 10 } }),
    );
    expect((await saved('latents.csv')).split('\n')[0]).toBe('x1,x2,variance1,variance2,moon');
  });

  it('saves a picture as it is seen, with its background, and a drawing that calls the colours by their column', async () => {
    await open();
    await ownTable(NAMED);
    await iterations(15);
    await fitted();
    await page.selectOption('[name=color]', 'temp');
    await settled();
    const png = await savedBytes('plot.png');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    const tones = await page.evaluate(async (data) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const drawn = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
      const context = drawn.getContext('2d')!;
      context.drawImage(image, 0, 0);
      const { data: pixels } = context.getImageData(0, 0, image.width, image.height);
      const found = new Set<string>();
      for (let p = 0; p < pixels.length; p += 40) {
        const [red, green, blue] = pixels.slice(p, p + 3) as unknown as [number, number, number];
        if (Math.max(red, green, blue) - Math.min(red, green, blue) < 20) found.add([red, green, blue].join());
      }
      return found.size;
    }, png.toString('base64'));
    expect(tones).toBeGreaterThan(60);
    const svg = await saved('plot.svg');
    expect(svg).toMatch(/>temp</);
    expect(svg).not.toMatch(/>value</);
    expect(svg).toContain('role-mark bands');
  });

  const wide = (names: readonly string[]) =>
    [
      names.join(),
      ...Array.from({ length: 30 }, (_, i) => names.map((_, j) => Math.sin(i / 5 + j) * (j + 1)).join()),
    ].join('\n');
  it('shows 64 columns by their names, with values and intervals for eyes, keys and screen readers', async () => {
    await open();
    const genes = Array.from({ length: 64 }, (_, j) => `gene${j}`);
    await ownTable(wide(genes), '30 rows, 64 columns.');
    await iterations(5);
    await fitted();
    await map().focus();
    await page.keyboard.press('ArrowRight');
    const table = page.getByRole('table', { name: 'Values, Expected here' });
    await table.waitFor();
    expect(await table.getByRole('rowheader').first().innerText()).toBe('gene0');
    expect(await table.getByRole('row').nth(1).innerText()).toMatch(/gene0\s+−?[\d.e−]+ ± [\d.]+/);
    expect(await panel().locator('.pixels, .drawing').count()).toBe(0);
    await press('All 64 columns');
    expect(await table.getByRole('rowheader').count()).toBe(64);
    // Images where they are asked for.
    await drawer();
    await page.selectOption('[name=view]', 'image 8');
    await fitted();
    await map().focus();
    await page.keyboard.press('n');
    await page.getByRole('img', { name: 'row 1, expected' }).waitFor();
    expect(await page.getByLabel('Order of the values').inputValue()).toBe('difference');
    await page.getByLabel('Order of the values').selectOption('order');
    expect(await panel().getByRole('rowheader').first().innerText()).toBe('gene0');
  });

  it('shows a row against what is expected where it lies, never where the row before lies', async () => {
    await open();
    await map().focus();
    await page.evaluate(() => {
      const seen: [string, string][] = [];
      Object.assign(globalThis, { seen });
      const read = document.querySelector('.read')!;
      const note = () => {
        const title = read.querySelector('h2')?.textContent ?? '';
        const expected = /exp\. [^ ]+/.exec(read.textContent ?? '')?.[0];
        if (title.startsWith('Row ') && expected !== undefined) seen.push([title, expected]);
      };
      new MutationObserver(note).observe(read, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
    });
    for (let k = 0; k < 12; k++) {
      await page.keyboard.press('n');
      if (k % 3 === 2)
        await panel()
          .getByText(/exp\. /)
          .first()
          .waitFor();
    }
    await page.waitForTimeout(500);
    const seen = (await page.evaluate('globalThis.seen')) as [string, string][];
    const expected = new Map<string, Set<string>>();
    for (const [title, value] of seen) expected.set(title, (expected.get(title) ?? new Set()).add(value));
    expect(expected.size).toBeGreaterThan(2);
    // Whatever is shown of a row is one value: what belongs to it.
    for (const [title, values] of expected) expect([title, [...values]]).toEqual([title, [[...values].at(-1)]]);
  });

  it('shows curves over their wavelengths, with axes and a band', async () => {
    await open({}, link({ set: 'drawnSpectra', maxIterations: 10 }));
    await map().focus();
    await page.keyboard.press('n');
    const curve = panel().getByRole('img', { name: '46 columns as a curve' });
    await curve.waitFor();
    expect(await curve.locator('text').allTextContents()).toEqual(expect.arrayContaining(['400', '500', '600', '700']));
    await curve.locator('polygon.band').waitFor();
    expect(await curve.locator('circle.seen').count()).toBe(46);
  });

  it('warns of new rows that are unlike those of the fit', async () => {
    await open();
    await ownTable();
    await iterations(30);
    await fitted();
    const strange = Array.from({ length: 50 }, (_, i) => [i % 7, 3 - (i % 5), (i % 11) - 4].join());
    await choose('rows', file('strange.csv', ['first,second,third', ...strange].join('\n')));
    const told = page.getByText('50 new rows are placed');
    await told.waitFor();
    expect(await told.innerText()).toMatch(
      /(4\d|50) of them, dashed, are less likely than each of 40 rows of the fit\. The model has not seen rows like most of these/,
    );
    await choose('rows', file('like.csv', ['first,second,third,kind', ...rows(6, 0.02)].join('\n')));
    await page.getByText('6 new rows are placed').waitFor();
    expect(await page.getByText('6 new rows are placed').innerText()).not.toContain('has not seen');
    await choose('rows', file('wrong.csv', 'a,b\n1,2\n3,4'));
    await page.getByText("'wrong.csv' was not placed: ").waitFor();
  });

  it('says how far another map is, and lets it be cancelled', async () => {
    await open();
    const lines = Array.from({ length: 10_000 }, (_, i) => [Math.sin(i / 50), Math.cos(i / 50), i / 9999].join());
    await ownTable(['a,b,c', ...lines].join('\n'), '10000 rows, 3 columns.');
    await page.selectOption('[name=model]', 'pca');
    await fitted();
    await press('Make t-SNE');
    const busy = page.locator('[data-method=tsne]');
    await busy.getByText(/\d+ s/).waitFor({ timeout: 5000 });
    await page.getByRole('progressbar', { name: 'Making t-SNE' }).waitFor();
    await press('Cancel t-SNE');
    await page.getByRole('button', { name: 'Make t-SNE' }).waitFor();
    // What cannot be made says why, and at once.
    await press('Make Isomap');
    await page.getByText('isomap of 10000 rows takes matrices of 10000 × 10000 numbers').waitFor();
  });

  it('shows that a large file is being read, fits nothing else meanwhile, and lets it be cancelled', async () => {
    await open();
    const line = `${'0.123456789,'.repeat(19)}1\n`;
    await choose('table', file('large.csv', line.repeat(80_000)));
    await page.getByText('Reading large.csv').waitFor();
    await page.getByText(/19\.\d MB, about 8\d,\d{3} rows|about 80,000 rows/).waitFor();
    await page
      .getByRole('table', { name: /By its first \d+ rows/ })
      .getByText('20 numbers')
      .waitFor();
    const progress = page.getByRole('progressbar', { name: 'Reading large.csv' });
    await page.getByText(/, [\d,]+ read, \d+ s/).waitFor();
    const parts = [Number(await progress.getAttribute('aria-valuenow'))];
    await page.waitForFunction(
      (before) => Number(document.querySelector('.reading .progress')?.getAttribute('aria-valuenow')) > before,
      parts[0]!,
    );
    expect(parts[0]).toBeGreaterThan(0);
    expect(parts[0]).toBeLessThan(100);
    expect(await page.getByRole('button', { name: 'Fit', exact: true }).isDisabled()).toBe(true);
    await press('Cancel');
    await page.getByText('Reading was cancelled.').waitFor();
    expect(await page.getByText('Reading large.csv').count()).toBe(0);
  });

  it('keeps the map of the last fit, and its name, when another fails', async () => {
    await open();
    await page.locator('.scale').waitFor();
    // The last that a finished example is given.
    await page.getByRole('button', { name: /^PCA trustworthiness/ }).waitFor();
    const before = await settled();
    await ownTable(CSV.replace(/^0,/m, ','));
    await page.selectOption('[name=model]', 'pca');
    await press('Fit');
    await page.waitForSelector('[data-status=failed]');
    await page
      .getByRole('alert')
      .getByText('pca takes no tables with missing cells, and 1 cell is missing. Choose gplvm, ppca, bayesianGplvm')
      .waitFor();
    await page.getByText('The map still shows the fit of pipe flow.').waitFor();
    expect(await page.locator('.subject').innerText()).toContain('pipe flow');
    await press('Dismiss');
    // The pointer, which is over the map now, marks the row below it.
    await page.mouse.move(1, 1);
    await expect.poll(canvas, { timeout: 20_000 }).toBe(before);
    await map().focus();
    await page.keyboard.press('n');
    await panel().getByRole('heading', { name: 'row 1, ' }).waitFor();
  });

  it('pauses, goes on, stops and says so, and searches on after a limit', async () => {
    await open();
    await iterations(100_000);
    await press('Fit');
    const objective = page.getByTestId('objective');
    await page.waitForFunction(() =>
      /^\d+ of at most 100000 iterations/.test(document.querySelector('[data-testid=objective]')?.textContent ?? ''),
    );
    await objective.getByText(/^at most \d+ (s|min) more$/).waitFor();
    await press('Pause');
    await page.waitForTimeout(600);
    const held = await objective.textContent();
    expect(held).not.toContain('more');
    await page.waitForTimeout(600);
    expect(await objective.textContent()).toBe(held);
    await press('Resume');
    await page.waitForFunction(
      (before) => document.querySelector('[data-testid=objective]')!.textContent !== before,
      held,
    );
    await press('Stop');
    await page.waitForSelector('[data-status=done]');
    expect(await status().textContent()).toMatch(/: Stopped by the visitor/);

    await iterations(10);
    await fitted();
    const first = JSON.parse(await saved('fit.json'));
    expect(first.status).toBe('maxIterations');
    await press('Go on');
    await page.waitForFunction(() => document.querySelector('[data-testid=objective]')!.textContent!.startsWith('20 '));
    await page.waitForSelector('[data-status=done]');
    const second = JSON.parse(await saved('fit.json'));
    expect(second.objective).toBeGreaterThan(first.objective + 1);
    expect(Math.abs((await printedByProgram('data.csv')) / second.objective - 1)).toBeLessThan(1e-9);
  });

  it('offers models to begin with, by mouse and keys, beside all of them', async () => {
    await open();
    await drawer();
    const cards = page.getByRole('radiogroup', { name: 'Models to begin with' });
    await cards.getByRole('radio', { name: /^UMAP/ }).check();
    expect(await page.locator('[name=model]').inputValue()).toBe('umap');
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('[name=model]').inputValue()).toBe('pca');
    await page.selectOption('[name=model]', 'isomap');
    expect(await cards.locator(':checked').count()).toBe(0);
    await page.selectOption('[name=model]', 'tsne');
    expect(await cards.getByRole('radio', { name: /^t-SNE/ }).isChecked()).toBe(true);
  });

  it('gives a likelihood without closed form its inducing inputs', async () => {
    await open();
    const counts = Array.from({ length: 40 }, (_, i) =>
      [0, 1, 2].map((j) => Math.round(4 + 3 * Math.sin(i / 6 + j))).join(),
    );
    await ownTable(['a,b,c', ...counts].join('\n'));
    await page.selectOption('[name=likelihood]', 'poisson');
    expect(await page.locator('[name=inducing]').getAttribute('aria-valuetext')).toBe('30');
    await iterations(5);
    await fitted();
  });

  it('tells 25 classes apart by colours and shapes, hides them, and shows only one', async () => {
    await open();
    const lines = Array.from({ length: 100 }, (_, i) =>
      [Math.sin(i), Math.cos(2 * i), Math.sin(3 * i), `k${i % 25}`].join(),
    );
    await ownTable(['a,b,c,kind', ...lines].join('\n'), '100 rows, 3 columns.');
    await page.selectOption('[name=model]', 'pca');
    await fitted();
    const looks = await page
      .locator('.chip path')
      .evaluateAll((paths) => paths.map((path) => `${path.getAttribute('d')} ${path.getAttribute('fill')}`));
    expect(looks).toHaveLength(25);
    expect(new Set(looks).size).toBe(25);
    const all = await settled();
    await page.locator('.chip', { hasText: 'k3' }).first().click();
    const without = await settled();
    expect(without).not.toBe(all);
    await page
      .locator('.chip', { hasText: 'k7' })
      .first()
      .click({ modifiers: ['Shift'] });
    expect(await page.locator('.chip[aria-pressed=true]').count()).toBe(1);
    expect(await settled()).not.toBe(without);
  });

  it('takes classes that are numbers as labels, and says which column varies far more than the others', async () => {
    await open();
    const lines = (large: number) =>
      Array.from({ length: 60 }, (_, i) => [Math.sin(i), Math.cos(i), large * Math.sin(i / 9), (i * 7) % 3].join());
    await ownTable(['a,b,c,class', ...lines(1)].join('\n'), '60 rows, 3 columns.');
    expect(await page.locator('[name=labels]').inputValue()).toBe('class');
    await ownTable(['a,b,c,stage', ...lines(1)].join('\n'), '60 rows, 4 columns.');
    await page
      .getByText("Column 'stage' holds 3 different whole numbers: choose it as the labels if they are classes.")
      .waitFor();
    await ownTable(['a,b,c,class', ...lines(1e4)].join('\n'), '60 rows, 3 columns.');
    await page.getByText(/Column 'c' varies [\d,]+ times as much as '[ab]': it alone would decide the map\./).waitFor();
    await press('Bring them to one scale');
    await iterations(20);
    await fitted();
    await map().focus();
    await page.keyboard.press('n');
    // In the units of the table.
    await page.keyboard.press('n');
    await panel().getByRole('heading', { name: 'row 2, ' }).waitFor();
    expect(await panel().locator('tbody tr').nth(2).innerText()).toMatch(/^c\s+1108\.8|^c\s+1109/);
  });

  it('chooses rows with a lasso, says how they differ, saves them and fits them alone', async () => {
    await open();
    const { x, y, width, height } = (await map().boundingBox())!;
    await page.keyboard.down('Shift');
    await page.mouse.move(x + 100, y + 0.6 * height);
    await page.mouse.down();
    for (const [a, b] of [
      [0.95, 0.6],
      [0.95, 0.96],
      [0.08, 0.96],
    ] as const)
      await page.mouse.move(x + a * width, y + b * height, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    const heading = panel().getByRole('heading', { name: /\d+ rows chosen/ });
    await heading.waitFor();
    const count = Number(/\d+/.exec(await heading.innerText())![0]);
    expect(count).toBeGreaterThan(10);
    expect(count).toBeLessThan(140);
    const against = panel().getByRole('table', { name: 'Values, against the rest' });
    expect(await against.locator('tbody tr').count()).toBe(12);
    expect(await against.locator('tbody tr').first().innerText()).toMatch(/^\S+\s+[\d.]+ \/ [\d.]+$/);
    await panel()
      .getByText(/nearest rows in the table\.$/)
      .waitFor();
    const table = (await downloaded(() => press('Save these rows'))).toString();
    expect(table.trim().split('\n')).toHaveLength(count + 1);
    await press('Fit these rows');
    await page.locator('.subject').getByText(`pipe flow, ${count} rows`).waitFor();
    await page.waitForSelector('[data-status=done]');
    const { model } = JSON.parse(await saved('fit.json'));
    expect(model.observations).toHaveLength(count);
  });

  it('tells of a row whether its place can be trusted, and leads to its nearest rows', async () => {
    await open();
    await page.getByRole('button', { name: /^PCA trustworthiness/ }).waitFor();
    const { observations } = pipeFlow({ points: 150, seed: 1 });
    const distance = (i: number, j: number) =>
      observations.row(i).reduce((sum, value, d) => sum + (value - observations.at(j, d)) ** 2, 0);
    const nearest = Array.from({ length: 150 }, (_, j) => j)
      .filter((j) => j !== 40)
      .sort((a, b) => distance(40, a) - distance(40, b))
      .slice(0, 8);
    await map().focus();
    await page.keyboard.press('/');
    await page.keyboard.type('41');
    await panel().getByRole('heading', { name: 'row 41, ' }).waitFor();
    const trusted = panel().getByRole('region', { name: 'Can its place be trusted?' });
    expect(await trusted.innerText()).toMatch(
      /\d+ of its 10 nearest rows in the table are among its 10 nearest here\./,
    );
    await trusted.getByText(/Its values lie [\d.]+ standard deviations|its values miss what is expected by/).waitFor();
    const near = panel().getByRole('region', { name: 'Nearest rows in the table' }).getByRole('button');
    expect(await near.allInnerTexts()).toEqual(nearest.map((j) => expect.stringMatching(`^row ${j + 1}, `)));
    await near.first().click();
    await panel()
      .getByRole('heading', { name: `row ${nearest[0]! + 1}, ` })
      .waitFor();
    await press('Next row (N)');
    await press('Close');
    await panel().getByRole('heading', { name: 'gplvm' }).waitFor();
  });

  it('shows which rows not to trust, from the number of neighbours that one chooses', async () => {
    await open();
    await page.getByRole('button', { name: /^PCA trustworthiness/ }).waitFor();
    await page.keyboard.press('Escape');
    await map().focus();
    await page.keyboard.press('t');
    const box = page.getByRole('region', { name: 'Rows not to trust here' });
    const counts = (await box.getByRole('img').getAttribute('aria-label'))!.match(/\d+/g)!.map(Number);
    expect(counts.reduce((a, b) => a + b)).toBe(150);
    const slider = box.getByRole('slider');
    for (const few of [3, 7]) {
      await slider.fill(String(few));
      const expected = counts.slice(0, few).reduce((a, b) => a + b);
      await box.getByText(`${expected} row`).waitFor();
      expect(await panel().innerText()).toMatch(new RegExp(`${expected} rows? keeps? fewer than ${few} of the 10`));
    }
    await box.getByRole('button', { name: 'Close' }).click();
    expect(await box.count()).toBe(0);
  });

  it('begins with a table where there is no map: what is done with its columns, then the fit', async () => {
    await open({}, '#new', false);
    await page.getByRole('heading', { name: 'Drop a table here' }).waitFor();
    await choose('any', file('ragged.csv', 'a,b\n1,2\n3,4,5\n'));
    await page.getByRole('heading', { name: 'The table could not be used' }).waitFor();
    await page.getByRole('alert').getByText("'ragged.csv' is ragged").waitFor();
    expect(await page.getByRole('alert').innerText()).not.toContain('--');
    const lines = rows(40).map((row, i) => `s${i},${row},7`);
    await choose('any', file('own.csv', ['sample,temp,flow,load,kind,run', ...lines].join('\n')));
    await page.getByRole('heading', { name: 'own.csv', exact: true }).waitFor();
    const uses = page
      .locator('.welcome')
      .getByRole('table', { name: 'What is done with each column' })
      .locator('tbody tr');
    expect(await uses.allInnerTexts()).toEqual([
      expect.stringMatching(/^temp … load\s+3 numbers\s+−1\s+1\s+fit$/),
      expect.stringMatching(/^kind\s+2 labels\s+colour$/),
      expect.stringMatching(/^sample\s+names\s+names of rows$/),
      expect.stringMatching(/^run\s+constant\s+left out$/),
    ]);
    await press('Fit now');
    await page.waitForSelector('[data-status=done]');
    await page.locator('.subject').getByText('own.csv').waitFor();
    await drawer();
    await press('Begin with another table');
    await page.getByRole('heading', { name: 'own.csv' }).waitFor();
    await press('Back to the map');
    await map().waitFor();
  });

  it('looks at a table that was opened beside a map: its classes, its scales and its model, under its own name', async () => {
    await open();
    await page.goto(`${page.url().split('#')[0]}#new`);
    const lines = rows(60).map((row, i) => {
      const [first, second, third] = row.split(',');
      return `"Site, ${i % 3}",${first},${1e7 * Number(second)},${i % 9 === 0 ? '' : third},ok`;
    });
    await choose('any', file('measured.csv', ['site,first,pressure,third,note', ...lines].join('\n')));
    const card = page.locator('.welcome');
    await card.getByText('60 rows × 3 columns').waitFor();
    expect(await card.getByRole('row', { name: /^site 3 labels/ }).count()).toBe(1);
    expect(await card.getByRole('row', { name: /^note text left out/ }).count()).toBe(1);
    expect(await page.locator('.subject').innerText()).toBe('');
    await page.getByRole('heading', { name: 'Not fitted yet' }).waitFor();
    await card.getByText('Model: gplvm, a smooth mapping with error bars.').waitFor();
    await card.getByText("Column 'pressure' varies").waitFor();
    await press('Bring them to one scale');
    await card.getByText('Columns are brought to mean 0 and deviation 1.').waitFor();
    await card.getByRole('button', { name: 'Data and model' }).click();
    const [opened, beside] = [await page.locator('#drawer').boundingBox(), await card.boundingBox()];
    expect(beside!.x).toBeGreaterThanOrEqual(opened!.x + opened!.width);
    await page.getByLabel('Iterations at most').fill('20');
    await press('Fit');
    await panel().getByText('Rows with missing cells have no nearest rows').waitFor();
  });

  it('shows neither a card nor a trail where one drags to expected values', async () => {
    await open();
    await ownTable();
    await iterations(30);
    await fitted();
    await settled();
    const { x, y, width, height } = (await map().boundingBox())!;
    const end = [x + 0.55 * width, y + 0.45 * height] as const;
    await page.mouse.move(...end);
    await page.mouse.down();
    await page.mouse.up();
    await panel().getByText('Expected here').waitFor();
    await page.mouse.move(x + 5, y + height - 5);
    const placed = await settled();
    await page.mouse.move(x + 0.4 * width, y + 0.6 * height);
    await page.mouse.down();
    await page.mouse.move(...end, { steps: 8 });
    expect(await page.locator('.tip').count()).toBe(0);
    await page.mouse.up();
    await page.mouse.move(x + 5, y + height - 5);
    expect(await settled()).toBe(placed);
  });

  it('names the fit of which it shows the map, while another takes its place', async () => {
    await open();
    await ownTable();
    await iterations(40);
    await page.evaluate(() => {
      const seen = new Set<string>();
      Object.assign(globalThis, { seen });
      const note = () => {
        const subject = document.querySelector('.subject')!.textContent!;
        const label = document.querySelector('[role=application]')?.getAttribute('aria-label');
        seen.add(`${subject.trim()}: ${label}`);
      };
      note();
      new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true });
    });
    await fitted();
    expect(await page.evaluate('[...globalThis.seen]')).toEqual([
      'pipe flow 150 rows × 12 columns: Map of 150 rows, gplvm',
      'own.csv 40 rows × 3 columns: Map of 40 rows, being fitted by gplvm',
      'own.csv 40 rows × 3 columns: Map of 40 rows, gplvm',
    ]);
  });

  /** Goes on with Tab until something has the focus. */
  async function tabTo(target: Locator): Promise<void> {
    for (let k = 0; k < 150; k++) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab never leads to ${target}.`);
  }
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  async function enter(target: Locator): Promise<void> {
    await tabTo(target);
    await page.keyboard.press('Enter');
  }
  async function chooseByKeys(given: ReturnType<typeof file>): Promise<void> {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), enter(button('Choose a file'))]);
    await chooser.setFiles(given);
  }

  it('is used by keys alone, from a table to a part of it that is fitted, saved and opened again as the same map', async () => {
    await open({}, '#new', false);
    await chooseByKeys(file('own.csv', NAMED));
    await enter(button('Fit now'));
    await page.waitForSelector('[data-status=done]');
    await tabTo(map());
    await page.keyboard.press('n');
    await panel().getByRole('heading', { name: 'row 1 (s0), a' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowRight');
    await panel().getByRole('heading', { name: 'Expected here' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('temp > 0.2');
    await page.keyboard.press('Enter');
    const count = rows(40).filter((row) => Number(row.split(',')[0]) > 0.2).length;
    await panel()
      .getByRole('heading', { name: `${count} rows chosen` })
      .waitFor();
    await enter(button('Fit these rows'));
    await page.locator('.subject').getByText(`own.csv, ${count} rows`).waitFor();
    await page.waitForSelector('[data-status=done]');
    await tabTo(page.getByRole('searchbox'));
    await page.keyboard.press('Escape');
    await page.locator('.scale').waitFor();
    const before = await settled();
    await enter(button('Export'));
    const json = (await downloaded(() => enter(button('fit.json')))).toString();
    await page.reload();
    await chooseByKeys({ ...file('again.json', json), mimeType: 'application/json' });
    await page.locator('.subject').getByText(`${count} rows × 3 columns`).waitFor();
    await page.locator('.scale').waitFor();
    expect(await settled()).toBe(before);
  });

  it('reads cells that are pasted, from a spreadsheet too', async () => {
    await open({ permissions: ['clipboard-read', 'clipboard-write'] }, '#new', false);
    await page.evaluate((text) => navigator.clipboard.writeText(text), NAMED.replaceAll(',', '\t'));
    await page.keyboard.press('Control+v');
    await page.getByRole('heading', { name: 'pasted.csv' }).waitFor();
    await page.getByText('40 rows × 3 columns').waitFor();
  });

  it.each([
    ['on a desktop', {}],
    ['on a phone', { viewport: { width: 360, height: 740 }, hasTouch: true }],
  ] as const)('has units as long across as up, %s', async (_, options) => {
    await open(options);
    await map().focus();
    for (const key of '----') await page.keyboard.press(key);
    const { x, y, width, height } = (await map().boundingBox())!;
    const [left, top, side] = [x + 0.2 * width, y + 0.2 * height, 0.6 * Math.min(width, height)];
    let note = '';
    const placeAt = async (px: number, py: number) => {
      await page.mouse.click(px, py);
      const told = panel().getByText(/^At latent 1 /);
      await expect.poll(() => told.innerText(), { timeout: 20_000 }).not.toBe(note);
      note = await told.innerText();
      const [, ...at] = /latent 1 (\S+), latent 2 (\S+)\.$/.exec(note.replaceAll('−', '-'))!;
      return at.map(Number) as [number, number];
    };
    const corner = await placeAt(left, top);
    const across = (await placeAt(left + side, top))[0] - corner[0];
    const down = corner[1] - (await placeAt(left, top + side))[1];
    expect(across).toBeGreaterThan(0);
    expect(down / across).toBeCloseTo(1, 1);
    expect(Math.abs(down / across - 1)).toBeLessThan(0.01);
  });

  it('tells where a table is wrong, and reads it in one of the ways that it offers', async () => {
    await open({}, '#new', false);
    const lines = CSV.split('\n');
    const wrong = [...lines.slice(0, 5), '0.1,see note,0.3,b', '0.1,??,0.3,b', ...lines.slice(5)].join('\n');
    await choose('any', file('wrong.csv', wrong));
    await page
      .getByRole('alert')
      .getByText("'wrong.csv', line 6, column 'second' holds 'see note', which is not a finite number.")
      .waitFor();
    await button('Take 2 cells as missing').waitFor();
    await button("Leave out column 'second'").waitFor();
    await press('Leave out 2 rows');
    await page.getByRole('heading', { name: 'wrong (repaired).csv' }).waitFor();
    await page.getByText('40 rows × 3 columns').waitFor();
    // Of lines with too few cells too, and where there is a map.
    await press('Fit now');
    await page.waitForSelector('[data-status=done]');
    await choose('table', file('ragged.csv', [...lines, '0.1,0.2'].join('\n')));
    await page.getByRole('alert').getByText("'ragged.csv' is ragged: line 1 has 4 cells, but line 42 has 2.").waitFor();
    await press('Take 2 absent cells as missing');
    await page.getByText('41 rows, 3 columns.').waitFor();
  });

  it('goes on from missing cells that a model does not take', async () => {
    await open();
    await ownTable(CSV.replace(/^0,/m, ','));
    await page.selectOption('[name=model]', 'pca');
    await press('Fit');
    await page.waitForSelector('[data-status=failed]');
    await press('Leave out 1 row');
    await page.locator('.subject').getByText('own.csv, 39 whole rows').waitFor();
    await page.waitForSelector('[data-status=done]');
    expect(JSON.parse(await saved('fit.json')).model.observations).toHaveLength(39);
  });

  it('shows a column of pictures along the path that one drags', async () => {
    await open({}, link({ set: 'turningBar', maxIterations: 10 }));
    await drag([0.35, 0.4], [0.6, 0.62]);
    const film = panel().getByRole('region', { name: 'Along the path' });
    await film.waitFor();
    expect(await film.getByRole('img').count()).toBe(9);
    const pictures = await film
      .locator('canvas')
      .evaluateAll((canvases) => canvases.map((canvas) => (canvas as HTMLCanvasElement).toDataURL()));
    expect(new Set(pictures).size).toBe(9);
  });

  it('draws the shortest path between two places, from what is expected at one to what is at the other', async () => {
    await open();
    /** Takes the row that a key leads to as an end, and tells what is expected there of the first column. */
    const takeRow = async (key: string, name: RegExp) => {
      await map().focus();
      await page.keyboard.press(key);
      await panel().getByRole('heading', { name }).waitFor();
      const first = panel().locator('tbody tr', { hasText: 'exp.' }).first();
      await first.waitFor();
      const [, expected] = /exp\. (\S+)/.exec(await first.innerText())!;
      await page.keyboard.press('Enter');
      return expected!;
    };
    await map().focus();
    await page.keyboard.press('g');
    const start = await takeRow('n', /^row 1, /i);
    await panel().getByRole('heading', { name: 'Expected here' }).waitFor();
    const end = await takeRow('p', /^row 150, /i);
    await panel().getByRole('heading', { name: 'Shortest path' }).waitFor();
    const told = panel().getByText(/^Length [\d.]+, in the units of the columns\.$/);
    await told.waitFor();
    const values = panel().getByRole('table', { name: 'Values, from start to end' });
    await values.waitFor();
    await page.getByLabel('Order of the values').selectOption('order');
    expect(await values.locator('tbody tr').first().locator('.number').innerText()).toBe(`${end} / ${start}`);
    await press('Close');
    await panel().getByRole('heading', { name: 'gplvm' }).waitFor();
  });

  it('searches rows by number, label and condition', async () => {
    await open();
    const all = await settled();
    const search = page.getByRole('searchbox');
    await map().focus();
    await page.keyboard.press('/');
    await page.keyboard.type('17');
    await panel().getByRole('heading', { name: 'row 17, ' }).waitFor();
    await search.fill('annular');
    await page.keyboard.press('Tab');
    await map().focus();
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await panel()
      .getByRole('heading', { name: /, annular$/ })
      .waitFor();
    expect(await settled()).not.toBe(all);
  });

  it.each([
    ['values', 'twoMoons', /x\s+−?[\d.e−]+ ± [\d.e−]+/],
    ['images', 'turningBar', /row0col0\s+−?[\d.e−]+ ± [\d.e−]+/],
    ['a skeleton', 'walkingFigure', /headX\s+−?[\d.e−]+ ± [\d.e−]+/],
  ])('shows what the model expects where one drags, with its uncertainty: %s', async (_, set, shown) => {
    await open({}, link({ set, maxIterations: 10 }));
    let before = '';
    await drag([0.35, 0.4], [0.6, 0.62], async () => {
      await panel().getByRole('heading', { name: 'Expected here' }).waitFor();
    });
    await expect.poll(() => panel().locator('table').innerText(), { timeout: 20_000 }).toMatch(shown);
    before = await panel().locator('table').innerText();
    await drag([0.6, 0.62], [0.3, 0.55]);
    await expect.poll(() => panel().locator('table').innerText(), { timeout: 20_000 }).not.toBe(before);
  });

  it('shows the row under the pointer in a card, colours by a column, and what stands behind the points', async () => {
    await open({}, link({ set: 'turningBar', maxIterations: 10 }));
    const labelled = await settled();
    const { x, y, width, height } = (await map().boundingBox())!;
    const card = page.getByRole('tooltip');
    for (let k = 0; k < 400 && (await card.count()) === 0; k++) {
      await page.mouse.move(x + width * (0.2 + 0.006 * (k % 100)), y + height * (0.4 + 0.07 * Math.floor(k / 100)));
    }
    expect(await card.innerText()).toMatch(/^row \d+\nlength: length \d$/);
    expect(await card.locator('canvas.pixels').count()).toBe(1);
    await page.mouse.move(0, 0);
    await page.selectOption('[name=color]', 'row5col5');
    await page.getByRole('img', { name: /^row5col5 from / }).waitFor();
    const coloured = await settled();
    expect(coloured).not.toBe(labelled);
    const lands = [coloured];
    for (const [land, title] of [
      ['magnification', 'Change of a step'],
      ['column row6col6', 'row6col6, expected'],
      ['none', ''],
    ] as const) {
      await page.selectOption('[name=background]', land);
      if (title !== '') await page.getByRole('region', { name: title }).waitFor();
      lands.push(await settled());
    }
    expect(new Set(lands).size).toBe(4);
  });

  it('shows rows that are images as pictures where the map is enlarged', async () => {
    await open({}, link({ set: 'drawnDigits', model: 'pca' }));
    await settled();
    // Of what the map draws, only these are parts of another canvas.
    await page.evaluate(() => {
      const { drawImage } = CanvasRenderingContext2D.prototype;
      const drawn: string[] = [];
      Object.assign(globalThis, { drawn });
      CanvasRenderingContext2D.prototype.drawImage = function (...given: unknown[]) {
        if (given.length === 9) drawn.push(given.slice(1, 5).join());
        Reflect.apply(drawImage, this, given);
      };
    });
    const drawn = () => page.evaluate(() => (globalThis as unknown as { drawn: string[] }).drawn.splice(0));
    await map().focus();
    for (const key of '+++') await page.keyboard.press(key);
    await settled();
    expect(await drawn()).toEqual([]);
    for (const key of '++') await page.keyboard.press(key);
    const enlarged = await settled();
    const pictures = new Set(await drawn());
    expect(pictures.size).toBeGreaterThan(10);
    for (const picture of pictures) expect(picture).toMatch(/^\d+,\d+,10,13$/);
    await page.keyboard.press('0');
    expect(await settled()).not.toBe(enlarged);
  });

  it('shows the same rows in other maps, with the scores that Node finds', async () => {
    await open();
    const { observations, labels } = pipeFlow({ points: 150, seed: 1 });
    const { latents } = await fit(pca(observations, { latentDim: 2 }), { engine: 'wasm' });
    const score = trustworthiness(observations, latents, 10).toFixed(3);
    const error = nearestNeighbourError(latents, labels).toFixed(3);
    await page.locator('.scale').waitFor();
    const own = await settled();
    const thumb = page.getByRole('button', { name: `PCA trustworthiness ${score}, error ${error}` });
    await thumb.click();
    await map().and(page.getByLabel('Map of 150 rows, PCA')).waitFor();
    await panel().getByRole('heading', { name: 'PCA' }).waitFor();
    expect(await settled()).not.toBe(own);
    // Behind it a Gaussian process that is held at its places, and says so.
    await page.getByRole('region', { name: /^Uncertainty, / }).waitFor();
    await page.getByText('by a Gaussian process held at these places').waitFor();
    const lands = page.locator('[name=background] option');
    expect(await lands.count()).toBe(3 + observations.columns);
    await page.selectOption('[name=background]', 'column vertical1_30keV');
    await page.getByRole('region', { name: /^vertical1_30keV, expected, faded where unknown: / }).waitFor();
    await page.selectOption('[name=background]', 'certainty');
    await map().focus();
    await page.keyboard.press('n');
    await panel().getByText('against what a Gaussian process held at these places expects').waitFor();
    const [, seen, expected, deviation] = /vertical1_30keV\s+([\d.]+) exp\. ([\d.]+) ± ([\d.]+)/.exec(
      await panel()
        .getByRole('table', { name: /^Values, row 1/ })
        .innerText(),
    )!;
    expect(Number(seen)).toBeCloseTo(observations.at(0, 0), 2);
    // Two standard deviations are shown, of which a row may be twice as far away.
    expect(Math.abs(Number(seen) - Number(expected))).toBeLessThan(2 * Number(deviation));
    await page.keyboard.press('ArrowRight');
    await panel()
      .getByText(/^At PCA 1 −?[\d.]+, PCA 2 −?[\d.]+\. By a Gaussian process held at these places\.$/)
      .waitFor();
    // A place is of its map: on another nothing is asked yet.
    await page.keyboard.press('1');
    await panel().getByRole('heading', { name: 'gplvm' }).waitFor();
    await map().and(page.getByLabel('Map of 150 rows, gplvm')).waitFor();
    await page.locator('.scale').waitFor();
    expect(await settled()).toBe(own);
    await page.keyboard.press('t');
    expect(await settled()).not.toBe(own);
  });

  it('shares a fit in a link where it is small, and as a page that decodes without network', async () => {
    await open();
    await ownTable(NAMED);
    await iterations(15);
    await fitted();
    await press('Share');
    await press('Link with the whole fit');
    await page.getByText('The address of this page now holds the fit').waitFor();
    const address = page.url().slice(served.url.length);
    const shared = await downloaded(() => press('One page with the fit'));
    const json = JSON.parse(await saved('fit.json'));
    await page.context().close();
    await open({}, address);
    await page.locator('.subject').getByText('own.csv').waitFor();
    expect(JSON.parse(await saved('fit.json')).objective).toBe(json.objective);
    await page.context().close();

    const path = join(root, 'web/dist/shared.html');
    writeFileSync(path, shared);
    try {
      const context = await browser.newContext({ offline: true });
      page = await context.newPage();
      page.on('console', (message) => problems.push(message.text()));
      page.on('pageerror', (failure) => problems.push(failure.message));
      page.setDefaultTimeout(60_000);
      await page.goto(pathToFileURL(path).href);
      await page.waitForSelector('[data-status=done]');
      await page.locator('.subject').getByText('own.csv').waitFor();
      expect(await page.locator('.chip').allTextContents()).toEqual(['a 14', 'b 26']);
      await map().focus();
      await page.keyboard.press('ArrowUp');
      await expect
        .poll(() => panel().innerText(), { timeout: 20_000 })
        .toMatch(/Expected here[\s\S]*temp\s+−?[\d.]+ ± [\d.]+/);
      // It can be shared again.
      const again = (await downloaded(() => menu('Share', 'One page with the fit'))).toString();
      expect(again).toContain(`\\"objective\\":${json.objective}`);
    } finally {
      rmSync(path);
    }
  });

  it.each([
    ['ragged.csv', 'a,b\n1,2\n3,4,5\n', "'ragged.csv' is ragged: line 1 has 2 cells, but line 3 has 3."],
    ['words.csv', 'a,b\nx,y\nz,w\n', "'words.csv' has no column of numbers"],
    ['empty.csv', '', "'empty.csv' is empty."],
    ['table.xlsx', 'PK', "'table.xlsx' ends in '.xlsx': expected .csv"],
    ['broken.npy', 'no array', "'broken.npy' cannot be read as .npy"],
  ])('says what is wrong with %s, and stays usable', async (name, text, sentence) => {
    await open();
    await choose('table', file(name, text));
    await page.getByRole('alert').getByText(sentence).waitFor();
    await page.selectOption('[name=set]', 'twoMoons');
    await page.getByText('200 rows, 2 columns.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('reads an array of NumPy', async () => {
    await open();
    const values = Float64Array.from({ length: 24 }, (_, i) => Math.sin(i));
    const header = "{'descr': '<f8', 'fortran_order': False, 'shape': (12, 2), }".padEnd(117).concat('\n');
    const preamble = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, header.length, 0]);
    const buffer = Buffer.concat([preamble, Buffer.from(header), Buffer.from(values.buffer)]);
    await choose('table', { name: 'array.npy', mimeType: 'application/octet-stream', buffer });
    await page.getByText('12 rows, 2 columns.').waitFor();
    await page.selectOption('[name=model]', 'pca');
    await fitted();
    expect(JSON.parse(await saved('fit.json')).model.observations).toHaveLength(12);
  });

  it('says what is wrong with options and with files of fits', async () => {
    await open();
    await drawer();
    await page.locator('[name=kernel]').fill('rbf + nothing');
    await press('Fit');
    await page.getByRole('alert').getByText("'nothing'").waitFor();
    await choose('fit', file('fit.json', '{}'));
    await page.getByRole('alert').getByText("'fit.json' is no fit of this library").waitFor();
  });

  it('draws the map again and again while it fits', async () => {
    await open();
    const { observations, labels } = pipeFlow({ points: 300, seed: 2 });
    const lines = observations.toArrays().map((row, i) => [...row, `kind${labels[i]}`].join(','));
    await ownTable(lines.join('\n'), '300 rows, 12 columns.');
    await iterations(300);
    // As many pictures as the page has drawn of the map, from the fit's first step to its end.
    const pictures = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const seen = new Set<string>();
          let hasBegun = false;
          const look = () => {
            const isRunning = document.querySelector('[data-status=running]') !== null;
            if (isRunning) seen.add(document.querySelector<HTMLCanvasElement>('.map canvas')!.toDataURL());
            hasBegun ||= isRunning;
            if (hasBegun && !isRunning) resolve(seen.size);
            else requestAnimationFrame(look);
          };
          look();
        }),
    );
    await fitted();
    expect(await pictures).toBeGreaterThan(3);
  });

  it('says how long a fit of many rows takes, counts its seconds, and stops it before its first step', async () => {
    await open();
    const lines = Array.from({ length: 50_000 }, (_, i) =>
      [0, 1, 2].map((j) => (Math.sin(i / 900 + j) + ((i * 7919 * (j + 1)) % 1000) / 5000).toFixed(4)).join(),
    );
    await ownTable(['a,b,c', ...lines].join('\n'), '50000 rows, 3 columns.');
    await page.getByText('gplvm of 50,000 rows takes a minute and more to its first step.').waitFor();
    await press('Fit');
    await page.getByText('Fitting gplvm to 50000 rows', { exact: true }).waitFor();
    await page.getByText(/^Before its first step\d+ s$/).waitFor();
    expect(await map().getAttribute('aria-label')).toBe('Map of 150 rows, gplvm');
    await press('Stop');
    await page.getByRole('alert').getByText('Stopped before its first step').waitFor();
    await page.locator('.subject').getByText('pipe flow').waitFor();
    await drawer();
    await press('Take pca');
    await fitted();
    await page.locator('.subject').getByText('own.csv').waitFor();
  });

  it('fits many rows in batches, draws them, and gives the program', async () => {
    await open();
    const lines = Array.from({ length: 50_000 }, (_, i) =>
      [0, 1, 2].map((j) => (Math.sin(i / 900 + j) + ((i * 7919 * (j + 1)) % 1000) / 5000).toFixed(4)).join(),
    );
    await ownTable(['a,b,c', ...lines].join('\n'), '50000 rows, 3 columns.');
    await press('Take bayesianGplvm in batches');
    await iterations(20);
    await fitted();
    await panel().getByText('50,000 rows in 2 dimensions. The areas in which rows lie are drawn for up to').waitFor();
    expect(await saved('program.ts')).toContain('fit(model, { batchSize: 1000, maxIterations: 20, seed: 0 })');
  });

  it('holds no more memory after ten fits than after three', async () => {
    await open();
    await ownTable();
    await iterations(15);
    const client = await page.context().newCDPSession(page);
    /** Bytes of the objects of the page and of its workers, when what is no longer used is gone. */
    const held = async () => {
      await client.send('HeapProfiler.collectGarbage');
      const { usedSize } = await client.send('Runtime.getHeapUsage');
      return { bytes: usedSize, workers: page.workers().length };
    };
    const after: Awaited<ReturnType<typeof held>>[] = [];
    for (let k = 0; k < 10; k++) {
      await fitted();
      await settled();
      // The worker of the fit, and that of the process which reads the map of principal components.
      await page.getByRole('button', { name: /^PCA trustworthiness/ }).waitFor();
      await expect.poll(() => page.workers().length, { timeout: 20_000 }).toBe(2);
      after.push(await held());
    }
    expect(after[9]!.workers).toBe(after[2]!.workers);
    expect(after[9]!.bytes / after[2]!.bytes).toBeLessThan(1.05);
  });

  it('shows ten thousand rows that a spectral model places, and refuses matrices that a page cannot hold', async () => {
    await open();
    const lines = Array.from({ length: 10_000 }, (_, i) =>
      [Math.sin(i / 50), Math.cos(i / 50), i / 9999, `k${i % 7}`].join(),
    );
    await ownTable(['a,b,c,kind', ...lines].join('\n'), '10000 rows, 3 columns.');
    await page.selectOption('[name=model]', 'isomap');
    await press('Fit');
    await page.getByRole('alert').getByText('matrices of 10000 × 10000 numbers, too large for a page').waitFor();
    await press('Dismiss');
    await drawer();
    await page.selectOption('[name=model]', 'pca');
    await fitted();
    const { x, y, width, height } = (await map().boundingBox())!;
    await page.mouse.move(x, y);
    await page.mouse.move(x + width / 2, y + height / 2, { steps: 20 });
    const before = await settled();
    await map().focus();
    for (const key of '+++') await page.keyboard.press(key);
    expect(await settled()).not.toBe(before);
    for (const key of '---') await page.keyboard.press(key);
    expect(await settled()).toBe(before);
  });

  it('assembles a model of a kernel, priors and a likelihood, and gives its program', async () => {
    await open();
    await ownTable();
    await page.getByText('Sliders of the kernel').click();
    await page.getByLabel('rbf lengthscale', { exact: false }).first().fill('-6');
    expect(await page.locator('[name=kernel]').inputValue()).toBe(
      'rbf(variance=fixed(1), lengthscale=fixed(0.501)) + bias(0.1)',
    );
    await page.selectOption('[name=priors]', 'chosen');
    for (const prior of ['standardNormal', 'laplacian', 'discriminative'])
      await page.locator(`[name="prior.${prior}"]`).check();
    await page.locator('[name="prior.laplacian.strength"]').fill('6');
    await page.selectOption('[name=likelihood]', 'studentT');
    await page.locator('[name=inducing]').fill('1');
    await page.selectOption('[name=backConstraint]', 'linear');
    await page.getByLabel('Columns to mean 0').check();
    await iterations(8);
    await fitted();
    const { terms, objective } = JSON.parse(await saved('fit.json'));
    expect(Object.keys(terms)).toEqual(expect.arrayContaining(['standardNormal', 'laplacian', 'discriminative']));
    expect(Math.abs((await printedByProgram('data.csv')) / objective - 1)).toBeLessThan(1e-9);
  });

  it('takes a file that is dropped, and says when one is too large', async () => {
    await open();
    await drawer();
    const drop = (name: string, size: number, text: string) =>
      page
        .locator('.drop')
        .first()
        .evaluate(
          (target, given) => {
            const transfer = new DataTransfer();
            const content = given.size > 0 ? new Uint8Array(given.size) : given.text;
            transfer.items.add(new File([content], given.name));
            target.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
          },
          { name, size, text },
        );
    await drop('own.tsv', 0, CSV.replaceAll(',', '\t'));
    await page.getByText('40 rows, 3 columns.').waitFor();
    await drop('huge.csv', 61e6, '');
    await page.getByRole('alert').getByText("'huge.csv' has 61 MB; this page reads up to 60.").waitFor();
    await page.getByText('40 rows, 3 columns.').waitFor();
  });

  it('follows the address, holds a small table in it, and runs by itself within another page', async () => {
    await open();
    await page.evaluate(
      (hash) => {
        location.hash = hash;
      },
      link({ set: 'swissRoll', model: 'isomap', options: { latentDim: 2, neighbours: 8 } }),
    );
    await page.locator('.subject').getByText('300 rows × 3 columns').waitFor();
    expect(await page.locator('[name=model]').inputValue()).toBe('isomap');
    await ownTable();
    await iterations(15);
    await press('Share');
    await press('Link to these settings');
    await page.getByText('The address of this page now holds the settings.').waitFor();
    const address = page.url().slice(served.url.length);
    await page.context().close();
    await open({}, address, false);
    await page.getByText('40 rows × 3 columns').waitFor();
    expect(await page.getByLabel('Iterations at most').inputValue()).toBe('15');
    await page.context().close();
    await open({}, link({ set: 'twoMoons', model: 'gplvm', maxIterations: 5, run: true, compact: true }), false);
    await map().waitFor();
    expect(await page.locator('[name=model]').count()).toBe(0);
    expect(await page.locator('header').count()).toBe(0);
  });

  it('draws kernels with sliders', async () => {
    await open({}, 'kernels.html#rbf', false);
    const drawing = () => page.evaluate(() => document.querySelector<HTMLCanvasElement>('.lines canvas')!.toDataURL());
    await page.getByText('Covariance of x with').waitFor();
    await page.waitForTimeout(200);
    const before = await drawing();
    await page.getByLabel('rbf lengthscale', { exact: false }).first().fill('20');
    expect(await page.locator('[name=kernel]').inputValue()).toBe('rbf(variance=1, lengthscale=10)');
    await page.waitForTimeout(200);
    expect(await drawing()).not.toBe(before);
    await page.locator('[name=kernel]').fill('rbf + nothing');
    await page.getByText("'nothing'").waitFor();
  });

  it.each([
    ['light', { colorScheme: 'light', viewport: { width: 1440, height: 900 } }],
    ['dark', { colorScheme: 'dark', viewport: { width: 1440, height: 900 } }],
    ['on a phone', { colorScheme: 'light', viewport: { width: 360, height: 740 }, hasTouch: true }],
  ] as const)('is readable and reachable, %s', async (_, options) => {
    await open(options);
    await settled();
    const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
    const found = async (state: string) => {
      const { violations } = (await page.evaluate(`${axe}; axe.run()`)) as {
        violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
      };
      return violations.map(
        ({ id, nodes }) =>
          `${state}: ${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`,
      );
    };
    const all = [...(await found('overview'))];
    await iterations(100_000);
    await press('Fit');
    await page.getByTestId('objective').getByText('of at most 100000 iterations').waitFor();
    await press('Pause');
    all.push(...(await found('fitting')));
    await press('Stop');
    await page.waitForSelector('[data-status=done]');
    await settled();
    await map().focus();
    await page.keyboard.press('n');
    await panel().getByRole('heading', { name: 'row 1, ' }).waitFor();
    all.push(...(await found('row')));
    await drawer();
    await page.waitForTimeout(400);
    all.push(...(await found('drawer')));
    await press('Close data and model');
    /** What a key leads to, once it is there. */
    const state = async (name: string, keys: readonly string[], there: Locator) => {
      await map().focus();
      for (const key of keys) await page.keyboard.press(key);
      await there.waitFor();
      await page.waitForTimeout(400);
      all.push(...(await found(name)));
    };
    const heading = (name: string) => panel().getByRole('heading', { name });
    await state('place', ['Escape', 'ArrowRight'], heading('Expected here'));
    await state('path', ['Escape', 'g', 'n', 'Enter', 'p', 'Enter'], panel().getByText(/^Length/));
    await state('trust', ['Escape', 't'], page.getByRole('region', { name: 'Rows not to trust here' }));
    await page.getByRole('button', { name: /^PCA trustworthiness/ }).waitFor({ state: 'attached' });
    await state('compare', ['t', '2'], page.getByRole('application', { name: /PCA$/ }));
    await page.getByRole('searchbox').fill('annular');
    await page.getByRole('searchbox').press('Enter');
    await state('chosen', ['1'], heading('rows chosen'));
    await page.getByRole('searchbox').fill('');
    await state('keys', ['Escape', '?'], page.getByRole('dialog', { name: 'Keys' }));
    await press('Close');
    await press('Share');
    all.push(...(await found('share')));
    await page.goto(`${page.url().split('#')[0]}#new`);
    await choose('any', file('ragged.csv', `${CSV}\n1,2`));
    await page.getByRole('button', { name: 'Leave out 1 line' }).waitFor();
    all.push(...(await found('error')));
    await press('Leave out 1 line');
    await page.getByRole('button', { name: 'Fit now' }).waitFor();
    all.push(...(await found('columns')));
    expect(all).toEqual([]);
    const widths = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    expect(widths[0]).toBeLessThanOrEqual(widths[1]!);
  });
});
