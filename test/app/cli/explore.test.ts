import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadFit } from '../../../src/index.ts';
import { NEEDS_CHROMIUM, startChromium } from '../plot/chromium.ts';
import { latentfield, prepared } from './latentfield.ts';

const isBuilt = existsSync(fileURLToPath(new URL('../../../dist/explore/page.html', import.meta.url)));
const unbuilt = isBuilt ? '' : ' (the page is not built: npm run build)';

/** Status of an answer to a request whose `Host` is another; `fetch` sets its own. */
const statusFor = (url: string, host: string) =>
  new Promise((resolve, reject) => {
    get(url, { headers: { Host: host } }, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });

describe.skipIf(!isBuilt)(`latentfield explore${unbuilt}`, { tags: 'long' }, () => {
  it('serves the page with the table to this machine until it is stopped', async () => {
    const { data } = await prepared();
    const stop = new AbortController();
    let url = '';
    const running = latentfield(['explore', data, '--port', '48317'], {
      signal: stop.signal,
      onOutput: (text) => {
        url = text.trim();
      },
    });
    while (url === '') await new Promise((resolve) => setTimeout(resolve, 20));
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:48317\/[0-9a-f]{32}\/$/);
    const html = await (await fetch(url)).text();
    const held = JSON.parse(/<script type="application\/json" id="held">(.*?)<\/script>/s.exec(html)![1]!);
    expect(held.name).toBe('data.csv');
    expect(Buffer.from(held.table, 'base64')).toEqual(readFileSync(data));
    expect((await fetch(`${url}?x=1`)).status).toBe(200);
    expect((await fetch(`${url}etc/passwd`)).status).toBe(404);
    expect((await fetch('http://127.0.0.1:48317/')).status).toBe(404);
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
    expect((await fetch(url, { headers: { Origin: 'http://elsewhere.example' } })).status).toBe(403);
    expect(await statusFor(url, 'elsewhere.example:48317')).toBe(403);
    // A second one on the same port says so.
    const second = await latentfield(['explore', '--port', '48317']);
    expect(second.exitCode).toBe(2);
    expect(second.stderr).toContain('Port 48317 is unavailable: it is in use.');
    stop.abort('Ctrl-C');
    const { stdout, exitCode } = await running;
    expect(stdout).toBe(`${url}\n`);
    expect(exitCode).toBe(130);
    await expect(fetch(url)).rejects.toThrow();
  });

  it('fits the table first where a model is named, and shows that fit under the name of the table', async () => {
    const { data, path } = await prepared();
    const file = join(path, 'fitted.html');
    const flags = ['--model', 'pca', '--options', '{"latentDim":2}', '--page', file];
    const { stdout, stderr, exitCode } = await latentfield(['explore', data, ...flags]);
    expect([stdout, exitCode]).toEqual([`${file}\n`, 0]);
    expect(stderr).toContain('pca');
    expect(stderr).not.toContain('wrote');
    const held = JSON.parse(
      /<script type="application\/json" id="held">(.*?)<\/script>/s.exec(readFileSync(file, 'utf8'))![1]!,
    );
    expect(held.name).toBe('data.csv');
    const own = join(path, 'own');
    await latentfield(['fit', data, '--model', 'pca', '--options', '{"latentDim":2}', '--out', own]);
    const shown = loadFit(JSON.parse(held.text));
    const fitted = loadFit(JSON.parse(readFileSync(join(own, 'fit.json'), 'utf8')));
    expect(shown.latents.toArrays()).toEqual(fitted.latents.toArrays());
    expect(shown.table?.columns).toEqual(fitted.table?.columns);
  });

  it('fits no fit, and takes no flag of a fit without a model', async () => {
    const { data, path } = await prepared();
    const fitOfFit = await latentfield(['explore', path, '--model', 'pca']);
    expect([fitOfFit.exitCode, fitOfFit.stderr]).toEqual([2, expect.stringContaining('give its file, not a fit')]);
    const without = await latentfield(['explore', data, '--max-seconds', '3']);
    expect([without.exitCode, without.stderr]).toEqual([2, expect.stringContaining('--max-seconds is about a fit')]);
    const unknown = await latentfield(['explore', data, '--model', 'gpvlm']);
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('gpvlm')]);
  });

  it('reports what cannot be shown, and replaces a file only with --force', async () => {
    const { data, path } = await prepared();
    const missing = await latentfield(['explore', join(path, 'none.csv')]);
    expect(missing.exitCode).toBe(2);
    expect(missing.stderr).toContain("none.csv' cannot be read: there is no such file or folder.");
    const file = join(path, 'page.html');
    expect(await latentfield(['explore', data, '--page', file])).toMatchObject({ exitCode: 0, stdout: `${file}\n` });
    const again = await latentfield(['explore', data, '--page', file]);
    expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('--force to replace it')]);
    expect((await latentfield(['explore', data, '--page', file, '--force'])).exitCode).toBe(0);
  });

  it.each([
    ['ragged.csv', 'a,b\n1,2\n3,4,5\n', 'is ragged'],
    ['empty.csv', '', 'is empty'],
    ['table.xlsx', 'PK', "ends in '.xlsx'"],
    ['table.parquet', 'PAR1', 'can be read in Node only. Give --model'],
    ['none.json', '{}', 'loadFit takes'],
    ['cut.json', '{"model": ', 'is not JSON'],
  ])('writes no page of %s, which cannot be read', async (name, text, sentence) => {
    const { path } = await prepared();
    const [data, file] = [join(path, name), join(path, 'bad.html')];
    writeFileSync(data, text);
    const { exitCode, stderr } = await latentfield(['explore', data, '--page', file]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(sentence)]);
    expect(existsSync(file)).toBe(false);
  });
});

const inBrowser = `a page of latentfield explore${unbuilt || NEEDS_CHROMIUM}`;
describe.skipIf(!isBuilt || NEEDS_CHROMIUM !== '')(inBrowser, { tags: 'long' }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  it('fits the table automatically, and shows a fit of the command line with its labels', async () => {
    const { data, out, path } = await prepared();
    const page = await (await browser.newContext({ offline: true })).newPage();
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('console', (message) => problems.push(message.text()));
    page.setDefaultTimeout(60_000);
    const shown = async (subject: string) => {
      const file = join(path, 'page.html');
      expect((await latentfield(['explore', subject, '--page', file, '--force'])).exitCode).toBe(0);
      await page.goto(pathToFileURL(file).href);
      await page.waitForSelector('[data-status=done]');
    };
    await shown(data);
    expect(await page.locator('.subject').innerText()).toContain('30 rows × 12 columns');
    const chips = await page.locator('.chip b').allTextContents();
    expect(chips).toEqual(['annular', 'homogeneous', 'stratified']);

    await latentfield(['fit', data, '--model', 'gplvm', '--labels', 'flow', '--max-iterations', '10', '--out', out]);
    await shown(out);
    expect(await page.locator('.subject').innerText()).toMatch(/^out\s+30 rows × 12 columns/);
    expect(await page.locator('.chip b').allTextContents()).toEqual(chips);
    await page.getByRole('application').focus();
    await page.keyboard.press('n');
    const { columnNames } = (await import('../../../src/app/data/index.ts')).pipeFlow({ points: 30 });
    await page.locator('.read').getByRole('button', { name: 'All 12 columns' }).click();
    await expect.poll(() => page.locator('.read').getByRole('rowheader').allTextContents()).toEqual([...columnNames]);
    expect(problems).toEqual([]);
  });

  it('looks at a table of very many rows first, and offers what takes seconds', async () => {
    const { path } = await prepared();
    const [data, file] = [join(path, 'many.csv'), join(path, 'many.html')];
    const rows = Array.from({ length: 50_000 }, (_, i) => `${Math.sin(i)},${Math.cos(i)},${i % 7}`);
    writeFileSync(data, `a,b,c\n${rows.join('\n')}\n`);
    expect((await latentfield(['explore', data, '--page', file])).exitCode).toBe(0);
    const page = await (await browser.newContext({ offline: true })).newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(pathToFileURL(file).href);
    await page.getByText('gplvm of 50,000 rows needs a minute or more for its first step').first().waitFor();
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Use pca' }).first().click();
    await page.getByRole('button', { name: /^Fit/ }).first().click();
    await page.waitForSelector('[data-status=done]');
    await page.getByRole('application').waitFor();
    expect(await page.locator('header').first().getByRole('combobox').inputValue()).toBe('pca');
  });

  it('asks for another table, and shows no map of an example, where the one that it is served with cannot be read', async () => {
    const { path } = await prepared();
    const data = join(path, 'ragged.csv');
    writeFileSync(data, 'a,b\n1,2\n3,4,5\n6,7\n');
    const stop = new AbortController();
    let url = '';
    const running = latentfield(['explore', data], {
      signal: stop.signal,
      onOutput: (text) => {
        url = text.trim();
      },
    });
    while (url === '') await new Promise((resolve) => setTimeout(resolve, 20));
    const page = await (await browser.newContext()).newPage();
    await page.goto(url);
    await page.getByRole('alert').getByText("'ragged.csv' is ragged").waitFor();
    await page.getByRole('button', { name: 'Leave out 1 line' }).first().waitFor();
    expect(await page.getByRole('application').count()).toBe(0);
    stop.abort('Ctrl-C');
    await running;
  });
});
