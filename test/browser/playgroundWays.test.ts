// @module-tag long
import { byKind, fit, gplvm, loadFit, type Matrix, pca } from 'latentfield';
import { twoMoons } from 'latentfield/data';
import { localScores, usualNeighbors } from 'latentfield/inference';
import { parseTable } from 'latentfield/io';
import { comparedRows } from 'latentfield/models';
import { expect, it } from 'vitest';
import {
  button,
  CSV,
  canvas,
  choose,
  describePlayground,
  downloaded,
  drawer,
  file,
  fitted,
  iterations,
  link,
  map,
  NAMED,
  open,
  openFit,
  ownTable,
  page,
  panel,
  press,
  printedByProgram,
  rows,
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

  it('has a button that opens a table, counts the matches of a search, and reports where nothing matches', async () => {
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

  it('copies links, which bring their table, and requests a table that a link does not contain', async () => {
    await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await ownTable();
    await iterations(12);
    await press('Share');
    await press('Link to these settings');
    await page.getByText('The link is copied. It contains the settings and the table.').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(page.url());
    await page.context().close();
    // It is fitted where it is opened.
    await open({}, copied.slice(served.url.length));
    await page.locator('.subject').getByText('40 rows × 3 columns').waitFor();
    await expect.poll(() => page.getByLabel('Maximum iterations').inputValue()).toBe('12');
    await page.context().close();

    await open({}, link({ set: 'own', model: 'ppca', maxIterations: 7 }), false);
    await page
      .getByText('This link contains settings of ppca for a table that is not in it. Open that table.')
      .waitFor();
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

  it('colors and searches rows by text and dates that are not fitted, in saved fits too', async () => {
    const cities = ['Oslo', 'Bergen', 'Narvik'];
    const day = (i: number) => new Date(Date.UTC(2024, 1, 20 + i)).toISOString().slice(0, 10);
    const lines = CSV.split('\n');
    const table = [
      `day,city,note,${lines[0]}`,
      ...lines.slice(1).map((line, i) => `${day(i)},${cities[i % 3]},seen ${i},${line}`),
    ].join('\n');
    await open({}, '#new', false);
    await choose('any', file('weather.csv', table));
    const use = (name: RegExp) => page.locator('.welcome').getByRole('row', { name });
    await use(/^day dates color and search$/).waitFor();
    await use(/^city text color and search$/).waitFor();
    await use(/^note names names of rows$/).waitFor();
    await use(/^kind 2 labels color$/).waitFor();
    await press('Fit now');
    await page.waitForSelector('[data-status=done]');
    const rowsShown = async () => {
      const color = page.getByLabel('Color', { exact: true });
      expect(await color.locator('option').allInnerTexts()).toEqual([
        ...['Color: kind', 'Color: row number', 'Color: day', 'Color: city'],
        ...['Color: first', 'Color: second', 'Color: third'],
      ]);
      await color.selectOption('city');
      await expect.poll(() => page.locator('.chip').allTextContents()).toEqual(['Bergen 13', 'Narvik 13', 'Oslo 14']);
      await color.selectOption('day');
      // 2024 is a leap year.
      await page.getByRole('img', { name: 'day from 2024-02-20 to 2024-03-30' }).waitFor();
      const search = page.getByRole('searchbox');
      const matches = page.locator('.matches');
      const found = async (text: string, count: number) => {
        await search.fill(text);
        await expect.poll(() => matches.innerText(), { message: text }).toBe(`${count} of 40 rows`);
      };
      await found('bergen', 13);
      await found('city = Oslo', 14);
      await found('2024-02', 10);
      await found('day >= 2024-03-01', 30);
      await found('seen 7', 1);
      await panel().getByText('city: Bergen').waitFor();
      await search.fill('');
    };
    await rowsShown();
    const json = await saved('fit.json');
    await page.context().close();
    await open();
    await openFit(json);
    await rowsShown();
  });

  it('compares new rows with the prediction at their positions, by keys and by clicks, and saves their positions', async () => {
    await open({}, '#new', false);
    await choose('any', file('own.csv', NAMED));
    await page.locator('.welcome').getByText('40 rows × 3 columns').waitFor();
    await page.keyboard.press('m');
    await iterations(30);
    await press('Fit');
    await page.waitForSelector('[data-status=done]');
    const { observations } = await parseTable(new TextEncoder().encode(NAMED), 'own.csv');
    const result = await fit(gplvm(observations, { latentDim: 2 }), { maxIterations: 30, seed: 0, engine: 'wasm' });
    const values = [
      observations.row(3),
      observations.row(20),
      Float64Array.of(3, -2, 4),
      ...[30, 31].map((i) => observations.row(i)),
    ];
    const lines = values.map((row, i) => [`n${i}`, ...row].join());
    await choose('rows', file('new.csv', ['sample,temp,flow,load', ...lines].join('\n')));
    await page.getByText('5 new rows are placed').waitFor();
    const table = (await downloaded(() => press('Save placed.csv'))).toString();
    const [header, ...placed] = table.trim().split('\n');
    expect(header).toBe('sample,x1,x2,like the fit');
    const { latents } = await result.project(values.map((row) => Array.from(row)));
    for (const [i, line] of placed.entries()) {
      const [name, x, y, like] = line.split(',');
      expect([name, like]).toEqual([`n${i}`, i === 2 ? 'no' : 'yes']);
      expect(Math.abs(Number(x) - latents.at(i, 0))).toBeLessThan(1e-6);
      expect(Math.abs(Number(y) - latents.at(i, 1))).toBeLessThan(1e-6);
    }
    await press('Close data and model');
    const list = panel().getByRole('region', { name: 'New rows' }).getByRole('button');
    expect(await list.allInnerTexts()).toEqual(['n0', 'n1', 'n2, unlike the fit', 'n3', 'n4']);
    await list.first().click();
    await panel().getByRole('heading', { name: 'n0' }).waitFor();
    // What is expected there is what Node expects.
    const numbers = (text: string) => (text.replaceAll('−', '-').match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
    const expected = result.predict([Array.from(latents.row(0))]).mean.row(0);
    const shown = panel().getByRole('table', { name: 'Values, n0' }).locator('tbody tr .number');
    await expect
      .poll(async () =>
        Math.max(
          ...(await shown.allInnerTexts()).flatMap((text, j) => {
            const [seen, mean] = numbers(text);
            return [Math.abs(seen! - values[0]![j]!), Math.abs(mean! - expected[j]!)];
          }),
        ),
      )
      .toBeLessThan(0.006);
    const near = panel().getByRole('region', { name: 'Like these rows' }).getByRole('button');
    expect(await near.first().innerText()).toBe('row 4 (s3), a');
    await press('Next new row');
    await panel().getByRole('heading', { name: 'n1' }).waitFor();
    await press('Next new row');
    await panel().getByText('Not to be trusted where it is. It is less likely than each row of the fit').waitFor();
    await press('Close');
    // A square, though a row of the fit lies below it, where the map shows all rows with equal units.
    const { x, y, width, height } = (await map().boundingBox())!;
    const ends = [0, 1].map((d) => {
      const column = result.latents.column(d);
      return [Math.min(...column), Math.max(...column)] as const;
    });
    const [wide, high] = [width - 44 - 76 - 24, height - 24 - 64 - 76];
    const scale = Math.min(wide / (ends[0]![1] - ends[0]![0]), high / (ends[1]![1] - ends[1]![0]));
    const off = [0, 1].map((d) => scale * (latents.at(1, d) - (ends[d]![0] + ends[d]![1]) / 2));
    await page.mouse.move(x + 5, y + 5);
    await page.mouse.click(x + 76 + wide / 2 + off[0]!, y + 64 + high / 2 - off[1]!);
    await panel().getByRole('heading', { name: 'n1' }).waitFor();
  });

  it('reports that a table next to a map is not fitted yet, and that whole numbers from 0 may be counts', async () => {
    await open();
    const counts = Array.from({ length: 30 }, (_, i) => [i % 4, (3 * i) % 7, i % 3 === 0 ? 0 : i, (i * i) % 11].join());
    await choose('table', file('reads.csv', ['a,b,c,d', ...counts].join('\n')));
    await page.getByText('reads.csv is not fitted yet. The map still shows pipe flow.').waitFor();
    await page.getByText('All values are whole numbers from 0, like counts.').waitFor();
    await press('Model them as counts');
    await page.getByText('Values are modeled as counts').waitFor();
    await iterations(5);
    await press('Fit now');
    await page.locator('.subject').getByText('reads.csv').waitFor();
    await page.waitForSelector('[data-status=done]');
    expect(await page.getByText('is not fitted yet').count()).toBe(0);
    expect(JSON.parse(await saved('fit.json')).model.likelihood).toMatchObject({ likelihood: 'negativeBinomial' });
  });

  it('has targets of 24 pixels and more, and colors that mean something where the system chooses the others', async () => {
    await open({ forcedColors: 'active' });
    const small = async (state: string) => {
      const found = await page.evaluate(() => {
        const targets = document.querySelectorAll<HTMLElement>('button, select, input, summary');
        return Array.from(targets).flatMap((element) => {
          // A label is the target of its box, and a file field stands in the field on which files are dropped.
          const target = element.closest('label') ?? element;
          const { width, height } = target.getBoundingClientRect();
          if (!element.checkVisibility({ visibilityProperty: true }) || Math.min(width, height) >= 23.99) return [];
          return [`${element.textContent || element.ariaLabel} ${width} × ${height}`];
        });
      });
      expect(found, state).toEqual([]);
    };
    await page.getByRole('button', { name: /^PCA trustworthiness/ }).waitFor();
    await small('overview');
    await press('Rows in doubt (T)');
    await page.getByRole('region', { name: 'Rows in doubt' }).waitFor();
    await small('trust');
    await map().focus();
    await page.keyboard.press('t');
    await page.keyboard.press('n');
    await panel().getByRole('heading', { name: 'row 1, ' }).waitFor();
    await small('row');
    const color = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).backgroundColor);
    const forced = await color('.track i');
    await page.emulateMedia({ forcedColors: 'none' });
    expect(forced).toBe(await color('.track i'));
    await page.emulateMedia({ forcedColors: 'active' });
    const pressed = page.getByRole('button', { name: 'Decode: drag over the map' });
    expect(await pressed.evaluate((element) => getComputedStyle(element).outlineWidth)).toBe('2px');
    await page.keyboard.press('m');
    await button('Close data and model').waitFor();
    await small('drawer');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await small('keys');
  });

  it('shows how sure the map is, and how large its table, in full at every width', async () => {
    await open({ viewport: { width: 1280, height: 720 } });
    await page
      .locator('[data-status]')
      .getByText(/in doubt\. Uncertainty: \d+\s% of each column's spread/)
      .waitFor();
    const isWhole = (selector: string) =>
      page
        .locator(selector)
        .evaluate(
          ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
            scrollWidth <= clientWidth + 1 && scrollHeight <= clientHeight + 1,
        );
    for (const width of [1280, 1440, 1920]) {
      await page.setViewportSize({ width, height: 720 });
      expect(await isWhole('.status p'), `sentence at ${width}`).toBe(true);
      expect(await isWhole('.app > header'), `bar at ${width}`).toBe(true);
      const end = await page.locator('.subject').evaluate((subject) => {
        const [box, shape] = [subject.getBoundingClientRect(), subject.querySelector('span')!.getBoundingClientRect()];
        return box.right - shape.right;
      });
      expect(end, `rows and columns at ${width}`).toBeGreaterThan(-1);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    const { y, height } = (await panel().getByText('in doubt').boundingBox())!;
    expect(y + height).toBeLessThan(844);
  });

  it('reads numbers in groups of digits by one button', async () => {
    await open({}, '#new', false);
    const grouped = [
      'city,people,share',
      ...Array.from({ length: 9 }, (_, i) => `c${i},"${i + 1},${234 + i}",${i % 4}`),
    ];
    await choose('any', file('cities.csv', grouped.join('\n')));
    await page
      .locator('.welcome')
      .getByRole('row', { name: /^people numbers in groups of digits left out$/ })
      .waitFor();
    await press("Read 'people' as numbers: 1,234 is 1234");
    await page.getByText('9 rows × 2 columns').waitFor();
  });

  it('shows two maps side by side, linked, with the neighbors that they share', async () => {
    const { observations } = await parseTable(new TextEncoder().encode(CSV), 'own.csv', { labels: 'kind' });
    const result = await fit(gplvm(observations, { latentDim: 2 }), { maxIterations: 30, seed: 0, engine: 'wasm' });
    const rows = await comparedRows(result);
    const { latents } = await fit(pca(rows, { latentDim: 2 }));
    const neighbors = usualNeighbors(40);
    const near = (X: Matrix, i: number) =>
      Array.from({ length: 40 }, (_, j) => j)
        .filter((j) => j !== i)
        .sort(
          (a, b) =>
            Math.hypot(X.at(a, 0) - X.at(i, 0), X.at(a, 1) - X.at(i, 1)) -
            Math.hypot(X.at(b, 0) - X.at(i, 0), X.at(b, 1) - X.at(i, 1)),
        )
        .slice(0, neighbors);
    const shared = Array.from({ length: 40 }, (_, i) => {
      const there = new Set(near(latents, i));
      return near(result.latents, i).filter((j) => there.has(j)).length;
    });
    const scores = [result.latents, latents].map((X) => localScores(rows, X, { neighbors }).overall.trustworthiness);
    await open();
    await ownTable();
    await iterations(30);
    await fitted();
    await page.getByRole('button', { name: /^PCA trustworthiness/ }).waitFor();
    await page.getByRole('group', { name: 'Side by side' }).getByRole('button', { name: 'PCA' }).click();
    const second = page.getByRole('application', { name: 'Second map: 40 rows, PCA' });
    await second.waitFor();
    await panel().getByRole('heading', { name: 'gplvm and PCA' }).waitFor();
    const mean = shared.reduce((a, b) => a + b) / 40;
    await panel()
      .getByText(`On average a row keeps ${mean.toFixed(1)} of its ${neighbors} nearest rows`)
      .waitFor();
    await panel()
      .getByText(`Trustworthiness ${scores[0]!.toFixed(3)} and ${scores[1]!.toFixed(3)} of 1: `)
      .waitFor();
    const most = panel().getByRole('region', { name: 'Rows that differ most' }).getByRole('listitem');
    await expect.poll(() => most.first().innerText()).toContain(`keeps ${Math.min(...shared)}`);

    // A lasso on the second map chooses rows on both, and lines join them.
    const lines = async () => ((await page.locator('.links path').getAttribute('d')) ?? '').split('M').length - 1;
    expect(await lines()).toBe(0);
    const { x, y, width, height } = (await second.boundingBox())!;
    await page.keyboard.down('Shift');
    await page.mouse.move(x + 4, y + 60);
    await page.mouse.down();
    for (const [a, b] of [
      [0.9, 0.1],
      [0.9, 0.9],
      [0.01, 0.9],
      [0.01, 0.1],
    ] as const)
      await page.mouse.move(x + a * width, y + b * height, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await panel().getByRole('heading', { name: '40 rows chosen' }).waitFor();
    await page.mouse.move(x + width / 2, y - 20);
    await expect.poll(lines).toBe(40);
    await page.keyboard.press('Escape');
    await expect.poll(lines).toBe(0);
    await page.keyboard.press('n');
    await panel().getByRole('heading', { name: 'row 1, ' }).waitFor();
    await expect.poll(lines).toBe(1);
    // The line ends at the row on each map.
    const ends = (await page.locator('.links path').getAttribute('d'))!.match(/[\d.]+/g)!.map(Number);
    expect(ends[0]).toBeLessThan(x);
    expect(ends[2]).toBeGreaterThan(x);
    await page.mouse.click(x + (ends[2]! - x), y + ends[3]!);
    await panel().getByRole('heading', { name: 'row 1, ' }).waitFor();
    await page.keyboard.press('Escape');
    await press('Close the comparison');
    await expect.poll(() => second.count()).toBe(0);
  });

  it('changes the use of columns: left out, categories, and over a reload', async () => {
    const lines = CSV.split('\n');
    const text = [
      `city,fixed,${lines[0]}`,
      ...lines.slice(1).map((line, i) => `${['Oslo', 'Bergen'][i % 2]},${i === 3 ? 2 : 1},${line}`),
    ].join('\n');
    await open({}, '#new', false);
    await choose('any', file('uses.csv', text));
    await page.getByText('40 rows × 4 columns').waitFor();
    const card = page.locator('.welcome');
    await card.getByText('Change the use of a column').click();
    const role = (column: string) => card.getByLabel(`Use of ${column}`, { exact: true });
    expect(await role('city').inputValue()).toBe('out');
    // Each column with its first values.
    const shown = (column: string) => card.locator('.roles label', { hasText: column }).locator('em').innerText();
    expect(await shown('city')).toBe('Oslo, Bergen, Oslo');
    expect(await shown('fixed')).toBe('1, 1, 1');
    expect(await shown('kind')).toBe(
      lines
        .slice(1, 4)
        .map((line) => line.split(',').at(-1))
        .join(', '),
    );
    expect(await role('kind').inputValue()).toBe('labels');
    await role('fixed').selectOption('out');
    await page.getByText('40 rows × 3 columns').waitFor();
    await role('city').selectOption('categories');
    await page.getByText('40 rows × 5 columns').waitFor();
    expect((await shown('city')).split(', ').sort()).toEqual(['Bergen', 'Oslo']);
    // The list stays open, with the focus where it was.
    await expect.poll(() => role('city').evaluate((element) => element === document.activeElement)).toBe(true);
    // A column that cannot be read as numbers stays as it was.
    await role('kind').selectOption('fit');
    await page.getByRole('alert').waitFor();
    await press("Leave 'kind' as it was");
    await page.getByText('40 rows × 5 columns').waitFor();
    expect(await role('kind').inputValue()).toBe('labels');
    await page.keyboard.press('m');
    await iterations(6);
    await press('Fit');
    await page.waitForSelector('[data-status=done]');
    const expected = await parseTable(new TextEncoder().encode(text), 'uses.csv', {
      ...{ labels: 'kind', drop: ['fixed'], oneHot: ['city'] },
    });
    const fittedRows = async () => JSON.parse(await saved('fit.json'));
    const json = await fittedRows();
    expect(json.table.columns).toEqual(expected.columns);
    expect(json.model.observations).toEqual(expected.observations.toArrays());
    await page.reload();
    await page.waitForSelector('[data-status=done]');
    expect((await fittedRows()).objective).toBe(json.objective);
  });

  it('fits columns of text with few values as categories by one button, as Node does', async () => {
    const answers = ['disagree', 'neutral', 'agree'];
    const lines = CSV.split('\n');
    const text = [
      `age,street,remark,${lines[0]}`,
      ...lines.slice(1).map((line, i) => `${['young', 'old'][i % 2]},${answers[i % 3]},remark ${i % 20},${line}`),
    ].join('\n');
    await open({}, '#new', false);
    await choose('any', file('survey.csv', text));
    const card = page.locator('.welcome');
    await card.getByText('age, street contain text of few kinds, which is not fitted.').waitFor();
    await card.getByRole('button', { name: 'Fit these as categories' }).click();
    await page.getByText('40 rows × 8 columns').waitFor();
    expect(await card.getByText('text of few kinds').count()).toBe(0);
    await page.keyboard.press('m');
    await iterations(6);
    await press('Fit');
    await page.waitForSelector('[data-status=done]');
    const expected = await parseTable(new TextEncoder().encode(text), 'survey.csv', {
      ...{ labels: 'kind', oneHot: ['age', 'street'] },
    });
    const json = JSON.parse(await saved('fit.json'));
    expect(json.table.columns).toEqual(expected.columns);
    expect(json.model.observations).toEqual(expected.observations.toArrays());
  });

  it('models single columns as counts, as Node does with these kinds, in its program, when reopened, and refuses models without counts', async () => {
    const lines = Array.from({ length: 40 }, (_, i) => {
      const [first, second] = rows(40)[i]!.split(',') as [string, string];
      const visits = Math.round(3 * (1 + Number(first)) * (1 + ((7 * i) % 5) / 5));
      return [
        i % 11 === 3 ? '' : visits,
        first,
        (i * i) % 13 < 5 ? 0 : (i * 5) % 9,
        second,
        ['x', 'y', 'z'][i % 3],
      ].join();
    });
    const text = ['visits,temp,calls,flow,plan', ...lines].join('\n');
    await open({}, '#new', false);
    await choose('any', file('clients.csv', text));
    const card = page.locator('.welcome');
    await card.getByText('visits, calls contain whole numbers from 0, like counts.').waitFor();
    await card.getByText('Change the use of a column').click();
    const role = (column: string) => card.getByLabel(`Use of ${column}`, { exact: true });
    expect(await role('temp').locator('option').allInnerTexts()).not.toContain('fit as counts');
    await role('plan').selectOption('categories');
    await page.getByText('40 rows × 7 columns').waitFor();
    await press('Model these as counts');
    await card
      .getByText('visits, calls are modeled as counts, with more spread than a Poisson distribution.')
      .waitFor();
    await card.getByRole('row', { name: /^visits, calls 2 counts, 4 missing 0 \d+ fit as counts$/ }).waitFor();
    expect(await role('calls').inputValue()).toBe('count');
    await page.keyboard.press('m');
    await iterations(15);
    await press('Fit');
    await page.waitForSelector('[data-status=done]');
    const json = await saved('fit.json');
    const { observations, columns } = await parseTable(new TextEncoder().encode(text), 'clients.csv', {
      ...{ columns: ['visits', 'temp', 'calls', 'flow', 'plan'], oneHot: ['plan'], allowMissing: true },
    });
    const as = { visits: 'count', temp: 'number', calls: 'count', flow: 'number' } as const;
    const model = gplvm({ observations, columns }, { latentDim: 2, columns: byKind({ as }), missing: 'ignore' });
    const expected = await fit(model, { maxIterations: 15, seed: 0 });
    const shown = (await loadFit(JSON.parse(json))) as typeof expected;
    const far = (a: Matrix, b: Matrix) =>
      a.data.reduce((most, value, k) => Math.max(most, Math.abs(value - b.data[k]!)), 0);
    expect(Math.abs(shown.objective / expected.objective - 1)).toBeLessThan(1e-9);
    expect(far(shown.latents, expected.latents)).toBeLessThan(1e-9);
    const [here, there] = [shown, expected].map((each) => each.predict(expected.latents, { noise: true }));
    expect(far(here!.mean, there!.mean)).toBeLessThan(1e-9);
    expect(far(here!.variance, there!.variance)).toBeLessThan(1e-9);
    // Counts vary by more than their mean.
    for (let i = 0; i < 40; i++) expect(here!.variance.at(i, 0)).toBeGreaterThan(here!.mean.at(i, 0));
    expect(await printedByProgram('data.csv')).toBeCloseTo(expected.objective, 9);
    await page.reload();
    await page.waitForSelector('[data-status=done]');
    expect(JSON.parse(await saved('fit.json')).objective).toBe(JSON.parse(json).objective);
    // The counts of an opened fit stay counts.
    await openFit(json);
    await drawer();
    await page.locator('#drawer').getByText('visits, calls are modeled as counts').waitFor();
    await page.selectOption('[name=model]', 'tpslvm');
    await press('Fit');
    await page.getByText("tpslvm has no density of counts, and 'visits', 'calls' are fitted as counts.").waitFor();
    await press('Fit the counts as numbers');
    await page.waitForSelector('[data-status=done]');
    await expect.poll(() => panel().getByRole('heading', { level: 2 }).first().innerText()).toBe('tpslvm');
  });

  it('fits dates as days or as a season, shows them as dates, and places new rows with absent and unknown categories', async () => {
    const when = (i: number) => new Date(Date.UTC(2023, 0, 1 + 20 * (i % 30))).toISOString().slice(0, 10);
    const lines = Array.from(
      { length: 40 },
      (_, i) => `${i % 7 === 0 ? '' : when(i)},${Math.sin(i / 6)},${Math.cos(i / 6)},${['x', 'y', 'z'][i % 3]}`,
    );
    const text = ['joined,a,b,plan', ...lines].join('\n');
    await open({}, '#new', false);
    await choose('any', file('customers.csv', text));
    const card = page.locator('.welcome');
    await card.getByRole('row', { name: 'joined dates color and search' }).waitFor();
    await card.getByText('Change the use of a column').click();
    const role = (column: string) => card.getByLabel(`Use of ${column}`, { exact: true });
    await expect
      .poll(() => role('joined').locator('option').allInnerTexts())
      .toEqual(['fit as days', 'fit as categories', 'fit as a season', 'color: labels', 'names of rows', 'leave out']);
    expect(await role('a').locator('option').allInnerTexts()).not.toContain('fit as a season');
    await role('joined').selectOption('season');
    await card.getByRole('row', { name: 'joined dates fit as a season, color and search' }).waitFor();
    await page.getByText('40 rows × 4 columns').waitFor();
    await role('joined').selectOption('fit');
    await card.getByRole('row', { name: 'joined dates fit as days, color and search' }).waitFor();
    await page.getByText('40 rows × 3 columns').waitFor();
    await role('plan').selectOption('categories');
    await page.getByText('40 rows × 6 columns').waitFor();
    await page.keyboard.press('m');
    await iterations(6);
    await press('Fit');
    await page.waitForSelector('[data-status=done]');
    const json = await saved('fit.json');
    const asked = { columns: ['a', 'b', 'joined', 'plan'], oneHot: ['plan'], allowMissing: true };
    const expected = await parseTable(new TextEncoder().encode(text), 'customers.csv', asked);
    const { table, model } = JSON.parse(json);
    expect(table.columns).toEqual(['a', 'b', 'joined', 'plan=x', 'plan=y', 'plan=z']);
    const missing = (rows: number[][]) => rows.map((row) => row.map((entry) => (Number.isNaN(entry) ? null : entry)));
    expect(model.observations).toEqual(missing(expected.observations.toArrays()));
    // Opened again, a row has its date, and new rows have the columns of their categories.
    await openFit(json);
    await page.keyboard.press('Escape');
    await map().focus();
    await page.keyboard.press('/');
    await page.keyboard.type('2');
    await panel().getByRole('heading', { name: 'row 2' }).waitFor();
    await press('All 6 columns');
    await expect
      .poll(() =>
        panel()
          .getByRole('row', { name: /^joined/ })
          .innerText(),
      )
      .toMatch(/2023-01-21\s+exp\. 20\d\d-\d\d-\d\d ± \d+(\.\d+)? days/);
    await choose('rows', file('new.csv', 'joined,a,b,plan\n2023-05-01,0.1,0.9,x\n,0.3,0.8,w\n'));
    const placed = page.getByRole('status').filter({ hasText: '2 new rows are placed' });
    await placed
      .getByText(
        "'plan' contains a category without a column, such as 'w' (line 3): it has 0 in each column of a category.",
      )
      .waitFor();
  });

  it('shows images whose constant pixels were left out, in the color of their value', async () => {
    const pixels = Array.from({ length: 16 }, (_, k) => `pixel${k}`);
    // Ink of at most 18 on paper of 18.
    const row = (i: number) =>
      pixels.map((_, k) => ([5, 6, 9, 10].includes(k) ? Math.round(9 * (1 + Math.sin(i / 5 + k))) : 18));
    await open({}, '#new', false);
    const table = [['label', ...pixels], ...Array.from({ length: 30 }, (_, i) => [i % 2, ...row(i)])];
    await choose('any', file('digits.csv', table.map((cells) => cells.join()).join('\n')));
    await press('Fit now');
    await page.waitForSelector('[data-status=done]');
    const mean = panel().getByRole('button', { name: 'Mean of 1' }).locator('canvas');
    await expect
      .poll(() => mean.evaluate((element: HTMLCanvasElement) => [element.width, element.height]))
      .toEqual([4, 4]);
    /** Red, green and blue of a pixel of the border. */
    const border = () =>
      mean.evaluate((element: HTMLCanvasElement) => {
        const copy = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!;
        copy.drawImage(element, 0, 0);
        return [...copy.getImageData(0, 0, 1, 1).data].slice(0, 3);
      });
    // The last color of the light scale, #0b2733.
    await expect.poll(border).toEqual([11, 39, 51]);
    await drawer();
    await expect
      .poll(() => page.locator('[name=view] option:checked').innerText())
      .toBe('images of 4 × 4 pixels, by their names');
    // Opened again, they are the same images.
    await openFit(await saved('fit.json'));
    await expect.poll(border).toEqual([11, 39, 51]);
  });

  it('reacts to its keys for any focus, and moves the focus to the opened part', async () => {
    await open();
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await map().focus();
    await page.keyboard.press('?');
    await expect.poll(() => button('Close').evaluate((element) => element === document.activeElement)).toBe(true);
    await map().focus();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await expect.poll(() => map().evaluate((element) => element === document.activeElement)).toBe(true);
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
    await page.keyboard.press('Escape');
    await panel().getByRole('heading', { name: 'gplvm' }).waitFor();
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
