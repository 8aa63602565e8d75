import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/data/index.ts';
import { fit, gplvm } from '../../src/index.ts';
import { NEEDS_CHROMIUM, startChromium } from '../plot/chromium.ts';
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

  async function open(options: BrowserContextOptions = {}, link = '') {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    page = await context.newPage();
    page.setDefaultTimeout(60_000);
    // Violations of the policy are told on the console too.
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(served.url)) problems.push(request.url());
    });
    await page.goto(served.url + link);
  }
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const iterations = (count: number) => page.getByLabel('Iterations at most').fill(String(count));
  const status = () => page.locator('[data-status]');
  async function fitted() {
    await press('Fit');
    await page.waitForSelector('[data-status=done], [data-status=failed]');
    expect(await status().getAttribute('data-status')).toBe('done');
  }
  async function saved(name: string): Promise<string> {
    const [download] = await Promise.all([page.waitForEvent('download'), press(name)]);
    return readFileSync(await download.path(), 'utf8');
  }
  const choose = (name: string, given: ReturnType<typeof file>) => page.locator(`[name=${name}]`).setInputFiles(given);

  it('fits an example as Node does, and answers from the keyboard', async () => {
    await open();
    await iterations(30);
    await fitted();
    const { observations } = pipeFlow({ points: 150, seed: 1 });
    const expected = await fit(gplvm(observations, { latentDim: 2 }), { maxIterations: 30, seed: 0, engine: 'wasm' });
    const found = JSON.parse(await saved('fit.json'));
    // Logarithms and exponentials of hosts differ in their last bits.
    expect(Math.abs(found.objective / expected.objective - 1)).toBeLessThan(1e-9);
    expect(found.trace.at(-1).objective).toBeGreaterThan(found.trace[0].objective + 100);

    await page.getByRole('application').focus();
    await page.keyboard.press('n');
    await page.getByText('row 1, ').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText('expected at the cross').waitFor();
  });

  it('reads a table, tells its labels, and gives a program that fits it again', async () => {
    await open();
    await choose('table', file('own.csv', CSV));
    await page.getByText('40 rows, 3 columns.').waitFor();
    expect(await page.locator('[name=labels]').inputValue()).toBe('kind');
    await page.locator('[name=kernel]').fill('matern32 + white(0.01)');
    await iterations(20);
    await fitted();
    const folder = join(root, 'web/dist/program-test');
    mkdirSync(folder, { recursive: true });
    try {
      writeFileSync(join(folder, 'data.csv'), await saved('data.csv'));
      writeFileSync(join(folder, 'program.mjs'), await saved('program.ts'));
      const printed = Number(execFileSync(process.execPath, ['program.mjs'], { cwd: folder, encoding: 'utf8' }));
      const { objective } = JSON.parse(await saved('fit.json'));
      expect(Math.abs(printed / objective - 1)).toBeLessThan(1e-9);
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect((await saved('latents.csv')).split('\n')[0]).toBe('x1,x2,label');
    expect(await saved('plot.svg')).toContain('<svg');
    expect(await saved('plot.png')).toContain('PNG');
  });

  it('places new rows, opens a saved fit, and holds a small table in its link', async () => {
    await open();
    await choose('table', file('own.csv', CSV));
    await page.getByText('40 rows, 3 columns.').waitFor();
    await iterations(15);
    await fitted();
    await choose('rows', file('more.csv', ['first,second,third,kind', ...rows(3, 0.5)].join('\n')));
    await page.getByText('3 new rows are placed').waitFor();
    await choose('rows', file('wrong.csv', 'a,b\n1,2\n3,4'));
    await page.getByText("'wrong.csv' was not placed: ").waitFor();
    const json = await saved('fit.json');
    const link = await page.getByRole('link', { name: 'Link to these settings' }).getAttribute('href');

    await page.context().close();
    await open({}, link!);
    await page.getByText('40 rows, 3 columns.').waitFor();
    expect(await page.getByLabel('Iterations at most').inputValue()).toBe('15');
    await page.getByText('Open a saved fit').click();
    await choose('fit', { ...file('fit.json', json), mimeType: 'application/json' });
    await page.getByText('fit.json: 40 rows.').waitFor();
    await choose('fit', file('fit.json', '{}'));
    await page.getByText("'fit.json' is no fit of this library").waitFor();
  });

  it('pauses, goes on and stops', async () => {
    await open();
    await iterations(100_000);
    await press('Fit');
    const objective = page.getByTestId('objective');
    await page.waitForFunction(() => /after \d/.test(document.querySelector('[data-testid=objective]')!.textContent!));
    await press('Pause');
    await page.waitForTimeout(600);
    const held = await objective.textContent();
    await page.waitForTimeout(600);
    expect(await objective.textContent()).toBe(held);
    await press('Resume');
    await page.waitForFunction(
      (before) => document.querySelector('[data-testid=objective]')!.textContent !== before,
      held,
    );
    await press('Stop');
    await page.waitForSelector('[data-status=done]');
    expect(await status().textContent()).toMatch(/^stopped: /);
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

  it('says what is wrong with options', async () => {
    await open();
    await page.locator('[name=kernel]').fill('rbf + nothing');
    await press('Fit');
    await page.waitForSelector('[data-status=failed]');
    expect(await status().textContent()).toContain("'nothing'");
  });

  it('keeps drawing while it fits 300 rows', async () => {
    await open();
    const { observations, labels } = pipeFlow({ points: 300, seed: 2 });
    const lines = observations.toArrays().map((row, i) => [...row, `kind${labels[i]}`].join(','));
    await choose('table', file('flow.csv', lines.join('\n')));
    await page.getByText('300 rows, 12 columns.').waitFor();
    await iterations(60);
    await page.evaluate(() => {
      const held: number[] = [];
      Object.assign(globalThis, { held });
      new PerformanceObserver((list) => held.push(...list.getEntries().map(({ duration }) => duration))).observe({
        type: 'longtask',
      });
    });
    await fitted();
    const held = await page.evaluate(() => (globalThis as unknown as { held: number[] }).held);
    // A long task takes 50 ms; machines that are busy hold a page up themselves.
    expect(held.filter((duration) => duration > 200).length).toBeLessThanOrEqual(3);
  });

  it.each([
    ['light', { colorScheme: 'light', viewport: { width: 1280, height: 900 } }],
    ['dark', { colorScheme: 'dark', viewport: { width: 1280, height: 900 } }],
    ['on a phone', { colorScheme: 'light', viewport: { width: 360, height: 740 }, hasTouch: true }],
  ] as const)('is readable and reachable, %s', async (_, options) => {
    await open(options);
    await iterations(5);
    await fitted();
    await page.getByRole('application').focus();
    await page.keyboard.press('ArrowRight');
    const widths = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    expect(widths[0]).toBeLessThanOrEqual(widths[1]!);
    const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
    const { violations } = (await page.evaluate(`${axe}; axe.run()`)) as {
      violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
    };
    expect(
      violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`,
      ),
    ).toEqual([]);
  });
});
