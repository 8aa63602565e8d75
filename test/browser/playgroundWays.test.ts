// @module-tag long
import { comparedRows, fit, gplvm, localScores, pca, usualNeighbors } from 'latentfield';
import { twoMoons } from 'latentfield/data';
import { parseTable } from 'latentfield/io';
import { expect, it } from 'vitest';
import {
  button,
  CSV,
  canvas,
  choose,
  describePlayground,
  file,
  fitted,
  iterations,
  link,
  map,
  open,
  ownTable,
  page,
  panel,
  press,
  saved,
  served,
  settled,
} from './playgroundPage.ts';

describePlayground('ways on', () => {
  it('leaves wheel and swipes to the page around it until the map is clicked, and decodes where one moves', async () => {
    const settings = { set: 'twoMoons', model: 'gplvm', maxIterations: 5, run: true, compact: true };
    await open({}, link(settings), false);
    await page.getByText('Move to decode').waitFor();
    await page.locator('.scale').waitFor();
    const before = await settled();
    const touchAction = () => page.locator('.map canvas').evaluate((element) => getComputedStyle(element).touchAction);
    const { x, y, width, height } = (await map().boundingBox())!;
    await page.mouse.move(x + 0.5 * width, y + 6);
    await page.mouse.wheel(0, -300);
    await page.mouse.move(x - 5, y - 5);
    expect(await touchAction()).toBe('pan-y');

    // What is expected under the pointer is what Node expects there.
    await page.mouse.move(x + 0.42 * width, y + 0.5 * height);
    await page.mouse.move(x + 0.4 * width, y + 0.5 * height);
    await panel().getByText('Expected here').waitFor();
    const { observations } = twoMoons({ points: 200, seed: 1 });
    const result = await fit(gplvm(observations, { latentDim: 2 }), { maxIterations: 5, seed: 0, engine: 'wasm' });
    const numbers = (text: string) => (text.replaceAll('−', '-').match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
    await expect
      .poll(async () => {
        const place = numbers(
          await panel()
            .getByText(/^At latent 1/)
            .innerText(),
        );
        const { mean } = result.predict([[place[1]!, place[3]!]]);
        const shown = await panel().locator('tbody tr').allInnerTexts();
        return Math.max(...shown.map((text, j) => Math.abs(numbers(text)[0]! - mean.at(0, j))));
      })
      .toBeLessThan(0.02);

    await page.mouse.click(x + 0.4 * width, y + 0.5 * height);
    expect(await touchAction()).toBe('none');
    const pinned = await panel()
      .getByText(/^At latent 1/)
      .innerText();
    await page.mouse.move(x + 0.6 * width, y + 0.3 * height);
    expect(
      await panel()
        .getByText(/^At latent 1/)
        .innerText(),
    ).toBe(pinned);
    const clicked = await settled();
    await page.mouse.wheel(0, -300);
    await expect.poll(canvas).not.toBe(clicked);
    expect(before).not.toBe('');
  });

  it('has a button that opens a table, counts what is searched, and says where nothing matches', async () => {
    await open();
    await press('Open a table');
    await page.getByRole('heading', { name: 'Drop a table here' }).waitFor();
    await choose('any', file('own.csv', CSV));
    await press('Fit now');
    await page.waitForSelector('[data-status=done]');
    const search = page.getByRole('searchbox');
    const matches = page.locator('.matches');
    await search.fill('first > 0.5');
    const count = CSV.split('\n').filter((line) => Number(line.split(',')[0]) > 0.5).length;
    await expect.poll(() => matches.innerText()).toBe(`${count} of 40 rows`);
    await search.fill('');
    const all = await settled();
    await search.fill('zzzz');
    await expect.poll(() => matches.innerText()).toMatch(/^No row matches 'zzzz'/);
    // The map does not fade.
    await expect.poll(settled).toBe(all);
  });

  it('copies links, which bring their table, and asks for a table that a link does not hold', async () => {
    await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await ownTable();
    await iterations(12);
    await press('Share');
    await press('Link to these settings');
    await page.getByText('The link is copied. It holds the settings and the table.').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(page.url());
    await page.context().close();
    await open({}, copied.slice(served.url.length), false);
    await page.getByText('40 rows × 3 columns').waitFor();
    await expect.poll(() => page.getByLabel('Iterations at most').inputValue()).toBe('12');
    await page.context().close();

    await open({}, link({ set: 'own', model: 'ppca', maxIterations: 7 }), false);
    await page.getByText('This link holds settings of ppca for a table that is not in it. Open that table.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await choose('any', file('own.csv', CSV));
    await page.getByText('Model: ppca').waitFor();
    await expect.poll(() => button('Fit now').count()).toBe(1);
  });

  it('keeps the table, its settings and so the fit over a reload', async () => {
    await open();
    await ownTable();
    await iterations(9);
    await fitted();
    const { objective } = JSON.parse(await saved('fit.json'));
    await page.reload();
    await page.locator('.subject').getByText('own.csv').waitFor();
    await page.waitForSelector('[data-status=done]');
    expect(JSON.parse(await saved('fit.json')).objective).toBe(objective);
  });

  it('scores, and compares with PCA, rows whose missing cells the model fills in', async () => {
    const lines = CSV.split('\n');
    const holes = lines.map((line, i) => (i > 0 && i % 7 === 0 ? line.replace(/^[^,]*/, '') : line)).join('\n');
    const { observations } = await parseTable(new TextEncoder().encode(holes), 'holes.csv', {
      labels: 'kind',
      allowMissing: true,
    });
    const result = await fit(gplvm(observations, { latentDim: 2, missing: 'ignore' }), {
      ...{ maxIterations: 30, seed: 0, engine: 'wasm' },
    });
    const rows = await comparedRows(result);
    const neighbors = usualNeighbors(40);
    const trust = localScores(rows, result.latents, { neighbors }).overall.trustworthiness;
    const linear = localScores(rows, (await fit(pca(rows, { latentDim: 2 }))).latents, { neighbors });
    await open();
    await ownTable(holes);
    await iterations(30);
    await fitted();
    await panel()
      .getByText(`Trustworthiness ${trust.toFixed(3)} of 1.`)
      .waitFor();
    const name = `PCA trustworthiness ${linear.overall.trustworthiness.toFixed(3)}`;
    await page.getByRole('button', { name }).waitFor();
  });

  it('shows images whose constant pixels were left out', async () => {
    const pixels = Array.from({ length: 16 }, (_, k) => `pixel${k}`);
    const row = (i: number) =>
      pixels.map((_, k) => ([5, 6, 9, 10].includes(k) ? Math.round(9 * (1 + Math.sin(i / 5 + k))) : 0));
    await open({}, '#new', false);
    const table = [['label', ...pixels], ...Array.from({ length: 30 }, (_, i) => [i % 2, ...row(i)])];
    await choose('any', file('digits.csv', table.map((cells) => cells.join()).join('\n')));
    await press('Fit now');
    await page.waitForSelector('[data-status=done]');
    const mean = panel().getByRole('button', { name: 'Mean of 1' }).locator('canvas');
    await expect
      .poll(() => mean.evaluate((element: HTMLCanvasElement) => [element.width, element.height]))
      .toEqual([4, 4]);
  });

  it('hears its keys wherever the focus is, and moves the focus with what they open', async () => {
    await open();
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    const opener = button('Data and model');
    await opener.focus();
    await page.keyboard.press('m');
    const close = button('Close data and model');
    await expect.poll(() => close.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Escape');
    expect(await opener.getAttribute('aria-expanded')).toBe('false');
    await expect.poll(() => opener.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('n');
    await panel().getByRole('heading', { name: 'row 1, ' }).waitFor();
    await page.keyboard.press('n');
    await panel().getByRole('heading', { name: 'row 2, ' }).waitFor();
    await page.keyboard.press('p');
    await panel().getByRole('heading', { name: 'row 1, ' }).waitFor();
    await page.keyboard.press('/');
    // Letters in a field are the field's.
    await page.keyboard.type('mn?');
    expect(await page.getByRole('searchbox').inputValue()).toBe('mn?');
    expect(await opener.getAttribute('aria-expanded')).toBe('false');
  });
});
