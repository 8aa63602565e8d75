// @module-tag long
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadFit, nuts, samplePosterior } from '../../src/index.ts';
import { modelFromJSON } from '../../src/models/index.ts';
import { NEEDS_CHROMIUM, startChromium } from '../app/plot/chromium.ts';
import { servedFolder } from './servedFolder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const built = join(root, 'web/dist/playground');
const why = NEEDS_CHROMIUM || (existsSync(built) ? '' : ' (the playground is not built: npm run site)');
const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');

const ROWS = 24;
const CSV = [
  'first,second,third,fourth',
  ...Array.from({ length: ROWS }, (_, i) => {
    const t = i / 4;
    const noise = Math.sin(37 * i) / 10;
    return `${Math.sin(t) + noise},${Math.cos(t) - noise},${Math.sin(2 * t) / 2 + noise / 2},${t / 5 - noise}`;
  }),
].join('\n');

describe.skipIf(why !== '')(`draws in the playground${why}`, () => {
  let browser: Browser;
  let served: Awaited<ReturnType<typeof servedFolder>>;
  let page: Page;
  const problems: string[] = [];

  beforeAll(async () => {
    served = await servedFolder(built, { below: '/some/where/' });
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });
  /** A table of its own, fitted. */
  beforeEach(async () => {
    problems.length = 0;
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    page = await context.newPage();
    page.setDefaultTimeout(60_000);
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${served.url}#new`);
    await page
      .locator('[name=any]')
      .first()
      .setInputFiles({ name: 'own.csv', mimeType: 'text/csv', buffer: Buffer.from(CSV) });
    await page.getByRole('button', { name: 'Fit now', exact: true }).click();
    await page.waitForSelector('[data-status=done]');
    await page.getByText('Details', { exact: true }).click();
  });
  afterEach(async () => {
    await page.context().close();
    expect(problems).toEqual([]);
  });

  const part = () => page.getByRole('region', { name: 'Posterior samples' });
  const digestOfMap = async () => {
    const url = await page.evaluate(() => document.querySelector<HTMLCanvasElement>('.map canvas')!.toDataURL());
    return createHash('sha256').update(url).digest('hex');
  };
  async function expectAccessible(): Promise<void> {
    const { violations } = (await page.evaluate(`${axe}; axe.run()`)) as {
      violations: { id: string; nodes: { html: string }[] }[];
    };
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  }

  it('draws parameters with fixed points, with the means and intervals of Node from the same fit', async () => {
    await part().getByRole('checkbox').uncheck();
    await part().getByRole('button', { name: 'Draw', exact: true }).click();
    await part().locator('[data-draws]').waitFor();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'fit.json', exact: true }).click(),
    ]);
    const json = JSON.parse(readFileSync(await download.path(), 'utf8'));
    const draws = await samplePosterior(modelFromJSON(json.model, {}), {
      start: loadFit(json),
      method: nuts({ maxDepth: 7 }),
      ...{ chains: 4, warmup: 200, draws: 200, seed: 0, priors: 'weak', hold: ['latents'], engine: 'wasm' },
    });
    const texts = await part().locator('tbody tr').allInnerTexts();
    const rows = Object.entries(draws.summary());
    expect(texts).toHaveLength(rows.length);
    rows.forEach(([name, { mean, q5, q95, rHat }], k) => {
      const [told, ...numbers] = texts[k]!.split('\t');
      expect(told).toBe(name.replace('mapping.', ''));
      const shown = numbers.map((text) => Number(text.replaceAll('−', '-')));
      for (const [at, value] of [mean, q5, q95].entries()) expect(shown[at]! / value).toBeCloseTo(1, 2);
      expect(shown[3]).toBeCloseTo(rHat, 2);
    });
    const [before] = draws.message.split('Weak priors were added: ');
    const told = await part().innerText();
    expect(told).toContain(`${before}Parameters without a prior have a weak one.`);
    expect(told).toMatch(/The \d+ points are fixed, so the map stays as it is: only the parameters move\./);
    expect(told).not.toContain('logNormal');
  });

  it('moves four chains over the map, can be stopped from the keyboard, and draws their ellipses when they end', async () => {
    await part().getByRole('button', { name: 'Draw', exact: true }).focus();
    await page.keyboard.press('Enter');
    await part().getByRole('progressbar', { name: 'Draws' }).waitFor();
    const before = await digestOfMap();
    await expect.poll(digestOfMap).not.toBe(before);
    await expectAccessible();
    await part().getByRole('button', { name: 'Stop the chains' }).focus();
    await page.keyboard.press('Enter');
    await part().getByText('The chains were stopped during warm-up').waitFor();

    await part().getByRole('button', { name: 'Draw again' }).click();
    // Work of 40 s where the machine has nothing else to do, and twice that where it is slow.
    await part().locator('[data-draws]').waitFor({ timeout: 240_000 });
    await expect
      .poll(() => part().locator('[data-draws]').innerText())
      .toMatch(/^4 × 200 draws\. R̂ of distances between points: \d\.\d{3}\./);
    await expectAccessible();
    const withEllipses = await digestOfMap();
    await part().getByRole('button', { name: 'None', exact: true }).click();
    await expect.poll(digestOfMap).not.toBe(withEllipses);
    // Single draws, one after the other, five of each chain.
    const still = await digestOfMap();
    await part().getByRole('button', { name: '20 maps in turn' }).click();
    await part().getByText('Map 3 of 20, as dots').waitFor();
    const third = await digestOfMap();
    expect(third).not.toBe(still);
    await part().getByText('Map 5 of 20, as dots').waitFor();
    expect(await digestOfMap()).not.toBe(third);
    await part().getByRole('button', { name: 'None', exact: true }).click();
    await expect.poll(digestOfMap).toBe(still);
  }, 300_000);
});
