import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { NEEDS_CHROMIUM, startChromium } from '../app/plot/chromium.ts';
import { servedFolder } from './servedFolder.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const built = join(root, 'web/dist/playground');
const why = NEEDS_CHROMIUM || (existsSync(built) ? '' : ' (the playground is not built: npm run site)');
const STRICT =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'";

export const rows = (count: number, change = 0) =>
  Array.from({ length: count }, (_, i) => {
    const t = (i + change) / 7;
    return `${Math.sin(t)},${Math.cos(t)},${Math.sin(2 * t) / 2},${i % 3 === 0 ? 'a' : 'b'}`;
  });
export const CSV = ['first,second,third,kind', ...rows(40)].join('\n');
export const file = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
export const NAMED = ['sample,temp,flow,load,kind', ...rows(40).map((row, i) => `s${i},${row}`)].join('\n');

export let browser: Browser;
export let served: Awaited<ReturnType<typeof servedFolder>>;
/** The page of the test that runs. */
export let page: Page;
/** What must not happen on it. */
export let problems: string[];

/** A group of tests of the page as it was built, each in a context of its own, without errors or requests to elsewhere. */
export function describePlayground(what: string, tests: () => void): void {
  describe.skipIf(why !== '')(`the playground, ${what}${why}`, () => {
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
    tests();
  });
}

/** An empty page, in a context of its own. */
export async function newPage(options: BrowserContextOptions): Promise<void> {
  const context = await browser.newContext(options);
  page = await context.newPage();
  page.setDefaultTimeout(60_000);
  // Violations of the policy are told on the console too.
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
}

/** Opens the page, and waits for the example that it fits by itself unless the address says otherwise. */
export async function open(options: BrowserContextOptions = {}, link = '', isFitted = true) {
  await newPage({ viewport: { width: 1440, height: 900 }, ...options });
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(served.url)) problems.push(request.url());
  });
  await page.goto(served.url + link);
  if (isFitted) await page.waitForSelector('[data-status=done]');
}
export const link = (settings: object) => `#${encodeURIComponent(JSON.stringify(settings))}`;
export const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
export const status = () => page.locator('[data-status]');
export const map = () => page.getByRole('application');
export const panel = () => page.locator('.read');
export async function drawer() {
  const button = page.getByRole('banner').getByRole('button', { name: 'Data and model', exact: true });
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
}
export const iterations = async (count: number) => {
  await drawer();
  await page.getByLabel('Maximum iterations').fill(String(count));
};
/** Fits, and waits for the end of it. */
export async function fitted() {
  await drawer();
  await press('Fit');
  await page.waitForSelector('[data-status=running], [data-status=failed]').catch(() => undefined);
  await page.waitForSelector('[data-status=done], [data-status=failed]');
  await expect.poll(() => status().getAttribute('data-status')).toBe('done');
}
export async function menu(title: string, item: string) {
  await press(title);
  await press(item);
}
export async function downloaded(act: () => Promise<void>): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return readFileSync(await download.path());
}
export const savedBytes = async (name: string) => {
  const bytes = await downloaded(() => menu('Export', name));
  await page.keyboard.press('Escape');
  return bytes;
};
export const saved = async (name: string) => (await savedBytes(name)).toString('utf8');
/** What the program that the page gives prints, run beside the files that it gives. */
export async function printedByProgram(...files: string[]): Promise<number> {
  const folder = mkdtempSync(join(root, 'web/dist/program-'));
  try {
    for (const file of files) writeFileSync(join(folder, file), await saved(file));
    writeFileSync(join(folder, 'program.mjs'), await saved('program.ts'));
    return Number(execFileSync(process.execPath, ['program.mjs'], { cwd: folder, encoding: 'utf8' }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
export async function choose(name: string, given: ReturnType<typeof file>) {
  if (name !== 'any') await drawer();
  await page.locator(`[name=${name}]`).setInputFiles(given);
}
export async function ownTable(text = CSV, said = '40 rows, 3 columns.') {
  await choose('table', file('own.csv', text));
  await page.getByText(said).waitFor();
}
export async function openFit(json: string, name = 'again.json') {
  await choose('fit', { ...file(name, json), mimeType: 'application/json' });
  await page.locator('.subject').getByText(name).waitFor();
}
/** A digest of what the map shows. */
export const canvas = async () => {
  const url = await page.evaluate(() => document.querySelector<HTMLCanvasElement>('.map canvas')!.toDataURL());
  return createHash('sha256').update(url).digest('hex');
};
/** Waits until the map no longer changes. */
export async function settled(): Promise<string> {
  let before = '';
  for (let k = 0; k < 100; k++) {
    const now = await canvas();
    if (now === before) return now;
    before = now;
    await page.waitForTimeout(250);
  }
  return before;
}
/** Waits for a map that is none of these. */
export async function changed(...before: string[]): Promise<string> {
  let now = '';
  await expect
    .poll(
      async () => {
        now = await settled();
        return before.includes(now);
      },
      { timeout: 20_000 },
    )
    .toBe(false);
  return now;
}
export async function drag(from: readonly [number, number], to: readonly [number, number], onTheWay = async () => {}) {
  const { x, y, width, height } = (await map().boundingBox())!;
  await page.mouse.move(x + from[0] * width, y + from[1] * height);
  await page.mouse.down();
  await page.mouse.move(x + to[0] * width, y + to[1] * height, { steps: 6 });
  await onTheWay();
  await page.mouse.up();
}

export const button = (name: string) => page.getByRole('button', { name, exact: true });
