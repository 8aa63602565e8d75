import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { fit, gplvm, pca } from '../../src/index.ts';
import { THEMES } from '../../web/url/themes.ts';
import { NEEDS_CHROMIUM, startChromium } from '../app/plot/chromium.ts';
import { servedFolder } from './servedFolder.ts';

const built = fileURLToPath(new URL('../../dist/browser', import.meta.url));
const why = existsSync(join(built, 'map.js')) ? '' : ' (dist/ is not built: npm run build)';

describe('the colors of a map by URL', () => {
  it('are the colors of the explorer', () => {
    const style = readFileSync(new URL('../../web/playground/style.css', import.meta.url), 'utf8');
    const named: Readonly<Record<string, string>> = { faintInk: 'ink2', line: 'line2' };
    for (const key of Object.keys(THEMES.light) as (keyof typeof THEMES.light)[]) {
      const values = [...style.matchAll(new RegExp(`--${named[key] ?? key}: ([^;]+);`, 'g'))].map(([, value]) => value);
      // In the light first; fonts are those of both.
      expect([key, values[0], values.at(-1)]).toEqual([key, THEMES.light[key], THEMES.dark[key]]);
    }
  });
});

describe.skipIf(why !== '')(`what a page loads by URL${why}`, { tags: 'long' }, () => {
  it('is at most 170 kB compressed for the first map', () => {
    const seen = new Set<string>();
    const weigh = (name: string): number => {
      if (seen.has(name)) return 0;
      seen.add(name);
      const code = readFileSync(join(built, name), 'utf8');
      const imported = [...code.matchAll(/(?:from|import) *"\.\/([^"]+)"/g)].map(([, other]) => weigh(other!));
      return imported.reduce((sum, size) => sum + size, gzipSync(code).length);
    };
    const weight = weigh('map.js');
    expect(weight).toBeGreaterThan(50_000);
    expect(weight).toBeLessThanOrEqual(170_000);
    const drawn = weigh('draw-map.js');
    expect(drawn).toBeGreaterThan(5000);
    expect(drawn).toBeLessThanOrEqual(16_000);
  });

  it('declares what it exports, with the comments of its sources', () => {
    for (const [name, made] of [
      ['map', 'map'],
      ['draw-map', 'drawMap'],
    ] as const) {
      const text = readFileSync(join(built, `${name}.d.ts`), 'utf8');
      expect(text).toMatch(new RegExp(`\\*/\\ndeclare function ${made}\\(element: HTMLElement, `));
      expect(text).toMatch(new RegExp(`^export \\{ ${made} \\};$`, 'm'));
      expect(readFileSync(join(built, `${name}.js`), 'utf8')).toMatch(new RegExp(`export\\{\\w+ as ${made}\\}`));
    }
  });

  it('is one file for a notebook: the widget contains no import', () => {
    const code = readFileSync(join(built, 'widget.js'), 'utf8');
    expect(code).not.toMatch(/(?:^|[;}\n])\s*import\s*[\w{*"']/);
  });
});

const { observations, labels, columnNames } = pipeFlow({ points: 40, seed: 1 });
const rows = observations.toArrays();
const whyNot = why || NEEDS_CHROMIUM;

describe.skipIf(whyNot !== '')(`a map by URL${whyNot}`, { tags: 'long' }, () => {
  let browser: Browser | undefined;
  afterAll(() => browser?.close());

  /** A page beside the files, as of another site. */
  async function opened(script: string): Promise<{ page: Page; problems: string[]; close: () => Promise<unknown> }> {
    const served = await servedFolder(built);
    browser ??= await startChromium();
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    await page.route(`${served.url}page.html`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<!doctype html><div id="map"></div><script type="module">${script}</script>`,
      }),
    );
    await page.goto(`${served.url}page.html`);
    return { page, problems, close: () => Promise.all([page.close(), served.close()]) };
  }

  /** Whether anything is drawn on the canvas of the page. */
  const inked = (page: Page) =>
    page.evaluate(() => {
      const canvas = document.querySelector('canvas')!;
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      const colors = new Set<number>();
      for (let i = 0; i < data.length; i += 4) colors.add((data[i]! << 16) | (data[i + 1]! << 8) | data[i + 2]!);
      return colors.size;
    });

  it('shows principal components, then the requested model, with the latents of any other host', async () => {
    const { page, problems, close } = await opened(`
      import { map } from './map.js';
      const element = document.getElementById('map');
      const rows = ${JSON.stringify(rows)};
      const first = await map(element, rows);
      globalThis.pca = first.fit.latents.toArrays();
      globalThis.canvases = document.querySelectorAll('canvas').length;
      first.release();
      globalThis.left = element.childElementCount;
      const { fit } = await map(element, rows, { model: 'gplvm', maxIterations: 5, labels: ${JSON.stringify([...labels])}, columns: ${JSON.stringify(columnNames)} });
      globalThis.gplvm = fit.latents.toArrays();
    `);
    const found = (await (
      await page.waitForFunction('globalThis.gplvm && globalThis', null, { timeout: 60_000 })
    ).evaluate((all) => {
      const { pca, gplvm, canvases, left } = all as unknown as Record<string, unknown>;
      return { pca, gplvm, canvases, left };
    })) as Record<string, unknown>;
    expect(found.canvases).toBe(1);
    expect(found.left).toBe(0);
    expect(found.pca).toEqual((await fit(pca(rows, { latentDim: 2 }))).latents.toArrays());
    expect(found.gplvm).toEqual((await fit(gplvm(rows, { latentDim: 2 }), { maxIterations: 5 })).latents.toArrays());
    expect(await inked(page)).toBeGreaterThan(20);
    expect(problems).toEqual([]);
    await close();
  });

  it('shows why there is no map where it would be, until there is one', async () => {
    const { page, close } = await opened(`
      import { map } from './map.js';
      const element = document.getElementById('map');
      const rows = ${JSON.stringify(rows)};
      const failing = (given, options) => map(element, given, options).then(() => 'drawn', (error) => [error.name, error.message, element.childElementCount, element.innerText]);
      globalThis.found = [await failing(rows, { model: 'gpvlm' }), await failing([[1, 2], [3]]), await failing(undefined)];
      await map(element, rows);
      globalThis.left = element.querySelectorAll('[role=alert]').length;
    `);
    await page.waitForFunction('globalThis.left !== undefined');
    const [model, ragged, nothing] = (await page.evaluate('globalThis.found')) as string[][];
    for (const [name, message, count, text] of [model!, ragged!, nothing!]) {
      expect([name, count, text]).toEqual(['InvalidInputError', 1, `No map: ${message}`]);
    }
    expect(model![1]).toContain("There is no model 'gpvlm'");
    expect(await page.evaluate('globalThis.left')).toBe(0);
    await close();
  });

  it('draws a fit of the library, an opened one, and latents alone, and reports invalid rows', async () => {
    const fitted = await fit(gplvm(rows, { latentDim: 2 }), { maxIterations: 20, seed: 1 });
    const { page, problems, close } = await opened(`
      import { drawMap } from './draw-map.js';
      import { loadFit } from './latentfield.js';
      const element = document.getElementById('map');
      const rows = ${JSON.stringify(rows)};
      const words = () => element.querySelector('[role=status]').textContent;
      const opened = await loadFit(${JSON.stringify(fitted.toJSON())});
      const first = await drawMap(element, opened, { rows, columns: ${JSON.stringify(columnNames)} });
      globalThis.legend = element.innerText;
      element.querySelector('canvas').focus();
      element.querySelector('canvas').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp' }));
      globalThis.decoded = words();
      first.release();
      const second = await drawMap(element, { latents: opened.latents.toArrays() }, { rows });
      globalThis.alone = words();
      second.release();
      globalThis.wrong = await drawMap(element, opened, { rows: [[1], [2, 3]] }).then(() => 'drawn', (error) => error.name);
      globalThis.isReady = [element.childElementCount, element.innerText];
    `);
    await page.waitForFunction('globalThis.isReady', null, { timeout: 60_000 });
    const got = async <T>(name: string) => (await page.evaluate(`globalThis.${name}`)) as T;
    const numbers = /Expected at \((\S+), (\S+)\), ± 2 standard deviations: \S+ (\S+) ± ([\d.e−]+)/
      .exec(await got<string>('decoded'))!
      .slice(1)
      .map((text) => Number(text.replaceAll('−', '-')));
    const { mean, variance } = fitted.predict([numbers.slice(0, 2)], { noise: true });
    const interval = 2 * Math.sqrt(variance.at(0, 0));
    expect(Math.abs(numbers[2]! - mean.at(0, 0)) / interval).toBeLessThan(0.01);
    expect(numbers[3]! / interval).toBeCloseTo(1, 2);
    expect(await got('legend')).toMatch(/uncertainty \d+ %\s*\d+ % of the spread of each column/);
    expect(await got('alone')).toContain('Point at a row to read it.');
    expect(await got('wrong')).toBe('InvalidInputError');
    expect((await got<[number, string]>('isReady'))[0]).toBe(1);
    expect(problems).toEqual([]);
    await close();
  });

  it('has a legend, scales, and the row at a dragged position with two standard deviations, by pointer and by keys', async () => {
    const { page, problems, close } = await opened(`
      import { map } from './map.js';
      const element = document.getElementById('map');
      const rows = ${JSON.stringify(rows)};
      const made = await map(element, rows, { model: 'gplvm', maxIterations: 20, seed: 1, labels: ${JSON.stringify([...labels].map((label) => `regime ${label + 1}`))}, columns: ${JSON.stringify(columnNames)} });
      globalThis.expectedAt = (x, y) => {
        const { mean, variance } = made.fit.predict([[x, y]], { noise: true });
        return [mean.at(0, 0), 2 * Math.sqrt(variance.at(0, 0))];
      };
      globalThis.isReady = true;
    `);
    await page.waitForFunction('globalThis.isReady', null, { timeout: 60_000 });
    const text = () => page.locator('#map').innerText();
    const counts = [0, 1, 2].map((regime) => [...labels].filter((label) => label === regime).length);
    for (const [k, count] of counts.entries()) expect(await text()).toContain(`regime ${k + 1} (${count})`);
    // Ends of the scale of the background, in the units of the predictions.
    const [, low, high] = /uncertainty (\d+) %\s*(\d+) % of the spread of each column/.exec(await text())!;
    expect(Number(low)).toBeGreaterThan(0);
    expect(Number(high)).toBeGreaterThan(Number(low));
    const status = page.locator('#map [role=status]');
    await expect.poll(() => status.innerText()).toContain('Drag over the map to decode a row.');
    const number = '(−?[\\d.]+(?:e−?\\d+)?)';
    const pattern = new RegExp(
      `Expected at \\(${number}, ${number}\\), ± 2 standard deviations: ${columnNames[0]} ${number} ± ${number}`,
    );
    /** The numbers of the sentence are those of the fit at its position, which has four digits. */
    const read = async () => {
      await expect.poll(() => status.innerText()).toMatch(pattern);
      const [x, y, mean, interval] = pattern
        .exec(await status.innerText())!
        .slice(1)
        .map((text) => Number(text.replaceAll('−', '-')));
      const [expected, deviations] = (await page.evaluate(`globalThis.expectedAt(${x}, ${y})`)) as [number, number];
      expect(Math.abs(mean! - expected) / deviations).toBeLessThan(0.01);
      expect(interval! / deviations).toBeCloseTo(1, 2);
      return [x!, y!];
    };
    const box = (await page.locator('canvas').boundingBox())!;
    await page.mouse.move(box.x + 0.9 * box.width, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.8 * box.width, box.y + 60, { steps: 4 });
    await page.mouse.up();
    const dragged = await read();
    // The keys start at the cross; from the middle of the visible part after Escape.
    await page.keyboard.press('Escape');
    await expect.poll(() => status.innerText()).toContain('Drag over the map');
    await page.locator('canvas').focus();
    await page.keyboard.press('ArrowRight');
    const [right, height] = await read();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(async () => (await read())[0]).toBeLessThan(right!);
    await page.keyboard.press('ArrowUp');
    await expect.poll(async () => (await read())[1]).toBeGreaterThan(height!);
    expect(dragged[0]).toBeGreaterThan(right!);
    expect(problems).toEqual([]);
    await close();
  });

  it('leaves the wheel to the page until it is clicked, and again after Escape', async () => {
    const { page, close } = await opened(`
      import { map } from './map.js';
      document.body.style.height = '3000px';
      await map(document.getElementById('map'), ${JSON.stringify(rows)});
      globalThis.isReady = true;
    `);
    await page.waitForFunction('globalThis.isReady');
    const box = (await page.locator('canvas').boundingBox())!;
    const turned = async () => {
      await page.evaluate(() => scrollTo(0, 0));
      await page.mouse.wheel(0, 200);
      await page.waitForTimeout(300);
      return page.evaluate(() => scrollY);
    };
    await page.mouse.move(box.x + 5 + box.width / 2, box.y + 8);
    expect(await turned()).toBeGreaterThan(100);
    await page.evaluate(() => scrollTo(0, 0));
    await page.mouse.click(box.x + 5 + box.width / 2, box.y + 8);
    expect(await turned()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await turned()).toBeGreaterThan(100);
    await close();
  });

  it('colors more than ten different numbers on a scale with its ends', async () => {
    const { page, close } = await opened(`
      import { map } from './map.js';
      const rows = ${JSON.stringify(rows)};
      await map(document.getElementById('map'), rows, { labels: rows.map((row) => row[0]) });
      globalThis.isReady = true;
    `);
    await page.waitForFunction('globalThis.isReady');
    const first = rows.map(([value]) => value!);
    const written = (value: number) => String(Number(value.toPrecision(4))).replace('-', '−');
    const text = await page.locator('#map').innerText();
    expect(text).toMatch(new RegExp(`${written(Math.min(...first))}\\s*${written(Math.max(...first))}`));
    expect(text).not.toContain('(1)');
    await close();
  });

  it('is an anywidget: it reads its host, sets what it has found, follows changes, and goes without a trace', async () => {
    const { page, problems, close } = await opened(`
      import widget from './widget.js';
      const values = new Map(Object.entries({ rows: ${JSON.stringify(rows)}, model: 'pca', labels: null, columns: null, options: null, seed: null }));
      const listeners = new Map();
      const sent = [];
      let pending = {};
      const model = {
        get: (name) => values.get(name),
        set: (name, value) => { values.set(name, value); pending[name] = value; },
        save_changes: () => { sent.push(pending); pending = {}; },
        on: (event, listener) => listeners.set(event, [...(listeners.get(event) ?? []), listener]),
        off: (event, listener) => listeners.set(event, (listeners.get(event) ?? []).filter((other) => other !== listener)),
      };
      const el = document.getElementById('map');
      const change = (name, value) => { values.set(name, value); for (const listener of listeners.get('change:' + name) ?? []) listener(); };
      const until = async (count) => { while (sent.length < count) await new Promise((done) => setTimeout(done, 10)); };
      const clean = widget.render({ model, el });
      await until(1);
      change('rows', ${JSON.stringify(rows.slice(0, 30))});
      await until(2);
      const canvases = el.querySelectorAll('canvas').length;
      change('model', 'nothing');
      await until(3);
      change('model', 'isomap');
      await until(4);
      clean();
      globalThis.found = { sent, canvases, left: el.childElementCount, listening: [...listeners.values()].flat().length };
    `);
    const found = (await (await page.waitForFunction('globalThis.found', null, { timeout: 60_000 })).jsonValue()) as {
      sent: { latents?: number[][]; message?: string; error: string }[];
      canvases: number;
      left: number;
      listening: number;
    };
    expect(found.sent[0]!.latents).toEqual((await fit(pca(rows, { latentDim: 2 }))).latents.toArrays());
    expect(found.sent[0]!.error).toBe('');
    expect(found.sent[1]!.latents).toEqual((await fit(pca(rows.slice(0, 30), { latentDim: 2 }))).latents.toArrays());
    expect(found.sent[2]!.error).toContain("There is no model 'nothing'");
    expect(found.sent[3]!.latents).toHaveLength(30);
    expect({ ...found, sent: undefined }).toEqual({ canvases: 1, left: 0, listening: 0, sent: undefined });
    expect(problems).toEqual([]);
    await close();
  });
});
