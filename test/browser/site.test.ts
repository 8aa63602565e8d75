// @module-tag long
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { gplvm, knnGraph, Matrix, rbf } from '../../src/index.ts';
import { builtInKernels, parseKernel } from '../../src/kernels/index.ts';
import { programsOf } from '../../web/site/runnable.mjs';
import { NEEDS_CHROMIUM, startChromium } from '../app/plot/chromium.ts';
import { servedFolder } from './servedFolder.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const root = fileURLToPath(new URL('../..', import.meta.url));
const site = join(root, 'web/dist');
const isBuilt = existsSync(join(site, 'first-map.html'));
const why = isBuilt ? '' : ' (the site is not built: npm run site)';

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What a page refers to, and the places in it that can be referred to. */
function linksOf(file: string): { targets: string[]; anchors: Set<string> } {
  const html = readFileSync(file, 'utf8');
  const all = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, value]) => value!.replaceAll('&amp;', '&'));
  return {
    targets: all(/\s(?:href|src)="([^"]*)"/g).filter((target) => target !== '' && !/^(data|mailto):/.test(target)),
    anchors: new Set(all(/\sid="([^"]*)"/g)),
  };
}

describe.skipIf(why !== '')(`the site${why}`, () => {
  const pages = isBuilt
    ? readdirSync(site, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.html'))
        .map((name) => join(site, name))
    : [];
  const links = new Map(pages.map((file) => [file, linksOf(file)]));
  const html = (name: string) => `${name}.html`;
  const fromElsewhere = /^(?:[a-z]+:)?\/\//;

  it('has the documents, the reference and the playground', () => {
    expect(pages.length).toBeGreaterThan(500);
    const names = new Set(pages.map((file) => relative(site, file)));
    for (const name of [
      'index.html',
      'playground/index.html',
      'playground/kernels.html',
      ...['first-map', 'which-model', 'first-model', 'custom-components', 'new-rows', 'fitting'].map(html),
      ...['concepts', 'models', 'tables-and-commands', 'commands', 'pages-and-notebooks', 'coming-from'].map(html),
      ...['troubleshooting', 'every-error-sentence', 'gallery'].map(html),
      ...['articles/gplvm', 'articles/maximum-entropy', 'articles/trust'].map(html),
      ...['project/benchmarks', 'project/reliability', 'project/fields', 'project/notation'].map(html),
      'reference/latentfield/functions/gplvm.html',
    ]) {
      expect(names).toContain(name);
    }
  });

  it('is served by the command that its build prints', async () => {
    const [, line] = /`npx ([^`]+)`/.exec(readFileSync(join(root, 'scripts/buildSite.mjs'), 'utf8'))!;
    const server = spawn('npx', [...line!.split(' '), '--port', '0'], { cwd: root, detached: true });
    try {
      const address = await new Promise<string>((resolve, reject) => {
        let told = '';
        server.stdout.on('data', (text) => {
          told += text;
          const found = /http:\S+:\d+\//.exec(stripVTControlCharacters(told));
          if (found !== null) resolve(found[0]);
        });
        server.on('exit', () => reject(new Error(told)));
      });
      for (const path of ['', 'playground/', 'first-map.html']) {
        const { status, headers } = await fetch(address + path);
        expect([path, status, headers.get('content-type')]).toEqual([path, 200, expect.stringContaining('text/html')]);
        expect(await (await fetch(address + path)).text()).toBe(
          readFileSync(join(site, path.endsWith('.html') ? path : `${path}index.html`), 'utf8'),
        );
      }
    } finally {
      process.kill(-server.pid!);
    }
  });

  it('lists the error messages of the library, and every status', () => {
    const text = (name: string) =>
      readFileSync(join(site, html(name)), 'utf8')
        .replaceAll('</li>', '\n')
        .replace(/<[^>]*>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&');
    const sentences = text('every-error-sentence');
    const calls: (() => unknown)[] = [
      () => gplvm([[1, 2]], { latentDim: 5 } as never),
      () => parseKernel('rbf +'),
      () => Matrix.from([[1], [2, 3]]),
      () => rbf({ lengthscale: -1 }),
      () => knnGraph([[0], [1], [2]], 7),
    ];
    for (const call of calls) {
      let said = '';
      try {
        call();
      } catch (error) {
        said = (error as Error).message;
      }
      expect(said).not.toBe('');
      // The sentence with what was put in left out: one line of the page has its other words in their order.
      const isListed = sentences.split('\n').some((line) => {
        const parts = line
          .replace(/ \(\w+Error\)\s*$/, '')
          .trim()
          .split('…')
          .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
        return parts.join('').length > 20 && new RegExp(`^${parts.join('.*')}$`, 's').test(said);
      });
      expect({ said, isListed }).toEqual({ said, isListed: true });
    }
    for (const status of ['converged', 'maxIterations', 'stopped', 'degenerate', 'failed']) {
      expect(text('troubleshooting')).toContain(status);
    }
  });

  it('links only to pages that exist', () => {
    const broken: string[] = [];
    for (const [file, { targets }] of links) {
      for (const target of targets) {
        if (fromElsewhere.test(target)) continue;
        const [path, anchor] = decodeURI(target).split('#') as [string, string?];
        const at = path === '' ? file : resolve(dirname(file), path.split('?')[0]!);
        const there = links.get(at)?.anchors;
        // Behind # are the text of a kernel on the page of kernels, and the words for an empty playground.
        const isKernel =
          at === join(site, 'playground/kernels.html') && anchor !== undefined && anchor in builtInKernels;
        const isEmpty = at === join(site, 'playground/index.html') && anchor === 'new';
        // A table beside the playground.
        const table = /^table=([\w-]+\.csv)$/.exec(anchor ?? '')?.[1];
        const isTable = table !== undefined && existsSync(join(dirname(at), 'tables', table));
        const isSettings = isKernel || isEmpty || isTable || anchor?.startsWith('{') === true;
        const isThere = existsSync(at) && (!anchor || isSettings || there === undefined || there.has(anchor));
        if (target.startsWith('/') || !isThere) broken.push(`${relative(site, file)}: ${target}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it('points reading programs to existing pages', () => {
    const text = readFileSync(join(site, 'llms.txt'), 'utf8');
    const listed = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm)].map(([, target]) => target!);
    expect(listed.length).toBeGreaterThan(30);
    expect(listed.filter((target) => !existsSync(join(site, target)))).toEqual([]);
  });

  it('has a picture for previews of links, of the size of such', () => {
    const png = readFileSync(join(site, 'preview.png'));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(png.readUInt32BE(16)).toBe(1200);
    expect(png.readUInt32BE(20)).toBeGreaterThan(600);
  });

  it('loads nothing from elsewhere', () => {
    const loaded = pages.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/<(?:script|link|img|iframe)\b[^>]*\s(?:src|href)="([^"]*)"/g)]
        .filter(([, target]) => fromElsewhere.test(target!))
        .map(([tag]) => `${relative(site, file)}: ${tag}`),
    );
    expect(loaded).toEqual([]);
  });
});

const whyNot = why || NEEDS_CHROMIUM;
describe.skipIf(whyNot !== '')(`the site in a browser${whyNot}`, () => {
  let browser: Browser | undefined;
  afterAll(() => browser?.close());

  const documents = isBuilt
    ? readdirSync(site, { recursive: true, encoding: 'utf8' }).filter(
        (name) => name.endsWith('.html') && !/^(?:reference|playground)\/|^404/.test(name),
      )
    : [];

  it('has no document wider than a phone', async () => {
    const served = await servedFolder(site);
    browser ??= await startChromium();
    const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
    const wide: string[] = [];
    for (const file of documents) {
      await page.goto(`${served.url}${file}`, { waitUntil: 'domcontentloaded' });
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (over > 0) wide.push(`${file} by ${over} pixels`);
    }
    expect(wide).toEqual([]);
    expect(documents.length).toBeGreaterThan(60);
    await page.close();
    await served.close();
  });

  it('has pages that everybody can read and reach, in light and dark', async () => {
    const served = await servedFolder(site);
    browser ??= await startChromium();
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ colorScheme });
      const names = [
        'index',
        'gallery',
        'custom-components',
        'coming-from',
        'articles/trust',
        'reference/latentfield/functions/gplvm',
      ];
      for (const name of names) {
        await page.goto(`${served.url}${name}.html`);
        // The explorer in the frame of the landing page has tests of its own.
        await page.evaluate(() => document.querySelector('iframe')?.remove());
        await page.addScriptTag({ content: axe });
        // In dark colors only the colors differ.
        const rules = colorScheme === 'light' ? {} : { runOnly: ['color-contrast'] };
        const violations = await page.evaluate(async (chosen) => {
          const { violations } = await (
            globalThis as unknown as { axe: { run(rules: object): Promise<{ violations: Violation[] }> } }
          ).axe.run(chosen);
          return violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 120)}`);
        }, rules);
        found.push(...violations.map((violation) => `${name}, ${colorScheme}, ${violation}`));
      }
      await page.close();
    }
    expect(found).toEqual([]);
    await served.close();
  });

  it.each([
    [1440, 900],
    [390, 844],
  ])('has a home page whose parts stay where they are while its map loads, at %i × %i', async (width, height) => {
    const served = await servedFolder(site);
    browser ??= await startChromium();
    const page = await browser.newPage({ viewport: { width, height } });
    await page.addInitScript(() => {
      const records = Object.assign(globalThis, { shift: 0 });
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries() as unknown as { value: number }[]) records.shift += value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.goto(`${served.url}index.html`);
    await page.frameLocator('iframe').getByRole('application').waitFor();
    await page.waitForTimeout(1000);
    const shift = () => page.evaluate(() => (globalThis as unknown as { shift: number }).shift);
    // 'Good' of the Core Web Vitals.
    expect(await shift()).toBeLessThan(0.1);
    // A part that does move is counted.
    await page.evaluate(() =>
      document
        .querySelector('.landing')!
        .before(Object.assign(document.createElement('p'), { style: 'height: 300px' })),
    );
    await expect.poll(shift).toBeGreaterThan(0.1);
    await page.close();
    await served.close();
  });

  it('finds words of documents from any folder of a server, and opens examples with their settings', async () => {
    const served = await servedFolder(site, { below: '/any/folder/' });
    browser ??= await startChromium();
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    /** Opens a page, which is there before it listens to keys and clicks, and waits until it does. */
    const opened = async (name: string) => {
      await page.goto(`${served.url}${name}`);
      await page.waitForFunction(() => '__vue_app__' in document.querySelector('#app')!);
    };
    await opened('gallery.html');
    await page.keyboard.press('/');
    await page.locator('#localsearch-input').fill('error bars');
    await page.locator('.results a[href*="new-rows.html"]').first().click();
    await page.waitForURL(`${served.url}new-rows.html*`);
    await page.getByRole('heading', { name: 'New rows, missing cells and trust' }).waitFor();
    await page.goBack();
    await page.locator('.vp-doc h2 a[target=_self]', { hasText: 'Digits kept apart by their labels' }).click();
    await page.waitForFunction(() => document.querySelector<HTMLSelectElement>('[name=model]')?.value === 'gplrf');
    await expect.poll(() => page.locator('[name=set]').inputValue()).toBe('drawnDigits');
    // And back: what the page offers is explained on the site.
    await page.getByRole('button', { name: 'Data and model', exact: true }).click();
    await page.getByRole('link', { name: 'gplrf', exact: true }).click();
    await page.getByRole('heading', { name: /gplrf/ }).first().waitFor();
    // An example runs within the gallery, and a kernel has its sliders below its drawing.
    await opened('gallery.html');
    await page.getByRole('button', { name: 'Run it here' }).nth(2).click();
    const example = page.frameLocator('iframe');
    await example.getByRole('application', { name: 'Map of 300 rows, isomap' }).waitFor({ timeout: 60_000 });
    await opened('custom-components.html');
    await page.getByRole('button', { name: 'Sliders here' }).first().click();
    const sliders = page.frameLocator('iframe');
    await sliders.getByText('Covariance of x with').waitFor();
    await expect.poll(() => sliders.locator('[name=kernel]').inputValue()).toBe('rbf');
    expect({ problems, missing: served.missing }).toEqual({ problems: [], missing: [] });
    await served.close();
  });

  it('begins with a map as wide as the page, on which a cross goes around until one takes it, and leaves the wheel to the page', async () => {
    const served = await servedFolder(site);
    browser ??= await startChromium();
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    await page.goto(`${served.url}index.html`);
    const frame = page.frameLocator('iframe');
    const map = frame.getByRole('application', { name: /^Map of 150 rows, gplvm/ });
    await map.waitFor({ timeout: 60_000 });
    const box = (await page.locator('iframe').boundingBox())!;
    expect(box.width).toBeGreaterThan(1240);
    expect(box.y + 300).toBeLessThan(720);
    // The hint covers neither the scale nor a tool.
    const boxOf = async (selector: string) => (await frame.locator(selector).boundingBox())!;
    await frame.locator('.scale').waitFor();
    const [hint, scale, tools] = [await boxOf('.hint'), await boxOf('.scale'), await boxOf('.rail')];
    expect(hint.x).toBeGreaterThan(scale.x + scale.width);
    expect(tools.y + tools.height).toBeLessThan(scale.y);
    const place = () => frame.getByText(/^At latent 1 /).innerText();
    const first = await place();
    await expect.poll(place).not.toBe(first);
    // The wheel over the map moves the page.
    await page.mouse.move(box.x + 400, box.y + 250);
    const taken = await place();
    await page.mouse.wheel(0, 300);
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(100);
    await page.evaluate(() => scrollTo(0, 0));
    // One has taken it: it stays where the pointer is.
    await page.waitForTimeout(500);
    const held = await place();
    await page.waitForTimeout(500);
    expect(await place()).toBe(held);
    expect(taken).not.toBe('');
    await page.close();
    await served.close();
  });

  it('has one button for a table, which can be dropped on the page, and three real tables with their licenses', async () => {
    const served = await servedFolder(site);
    browser ??= await startChromium();
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${served.url}index.html`);
    const link = page.locator('.lead').getByRole('link');
    expect(await link.allInnerTexts()).toEqual(['Drop your table']);
    // Its outline remains where the system chooses the colors.
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await link.evaluate((element) => getComputedStyle(element).borderTopWidth)).toBe('1px');
    await page.emulateMedia({ forcedColors: 'none' });
    const tables = page.locator('.tables a');
    expect(await tables.count()).toBe(3);
    for (const text of await tables.allInnerTexts()) expect(text).toMatch(/CC BY 4\.0|CC0/);
    // They are the next thing below the map.
    const top = async (selector: string) => (await page.locator(selector).first().boundingBox())!.y;
    expect((await top('.tables')) - (await top('.below'))).toBeLessThan(150);
    await page.evaluate(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['a,b,kind\n1,2,x\n3,4,y\n5,7,x\n6,1,y\n'], 'mine.csv'));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    });
    await page.getByRole('heading', { name: 'mine.csv' }).waitFor();
    await page.getByText('4 rows × 2 columns').waitFor();
    await page.getByRole('button', { name: 'Fit now' }).waitFor();
    await page.goBack();
    for (const [name, rows] of [
      ['Penguins', '342 rows × 4 columns'],
      ['Wine', '178 rows × 13 columns'],
      ['Handwritten digits', '300 rows'],
    ] as const) {
      await tables.filter({ hasText: name }).click();
      await page.locator('.subject').getByText(rows).waitFor({ timeout: 60_000 });
      await page.goBack();
    }
    expect(served.missing).toEqual([]);
    await page.close();
    await served.close();
  });

  /** Blocks of a document with the output below each, as they are shown. */
  const shownBlocks = (name: string) =>
    [
      ...readFileSync(join(root, name), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$(?:\n\n```text\n([\s\S]*?)^```$)?/gm),
    ].map(([, code, output]) => ({ code: code!, output }));

  it('runs blocks of documents in the page, and prints what the document shows', async () => {
    const served = await servedFolder(site);
    browser ??= await startChromium();
    const page = await browser.newPage();
    const problems: string[] = [];
    let [compared, count] = [0, 0];
    // Node runs the blocks of all documents.
    for (const name of ['first-model', 'new-rows']) {
      await page.goto(`${served.url}${name}.html`);
      await page.waitForFunction(() => '__vue_app__' in document.querySelector('#app')!);
      const blocks = shownBlocks(`docs/${name}.md`);
      const runs = page.locator('.run-code');
      const programs = programsOf(blocks.map(({ code }) => code));
      expect(await runs.count()).toBe(programs.filter((program) => program !== undefined).length);
      const outputs = blocks.filter((_, k) => programs[k] !== undefined).map(({ output }) => output);
      for (const [k, output] of outputs.entries()) {
        count++;
        const run = runs.nth(k);
        await run.getByRole('button', { name: 'Run' }).click();
        await run.getByRole('button', { name: 'Run' }).waitFor({ timeout: 120_000 });
        const failed = await run.getByRole('alert').allInnerTexts();
        if (failed.length > 0) problems.push(`${name}, block ${k + 1}: ${failed.join()}`);
        if (output === undefined) continue;
        compared++;
        const printed = await run.locator('pre').innerText();
        if (printed.trimEnd() !== output.trimEnd())
          problems.push(`${name}, block ${k + 1}:\n${printed}\ninstead of\n${output}`);
      }
    }
    expect(problems).toEqual([]);
    expect(count).toBeGreaterThan(15);
    expect(compared).toBeGreaterThan(5);
    expect(served.missing).toEqual([]);
    await page.close();
    await served.close();
  });

  it('reports the error of a block, and stops it', async () => {
    const served = await servedFolder(site);
    browser ??= await startChromium();
    const page = await browser.newPage();
    await page.goto(`${served.url}first-model.html`);
    await page.waitForFunction(() => '__vue_app__' in document.querySelector('#app')!);
    const run = page.locator('.run-code').first();
    await page.route('**/run/run.js', (route) => route.abort());
    await run.getByRole('button', { name: 'Run' }).click();
    await run.getByRole('alert').waitFor();
    expect(await run.getByRole('alert').innerText()).toContain('The library could not be loaded.');
    await page.unroute('**/run/run.js');
    await run.getByRole('button', { name: 'Run' }).click();
    await run.getByRole('button', { name: 'Stop' }).click();
    expect(await run.getByRole('status').innerText()).toBe('Stopped.');
    await page.close();
    await served.close();
  });

  it('has figures in articles that run when one scrolls to them, colored by their true parameters', async () => {
    const served = await servedFolder(site);
    browser ??= await startChromium();
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${served.url}articles/trust.html`);
    await page.waitForFunction(() => '__vue_app__' in document.querySelector('#app')!);
    // At most the first is in view.
    expect(await page.locator('.live.figure').count()).toBe(7);
    expect(await page.locator('iframe').count()).toBeLessThan(2);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.locator('.live.figure').first().scrollIntoViewIfNeeded();
    const frame = page.frameLocator('iframe').first();
    await frame.getByRole('application', { name: /^Map of 300 rows, pca/ }).waitFor({ timeout: 60_000 });
    // The Swiss roll by the angle along it, from 3π/2 to 9π/2.
    const scale = frame.getByRole('img', { name: /^angle along the roll from 4\.\d+ to 14(?:\.\d+)?$/ });
    await scale.waitFor();
    // Nothing moves when a figure begins.
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(height);
    await page.goto(`${served.url}articles/gplvm.html`);
    await page.waitForFunction(() => '__vue_app__' in document.querySelector('#app')!);
    await page.locator('.live.figure').nth(2).scrollIntoViewIfNeeded();
    const bar = page.frameLocator('iframe[title^="The turning bar"]');
    await bar.getByRole('img', { name: 'angle from 0 to 170' }).waitFor({ timeout: 60_000 });
    await page.close();
    await served.close();
  });

  it('lists the reference by import path, with the names of each', async () => {
    const served = await servedFolder(site);
    browser ??= await startChromium();
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${served.url}reference/latentfield/variables/rbf.html`);
    const sidebar = page.locator('.VPSidebar');
    for (const path of ['latentfield', 'latentfield/kernels', 'latentfield/io', 'latentfield/testing'])
      expect(await sidebar.getByRole('link', { name: path, exact: true }).count()).toBe(1);
    const names = page.getByRole('region', { name: 'Names of latentfield' });
    await names.getByRole('link', { name: 'matern32', exact: true }).waitFor();
    expect(await names.locator('[aria-current=page]').allInnerTexts()).toEqual(['rbf']);
    expect(await page.locator('.vp-doc code').first().innerText()).toBe("import { rbf } from 'latentfield'");
    await names.getByRole('link', { name: 'matern32', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: /matern32/ }).waitFor();
    await page.close();
    await served.close();
  });

  it('prints documents without navigation, and has formulas within a phone', async () => {
    const served = await servedFolder(site);
    browser ??= await startChromium();
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    await page.goto(`${served.url}articles/trust.html`);
    // A formula is as wide as the text, or scrolls alone.
    const formulas = await page.locator('.katex-display').evaluateAll((all) =>
      all.map((formula) => ({
        right: formula.getBoundingClientRect().right,
        isWhole: formula.scrollWidth <= formula.clientWidth || getComputedStyle(formula).overflowX === 'auto',
      })),
    );
    expect(formulas.length).toBeGreaterThan(0);
    for (const { right, isWhole } of formulas) expect([right <= 390, isWhole]).toEqual([true, true]);
    await page.emulateMedia({ media: 'print' });
    for (const name of ['.VPNav', '.VPSidebar', '.VPLocalNav', '.VPDocFooter', '.live-button'])
      for (const each of await page.locator(name).all()) expect([name, await each.isVisible()]).toEqual([name, false]);
    expect(await page.locator('.vp-doc h1').isVisible()).toBe(true);
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toMatch(/^data:image\/svg\+xml,.*circle/);
    await page.close();
    await served.close();
  });
});
