import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { latentPlot, type PlotHtmlOptions, plotHtml } from '../../../src/app/plot/index.ts';
import { drawRulers } from '../../../src/app/plot/page/mapDrawing.ts';
import type { PageData } from '../../../src/app/plot/page/runPage.ts';
import { seededRandom } from '../../../src/index.ts';
import { insidePolygon } from '../../../src/scene/index.ts';
import { temporaryFolder } from '../io/folder.ts';
import { CHROMIUM, NEEDS_CHROMIUM, startChromium } from './chromium.ts';
import { areaOf } from './svg.ts';

const latents = [
  [0, 0],
  [10, 0],
  [10, 5],
  [0, 5],
  [5, 2.5],
];
const ids = ['first', 'second', '</script><b>third', 'fourth', 'fifth'];
const observations = [
  [1, 2],
  [3, 4],
  [5, 6],
  [7, Number.NaN],
  [9.876543, 10],
];
const options: PlotHtmlOptions = {
  latents,
  ids,
  observations,
  columnNames: ['height', 'weight'],
  labels: ['a', 'b', 'a', 'b', ''],
  equalScales: true,
  title: 'Points & <more>',
};

const dataOf = (html: string): PageData =>
  JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)![1]!);

describe('plotHtml', () => {
  it('contains the points, their rows to four digits, and text that cannot become markup', async () => {
    const html = await plotHtml(options);
    const data = dataOf(html);
    expect(data.latents).toEqual([
      [0, 10, 10, 0, 5],
      [0, 0, 5, 5, 2.5],
    ]);
    expect(data.ids).toEqual(ids);
    expect(data.rows).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
      [7, null],
      [9.877, 10],
    ]);
    expect(data.kinds.map(({ name }) => name)).toEqual(['a', 'b', '(none)']);
    expect(data.kindOf).toEqual([0, 1, 0, 1, 2]);
    expect(html.match(/<\/script>/g)).toHaveLength(2);
    expect(html).toContain('<title>Points &amp; &lt;more&gt;</title>');
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/https?:/);
    expect(html).not.toMatch(/\b(eval|Function)\(/);
    // What is the same for every page is small.
    expect((await plotHtml({ latents: [[0, 0]] })).length).toBeLessThan(40_000);
  });

  it('the legend shows the shapes that are drawn, of one area', async () => {
    const labels = Array.from({ length: 8 }, (_, k) => `kind ${k}`);
    const html = await plotHtml({ latents: labels.map((_, k) => [k, k]), labels });
    const { kinds } = dataOf(html);
    for (const { path } of kinds) expect(areaOf({ attributes: { d: path } }) / Math.PI).toBeCloseTo(1, 2);
    expect(new Set(kinds.map(({ path }) => path)).size).toBe(7);
    const shown = Array.from(html.matchAll(/<path d="([^"]*)" fill="([^"]*)"/g), ([, path, color]) => [path, color]);
    expect(shown).toEqual(kinds.map(({ path, color }) => [path, color]));
  });

  it('colors by numbers as pictures do', async () => {
    const color = [1, 2, 3, 4, Number.NaN];
    const data = dataOf(await plotHtml({ latents, color, legendTitle: 'age' }));
    expect(data.values).toEqual([1, 2, 3, 4, null]);
    const svg = await latentPlot({ latents, color });
    for (const color of data.colors) expect(svg).toContain(color);
    expect(data.scale!.range).toEqual([1, 4]);
  });

  it.each([
    ['ids', { latents, ids: ['a'] }, '5 latent points, but 1 ids'],
    ['latents', { latents: [[0, Infinity]] }, 'entry [0][1] is Infinity'],
    ['none', { latents: [] }, '1 to 200000 points, but latents of 0×0'],
    ['rows', { latents, observations: [[1]] }, '5 latent points, but 1 observations'],
    ['names', { latents, observations, columnNames: ['a'] }, '2 columns, but 1 names'],
    ['image', { latents, image: [2, 2] as const }, 'give these too'],
    [
      'size',
      { latents: [[0], [0]], observations: [new Float64Array(1e6 + 1), new Float64Array(1e6 + 1)] },
      '2×1000001',
    ],
  ])('explains invalid input: %s', async (_, wrong, expected) => {
    await expect(plotHtml(wrong)).rejects.toThrow(expected);
  });

  const number = (text: string) => Number(text.replace('−', '-'));

  it('has ticks at their numbers, at round numbers, for any zoom', () => {
    const drawn = (scale: number) => {
      const texts: { text: string; x: number; y: number }[] = [];
      const nothing = () => undefined;
      const context = {
        ...{ fillRect: nothing, beginPath: nothing, moveTo: nothing, lineTo: nothing, stroke: nothing },
        ...{ setTransform: nothing, rotate: nothing, measureText: (text: string) => ({ width: 7 * text.length }) },
      };
      const fillText = (text: string, x: number, y: number) => texts.push({ text, x, y });
      const pixels = { scaleX: scale, shiftX: 300, scaleY: -scale, shiftY: 200, width: 600, height: 400, ratio: 1 };
      const margins = { left: 54, right: 0, bottom: 26 };
      drawRulers({ ...context, fillText } as never, pixels, margins, ['x1', 'x2'], {} as never);
      return texts;
    };
    const below = drawn(40).filter(({ y, text }) => y > 374 && text !== 'x1');
    expect(below.map(({ text }) => text)).toEqual(['−4', '−2', '0', '2', '4', '6']);
    for (const { text, x } of below) expect(x).toBeCloseTo(300 + 40 * number(text), 9);
    const beside = drawn(40).filter(({ x, text }) => x < 54 && text !== 'x2');
    expect(beside.map(({ text }) => text)).toEqual(['−4', '−2', '0', '2', '4']);
    for (const { text, y } of beside) expect(y).toBeCloseTo(200 - 40 * number(text), 9);
    expect(drawn(0.04).some(({ text }) => text === '2000')).toBe(true);
    expect(drawn(4e5).some(({ text }) => text === '0.0002')).toBe(true);
    expect(drawn(40).map(({ text }) => text)).toEqual(expect.arrayContaining(['x1', 'x2']));
  });

  it('knows what lies inside of a line', () => {
    const corner = [0, 0, 4, 0, 4, 4, 2, 1, 0, 4];
    expect([insidePolygon(0.5, 1, corner), insidePolygon(2, 3, corner), insidePolygon(5, 1, corner)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe.skipIf(CHROMIUM === undefined)(`plotHtml in a browser${NEEDS_CHROMIUM}`, { tags: 'long' }, () => {
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];
  const requests: string[] = [];

  beforeAll(async () => {
    browser = await startChromium();
    const context = await browser.newContext({ viewport: { width: 900, height: 600 } });
    page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => problems.push(message.text()));
    page.on('request', (request) => requests.push(request.url()));
  });
  afterAll(() => browser?.close());

  /** Opens a page from the disk, and where a unit lies on it: points span 10 by 5 units in its middle. */
  async function opened(given: PlotHtmlOptions) {
    const { write } = temporaryFolder();
    const url = pathToFileURL(write('plot.html', await plotHtml(given))).href;
    await page.goto(url);
    const box = (await page.locator('#canvas').boundingBox())!;
    // Axes take 54 pixels on the left and 26 at the bottom; points keep 16 from where these end.
    const [wide, high] = [box.width - 54, box.height - 26];
    const unit = Math.min((wide - 32) / 10, (high - 32) / 5);
    const at = (x: number, y: number) =>
      [box.x + 54 + wide / 2 + unit * (x - 5), box.y + high / 2 - unit * (y - 2.5)] as const;
    return { at, url, unit, hint: page.locator('#hint') };
  }

  it('shows id, label and row of the point under the pointer, from a file, without network', async () => {
    requests.length = 0;
    const { at, url, hint } = await opened(options);
    expect(await hint.isHidden()).toBe(true);
    await page.mouse.move(...at(10, 5));
    expect(await hint.innerText()).toBe(
      '</script><b>third\nlabel: a\nlatents: x1 10.00, x2 5.000\nobserved:\nheight: 5\nweight: 6',
    );
    await page.mouse.move(...at(0, 5));
    expect(await hint.innerText()).toContain('weight: missing');
    await page.mouse.move(...at(2.5, 1.2));
    expect(await hint.isHidden()).toBe(true);
    expect(requests).toEqual([url]);
    expect(problems).toEqual([]);
  });

  it('zooms about the pointer, moves, and comes back', async () => {
    const { at, unit, hint } = await opened(options);
    await page.mouse.move(...at(5, 2.5));
    await page.mouse.wheel(0, -400);
    const factor = Math.exp(0.6);
    await expect.poll(() => hint.isHidden()).toBe(false);
    const [x, y] = at(5, 2.5);
    // What was a unit off is now 1.8 units off; beyond the edge there is nothing.
    await page.mouse.move(x + 1, y + 1);
    expect(await hint.innerText()).toContain('fifth');
    await page.mouse.down();
    await page.mouse.move(x + 1 - 5 * unit * factor, y + 1 + 2.5 * unit * factor, { steps: 3 });
    await page.mouse.up();
    await page.mouse.move(x + 2, y);
    expect(await hint.innerText()).toContain('third');
    await page.keyboard.press('0');
    await page.mouse.move(...at(10, 0));
    expect(await hint.innerText()).toContain('second');
  });

  it('copies the ids of points inside of a lasso', async () => {
    const { at } = await opened(options);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.keyboard.down('Shift');
    await page.mouse.move(...at(4, 6));
    await page.mouse.down();
    for (const [x, y] of [
      [12, 7],
      [12, -1],
      [9, -1],
      [6, 1.5],
      [4, 1],
    ] as const)
      await page.mouse.move(...at(x, y), { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    const chosen = ['second', '</script><b>third', 'fifth'].join('\n');
    await expect.poll(() => page.locator('#status').textContent()).toBe('3 points chosen, ids copied');
    expect(await page.locator('#chosen').inputValue()).toBe(chosen);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(chosen);
    // Hidden points are not chosen; the button does what Shift does.
    await page.getByRole('button', { name: 'b', exact: true }).click();
    await page.getByRole('button', { name: 'lasso' }).click();
    await page.mouse.move(...at(4, 6));
    await page.mouse.down();
    for (const [x, y] of [
      [12, 7],
      [12, -1],
      [4, -1],
    ] as const)
      await page.mouse.move(...at(x, y), { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => page.locator('#status').textContent()).toBe('2 points chosen, ids copied');
    expect(problems).toEqual([]);
  });

  it('shows the image of a row, and other dimensions', async () => {
    const { at, hint } = await opened({
      latents: latents.map(([a, b], i) => [a!, b!, i]),
      observations: latents.map((_, i) => [0, i, 2, 4]),
      image: [2, 2],
      equalScales: true,
    });
    await page.mouse.move(...at(10, 5));
    const pixels = await hint.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, 2, 2);
      return Array.from(data).filter((_, p) => p % 4 === 0);
    });
    expect(pixels).toEqual([0, 128, 128, 255]);
    await page.locator('#up').selectOption('2');
    await page.mouse.move(1, 1);
    expect(await hint.isHidden()).toBe(true);
    expect(problems).toEqual([]);
  });

  it('follows the pointer over 100 000 points within 30 ms', async () => {
    const random = seededRandom(1);
    const many = Array.from({ length: 100_000 }, () => [random.normal(), random.normal()]);
    const { write } = temporaryFolder();
    const labels = many.map(([a]) => (a! > 0 ? 'right' : 'left'));
    await page.goto(pathToFileURL(write('many.html', await plotHtml({ latents: many, labels }))).href);
    await page.locator('#canvas').hover({ position: { x: 400, y: 250 } });
    await expect.poll(() => page.locator('#hint').isHidden()).toBe(false);
    const took = await page.evaluate(async () => {
      const canvas = document.querySelector('#canvas')!;
      const { left, top } = canvas.getBoundingClientRect();
      const times: number[] = [];
      for (let k = 0; k < 21; k++) {
        await new Promise(requestAnimationFrame);
        const at = { clientX: left + 300 + 9 * k, clientY: top + 200 + 5 * k, bubbles: true };
        const began = performance.now();
        canvas.dispatchEvent(new PointerEvent('pointermove', at));
        // Drawn in the next frame, whose callbacks run in their order.
        await new Promise(requestAnimationFrame);
        const drawn = performance.now();
        times.push(drawn - began);
      }
      return times.sort((a, b) => a - b)[10]!;
    });
    expect(took).toBeLessThan(30);
    expect(problems).toEqual([]);
  });
});
