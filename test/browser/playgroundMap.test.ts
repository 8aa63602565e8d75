// @module-tag long
import { expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { fit, nearestNeighborError, pca, trustworthiness } from '../../src/index.ts';
import { doubtSentence, LEAST_TRUSTWORTHINESS } from '../../src/inference/index.ts';
import {
  changed,
  choose,
  describePlayground,
  downloaded,
  drag,
  drawer,
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
  rows,
  saved,
  settled,
} from './playgroundPage.ts';

describePlayground('the map', () => {
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
    // Three columns, until all are requested.
    expect(await table.getByRole('rowheader').count()).toBe(3);
    expect(await panel().locator('.pixels, .drawing').count()).toBe(0);
    await press('All 64 columns');
    await expect.poll(() => table.getByRole('rowheader').count()).toBe(64);
    expect(await table.getByRole('rowheader').first().innerText()).toBe('gene0');
    await expect.poll(() => table.getByRole('row').nth(1).innerText()).toMatch(/gene0\s+−?[\d.e−]+ ± [\d.]+/);
    // Images where they are asked for.
    await drawer();
    await page.selectOption('[name=view]', 'image 8');
    await fitted();
    await map().focus();
    await page.keyboard.press('n');
    await page.getByRole('img', { name: 'row 1, expected' }).waitFor();
    await expect.poll(() => page.getByLabel('Order of the values').inputValue()).toBe('difference');
    await page.getByLabel('Order of the values').selectOption('order');
    await expect.poll(() => panel().getByRole('rowheader').first().innerText()).toBe('gene0');
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
    await expect
      .poll(() => curve.locator('text').allTextContents())
      .toEqual(expect.arrayContaining(['400', '500', '600', '700']));
    await curve.locator('polygon.band').waitFor();
    await expect.poll(() => curve.locator('circle.seen').count()).toBe(46);
  });

  it('warns of new rows that are unlike the rows of the fit', async () => {
    await open();
    await ownTable();
    await iterations(30);
    await fitted();
    const strange = Array.from({ length: 50 }, (_, i) => [i % 7, 3 - (i % 5), (i % 11) - 4].join());
    await choose('rows', file('strange.csv', ['first,second,third', ...strange].join('\n')));
    const told = page.getByText('50 new rows are placed');
    await told.waitFor();
    await expect
      .poll(() => told.innerText())
      .toMatch(
        /(4\d|50) of them, dashed, are less likely than each of 40 rows of the fit\. The model has not seen rows like most of these/,
      );
    await choose('rows', file('like.csv', ['first,second,third,kind', ...rows(6, 0.02)].join('\n')));
    await page.getByText('6 new rows are placed').waitFor();
    expect(await page.getByText('6 new rows are placed').innerText()).not.toContain('has not seen');
    await choose('rows', file('wrong.csv', 'a,b\n1,2\n3,4'));
    await page.getByText("'wrong.csv' was not placed: ").waitFor();
  });

  it('reports the progress of another map, and lets it be canceled', async () => {
    await open();
    const lines = Array.from({ length: 10_000 }, (_, i) => [Math.sin(i / 50), Math.cos(i / 50), i / 9999].join());
    await ownTable(['a,b,c', ...lines].join('\n'), '10000 rows, 3 columns.');
    await page.selectOption('[name=model]', 'pca');
    await fitted();
    await press('Make t-SNE');
    const busy = page.locator('[data-method=tsne]');
    await busy.getByText(/\d+ s/).waitFor({ timeout: 5000 });
    await page.getByRole('progressbar', { name: 'Fitting t-SNE' }).waitFor();
    await press('Cancel t-SNE');
    await page.getByRole('button', { name: 'Make t-SNE' }).waitFor();
    // What cannot be made says why, and at once.
    await press('Make Isomap');
    await page.getByText('isomap of 10000 rows needs matrices of 10000 × 10000 numbers').waitFor();
  });

  it('distinguishes 25 classes by colors and shapes, hides them, and shows only one', async () => {
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
    const without = await changed(all);
    await page
      .locator('.chip', { hasText: 'k7' })
      .first()
      .click({ modifiers: ['Shift'] });
    await expect.poll(() => page.locator('.chip[aria-pressed=true]').count()).toBe(1);
    await changed(without);
  });

  it('chooses rows with a lasso, reports how they differ, saves them and fits them alone', async () => {
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
    const against = panel().getByRole('table', { name: 'Values, compared with the rest' });
    await expect.poll(() => against.locator('tbody tr').count()).toBe(12);
    await expect.poll(() => against.locator('tbody tr').first().innerText()).toMatch(/^\S+\s+[\d.]+ \/ [\d.]+$/);
    await panel()
      .getByText(/in doubt \(trustworthiness below 0\.8\)\. On average they keep [\d.]+ of their \d+ nearest rows\.$/)
      .waitFor();
    const table = (await downloaded(() => press('Save these rows'))).toString();
    expect(table.trim().split('\n')).toHaveLength(count + 1);
    await press('Fit these rows');
    await page.locator('.subject').getByText(`pipe flow, ${count} rows`).waitFor();
    await page.waitForSelector('[data-status=done]');
    const { model } = JSON.parse(await saved('fit.json'));
    expect(model.observations).toHaveLength(count);
  });

  it('reports whether the position of a row can be trusted, and leads to its nearest rows', async () => {
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
    const trusted = panel().getByRole('region', { name: 'How sure' });
    await expect
      .poll(() => trusted.innerText())
      .toMatch(/\d+ of its 10 nearest rows in the table are among its 10 nearest here; trustworthiness [\d.]+ of 1\./);
    await trusted.getByText(/[Ii]ts values are [\d.]+ standard deviations from the prediction/).waitFor();
    const near = panel().getByRole('region', { name: 'Like these rows' }).getByRole('button');
    await expect.poll(() => near.allInnerTexts()).toEqual(nearest.map((j) => expect.stringMatching(`^row ${j + 1}, `)));
    await near.first().click();
    await panel()
      .getByRole('heading', { name: `row ${nearest[0]! + 1}, ` })
      .waitFor();
    await press('Next row (N)');
    await press('Close');
    await panel().getByRole('heading', { name: 'gplvm' }).waitFor();
  });

  it('shows which rows not to trust, below the trustworthiness that one chooses', async () => {
    await open();
    await page.getByRole('button', { name: /^PCA trustworthiness/ }).waitFor();
    await page.keyboard.press('Escape');
    await map().focus();
    await page.keyboard.press('t');
    const box = page.getByRole('region', { name: 'Rows in doubt' });
    const bars = (await box.getByRole('img').getAttribute('aria-label'))!.split(': ')[1]!;
    const counts = bars.split(', ').map(Number);
    expect(counts.reduce((a, b) => a + b)).toBe(150);
    const slider = box.getByRole('slider');
    for (const least of [0.8, 0.95]) {
      await slider.fill(String(least));
      const expected = counts.slice(0, Math.round(20 * least)).reduce((a, b) => a + b);
      await box.getByText(`${expected} row`).waitFor();
      // The sentences of the page stay those of `assess`.
      if (least !== LEAST_TRUSTWORTHINESS) continue;
      const sentence = doubtSentence(expected, 150);
      await expect.poll(() => panel().innerText()).toContain(sentence);
      expect(await page.getByRole('banner').getByRole('status').innerText()).toContain(sentence.split(':')[0]);
    }
    await box.getByRole('button', { name: 'Close' }).click();
    expect(await box.count()).toBe(0);
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
    await expect.poll(settled).toBe(placed);
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
      await expect.poll(() => told.innerText()).not.toBe(note);
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

  it('shows a column of pictures along the path that one drags', async () => {
    await open({}, link({ set: 'turningBar', maxIterations: 10 }));
    await drag([0.35, 0.4], [0.6, 0.62]);
    const film = panel().getByRole('region', { name: 'Along the path' });
    await film.waitFor();
    await expect.poll(() => film.getByRole('img').count()).toBe(9);
    const pictures = await film
      .locator('canvas')
      .evaluateAll((canvases) => canvases.map((canvas) => (canvas as HTMLCanvasElement).toDataURL()));
    expect(new Set(pictures).size).toBe(9);
  });

  it('draws the shortest path between two points, from the prediction at one to the prediction at the other', async () => {
    await open();
    /** Takes the row that a key leads to as an end, and tells what is expected there of the first column. */
    const takeRow = async (key: string, name: RegExp) => {
      await map().focus();
      await page.keyboard.press(key);
      await panel().getByRole('heading', { name }).waitFor();
      const first = panel().locator('tbody tr', { hasText: 'exp.' }).first();
      await first.waitFor();
      await page.getByLabel('Order of the values').selectOption('order');
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
    await expect
      .poll(() => values.locator('tbody tr').first().locator('.number').innerText())
      .toBe(`${end} / ${start}`);
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
    await changed(all);
  });

  it.each([
    ['values', 'twoMoons', /x\s+−?[\d.e−]+ ± [\d.e−]+/],
    ['images', 'turningBar', /row\dcol\d\s+−?[\d.e−]+ ± [\d.e−]+/],
    ['a skeleton', 'walkingFigure', /[a-z][XY]\s+−?[\d.e−]+ ± [\d.e−]+/],
  ])('shows what the model expects where one drags, with its uncertainty: %s', async (_, set, shown) => {
    await open({}, link({ set, maxIterations: 10 }));
    let before = '';
    await drag([0.35, 0.4], [0.6, 0.62], async () => {
      await panel().getByRole('heading', { name: 'Expected here' }).waitFor();
    });
    await expect.poll(() => panel().locator('table').innerText()).toMatch(shown);
    before = await panel().locator('table').innerText();
    await drag([0.6, 0.62], [0.3, 0.55]);
    await expect.poll(() => panel().locator('table').innerText()).not.toBe(before);
  });

  it('shows the row under the pointer in a card, colors by a column, and the background of the points', async () => {
    await open({}, link({ set: 'turningBar', maxIterations: 10 }));
    const labeled = await settled();
    const { x, y, width, height } = (await map().boundingBox())!;
    // Between rows the card shows what is expected there.
    const card = page.getByRole('tooltip').filter({ hasText: /row \d/ });
    for (let k = 0; k < 400 && (await card.count()) === 0; k++) {
      await page.mouse.move(x + width * (0.2 + 0.006 * (k % 100)), y + height * (0.4 + 0.07 * Math.floor(k / 100)));
    }
    await expect.poll(() => card.innerText()).toMatch(/^row \d+\nlength: length \d\nangle: \d+$/);
    await expect.poll(() => card.locator('canvas.pixels').count()).toBe(1);
    await page.mouse.move(0, 0);
    await page.selectOption('[name=color]', 'row5col5');
    await page.getByRole('img', { name: /^row5col5 from / }).waitFor();
    const colored = await changed(labeled);
    const lands = [colored];
    for (const [land, title] of [
      ['magnification', 'Magnification'],
      ['column row6col6', 'row6col6, expected'],
      ['none', ''],
    ] as const) {
      await page.selectOption('[name=background]', land);
      if (title !== '') await page.getByRole('region', { name: title }).waitFor();
      lands.push(await changed(...lands));
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
    await changed(enlarged);
  });

  it('shows the same rows in other maps, with the scores that Node finds', async () => {
    await open();
    const { observations, labels } = pipeFlow({ points: 150, seed: 1 });
    const { latents } = await fit(pca(observations, { latentDim: 2 }), { engine: 'wasm' });
    const score = trustworthiness(observations, latents, 10).toFixed(3);
    const error = nearestNeighborError(latents, labels).toFixed(3);
    await page.locator('.scale').waitFor();
    const own = await settled();
    const thumb = page.getByRole('button', { name: `PCA trustworthiness ${score}, error ${error}` });
    await thumb.click();
    await map().and(page.getByLabel('Map of 150 rows, PCA')).waitFor();
    await panel().getByRole('heading', { name: 'PCA' }).waitFor();
    await changed(own);
    // Behind it a Gaussian process that is held at its places, and says so.
    await page.getByRole('region', { name: /^Uncertainty, / }).waitFor();
    await page.getByText('by a Gaussian process fixed at these positions').waitFor();
    const lands = page.locator('[name=background] option');
    await expect.poll(() => lands.count()).toBe(3 + observations.columns);
    await page.selectOption('[name=background]', 'column vertical1_30keV');
    await page.getByRole('region', { name: /^vertical1_30keV, expected, faded where unknown: / }).waitFor();
    await page.selectOption('[name=background]', 'certainty');
    await map().focus();
    await page.keyboard.press('n');
    await panel().getByText('compared with the prediction of a Gaussian process fixed at these positions').waitFor();
    const ownRow = panel().getByRole('table', { name: /^Values, row 1/ });
    await press('All 12 columns');
    const expectation = /vertical1_30keV\s+([\d.]+) exp\. ([\d.]+) ± ([\d.]+)/;
    await expect.poll(() => ownRow.innerText()).toMatch(expectation);
    const [, seen, expected, deviation] = expectation.exec(await ownRow.innerText())!;
    expect(Number(seen)).toBeCloseTo(observations.at(0, 0), 2);
    // Two standard deviations are shown, of which a row may be twice as far away.
    expect(Math.abs(Number(seen) - Number(expected))).toBeLessThan(2 * Number(deviation));
    await map().focus();
    await page.keyboard.press('ArrowRight');
    await panel()
      .getByText(/^At PCA 1 −?[\d.]+, PCA 2 −?[\d.]+\. By a Gaussian process fixed at these positions\.$/)
      .waitFor();
    // A place is of its map: on another nothing is asked yet.
    await page.keyboard.press('1');
    await panel().getByRole('heading', { name: 'gplvm' }).waitFor();
    await map().and(page.getByLabel('Map of 150 rows, gplvm')).waitFor();
    await page.locator('.scale').waitFor();
    await expect.poll(settled).toBe(own);
    await page.keyboard.press('t');
    await changed(own);
  });

  it('shows ten thousand rows that a spectral model places, and refuses matrices that are too large for a page', async () => {
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
    await changed(before);
    for (const key of '---') await page.keyboard.press(key);
    await expect.poll(settled).toBe(before);
  });

  it('draws kernels with sliders', async () => {
    await open({}, 'kernels.html#rbf', false);
    const drawing = () => page.evaluate(() => document.querySelector<HTMLCanvasElement>('.lines canvas')!.toDataURL());
    await page.getByText('Covariance of x with').waitFor();
    await page.waitForTimeout(200);
    const before = await drawing();
    await page.getByLabel('rbf lengthscale', { exact: false }).first().fill('20');
    await expect.poll(() => page.locator('[name=kernel]').inputValue()).toBe('rbf(variance=1, lengthscale=10)');
    await page.waitForTimeout(200);
    expect(await drawing()).not.toBe(before);
    await page.locator('[name=kernel]').fill('rbf + nothing');
    await page.getByText("'nothing'").waitFor();
  });
});
