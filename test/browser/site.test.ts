import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { builtInKernels, gplvm, knnGraph, Matrix, parseKernel, rbf } from '../../src/index.ts';
import { NEEDS_CHROMIUM, startChromium } from '../plot/chromium.ts';
import { servedFolder } from './servedFolder.ts';

const site = fileURLToPath(new URL('../../web/dist', import.meta.url));
const isBuilt = existsSync(join(site, 'documents'));
const why = isBuilt ? '' : ' (the site is not built: npm run site)';

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
  const fromElsewhere = /^(?:[a-z]+:)?\/\//;

  it('has the documents, the reference and the playground', () => {
    expect(pages.length).toBeGreaterThan(500);
    const names = new Set(pages.map((file) => relative(site, file)));
    for (const name of [
      'index.html',
      'playground/index.html',
      'playground/kernels.html',
      ...['First_picture', 'Which_model', 'Your_own_model', 'Kernels', 'New_points,_missing_data', 'Inference'].map(
        (page) => `documents/${page}.html`,
      ),
      ...['Numbers_and_traps', 'Benchmarks', 'Troubleshooting', 'Every_error_sentence', 'Notation', 'Gallery'].map(
        (page) => `documents/${page}.html`,
      ),
      'documents/Fields_over_points,_and_the_spectral_embeddings_that_they_explain.html',
      'documents/From_scikit-learn,_GPy_and_DruidJS.html',
      'functions/index.gplvm.html',
    ]) {
      expect(names).toContain(name);
    }
  });

  it('lists what the library says when it throws, and every status', () => {
    const text = (name: string) =>
      readFileSync(join(site, 'documents', `${name}.html`), 'utf8')
        .replace(/<[^>]*>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&');
    const sentences = text('Every_error_sentence');
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
      expect(text('Troubleshooting')).toContain(status);
    }
  });

  it('links to nothing that is not there', () => {
    const broken: string[] = [];
    for (const [file, { targets }] of links) {
      for (const target of targets) {
        if (fromElsewhere.test(target)) continue;
        const [path, anchor] = decodeURI(target).split('#') as [string, string?];
        const at = path === '' ? file : resolve(dirname(file), path.split('?')[0]!);
        const there = links.get(at)?.anchors;
        // What stands behind # on the page of kernels is a kernel's text.
        const isKernel =
          at === join(site, 'playground/kernels.html') && anchor !== undefined && anchor in builtInKernels;
        const isThere =
          existsSync(at) && (!anchor || anchor.startsWith('{') || isKernel || there === undefined || there.has(anchor));
        if (target.startsWith('/') || !isThere) broken.push(`${relative(site, file)}: ${target}`);
      }
    }
    expect(broken).toEqual([]);
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

  it('has no document wider than a phone', async () => {
    const served = await servedFolder(site);
    browser ??= await startChromium();
    const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
    const documents = readdirSync(join(site, 'documents')).filter((file) => file.endsWith('.html'));
    const wide: string[] = [];
    for (const file of documents) {
      await page.goto(`${served.url}documents/${file}`);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (over > 0) wide.push(`${file} by ${over} pixels`);
    }
    expect(wide).toEqual([]);
    expect(documents.length).toBeGreaterThan(30);
    await page.close();
    await served.close();
  });

  it('finds words of documents from any folder of a server, and opens examples with their settings', async () => {
    const served = await servedFolder(site, { below: '/any/folder/' });
    browser ??= await startChromium();
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${served.url}documents/Gallery.html`);
    await page.keyboard.press('/');
    await page.locator('#tsd-search-input').fill('degeneracies');
    await page.locator('#tsd-search-results a').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Digits kept apart by their labels' }).first().click();
    await page.waitForFunction(() => document.querySelector<HTMLSelectElement>('[name=model]')?.value === 'gplrf');
    expect(await page.locator('[name=set]').inputValue()).toBe('drawnDigits');
    // An example runs within the gallery, and a kernel has its sliders below its drawing.
    await page.goto(`${served.url}documents/Gallery.html`);
    await page.getByRole('button', { name: 'Run it here' }).nth(2).click();
    const example = page.frameLocator('iframe');
    await example.getByRole('application', { name: 'Map of 300 rows, isomap' }).waitFor({ timeout: 60_000 });
    await page.goto(`${served.url}documents/Kernels.html`);
    await page.getByRole('button', { name: 'Sliders here' }).first().click();
    const sliders = page.frameLocator('iframe');
    await sliders.getByText('Covariance of x with').waitFor();
    expect(await sliders.locator('[name=kernel]').inputValue()).toBe('rbf');
    expect({ problems, missing: served.missing }).toEqual({ problems: [], missing: [] });
    await served.close();
  });
});
