// @module-tag long
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { parseTable } from '../../src/app/io/index.ts';
import { loadFit } from '../../src/index.ts';
import {
  button,
  CSV,
  choose,
  describePlayground,
  downloaded,
  drawer,
  file,
  fitted,
  iterations,
  link,
  map,
  menu,
  NAMED,
  newPage,
  open,
  ownTable,
  page,
  panel,
  press,
  root,
  rows,
  saved,
  served,
  settled,
} from './playgroundPage.ts';

describePlayground('tables and keys', () => {
  it('shows that a large file is being read, fits nothing else meanwhile, and lets it be canceled', async () => {
    await open();
    const line = `${'0.123456789,'.repeat(19)}1\n`;
    await choose('table', file('large.csv', line.repeat(80_000)));
    await page.getByText('Reading large.csv').waitFor();
    await page.getByText(/19\.\d MB, about 8\d,\d{3} rows|about 80,000 rows/).waitFor();
    await page
      .getByRole('table', { name: /From its first \d+ rows/ })
      .getByText('20 numbers')
      .waitFor();
    const progress = page.getByRole('progressbar', { name: 'Reading large.csv' });
    await page.getByText(/, [\d,]+ read, \d+ s/).waitFor();
    const parts = [Number(await progress.getAttribute('aria-valuenow'))];
    await page.waitForFunction(
      (before) => Number(document.querySelector('.reading .progress')?.getAttribute('aria-valuenow')) > before,
      parts[0]!,
    );
    expect(parts[0]).toBeGreaterThan(0);
    expect(parts[0]).toBeLessThan(100);
    await expect.poll(() => page.getByRole('button', { name: 'Fit', exact: true }).isDisabled()).toBe(true);
    await press('Cancel');
    await page.getByText('Reading was canceled.').waitFor();
    expect(await page.getByText('Reading large.csv').count()).toBe(0);
  });

  it('uses numeric classes as labels, and reports which column varies far more than the others', async () => {
    await open();
    const lines = (large: number) =>
      Array.from({ length: 60 }, (_, i) => [Math.sin(i), Math.cos(i), large * Math.sin(i / 9), (i * 7) % 3].join());
    await ownTable(['a,b,c,class', ...lines(1)].join('\n'), '60 rows, 3 columns.');
    await expect.poll(() => page.locator('[name=labels]').inputValue()).toBe('class');
    await ownTable(['a,b,c,stage', ...lines(1)].join('\n'), '60 rows, 4 columns.');
    await page
      .getByText("Column 'stage' contains 3 different whole numbers: choose it as the labels if they are classes.")
      .waitFor();
    await ownTable(['a,b,c,class', ...lines(1e4)].join('\n'), '60 rows, 3 columns.');
    await page.getByText('Columns are in different units: gplvm divides them by their standard deviations.').waitFor();
    await page.selectOption('[name=model]', 'pca');
    await page
      .getByText(/Column 'c' varies [\d,]+ times as much as '[ab]': columns of large standard deviation/)
      .waitFor();
    await press('Scale them alike');
    await page.selectOption('[name=model]', 'gplvm');
    await iterations(20);
    await fitted();
    await map().focus();
    await page.keyboard.press('n');
    // In the units of the table.
    await page.keyboard.press('n');
    await panel().getByRole('heading', { name: 'row 2, ' }).waitFor();
    await expect.poll(() => panel().locator('tbody tr').nth(2).innerText()).toMatch(/^c\s+1108\.8|^c\s+1109/);
  });

  it('begins with a table where there is no map: what is done with its columns, then the fit', async () => {
    await open({}, '#new', false);
    await page.getByRole('heading', { name: 'Drop a table here' }).waitFor();
    await choose('any', file('ragged.csv', 'a,b\n1,2\n3,4,5\n'));
    await page.getByRole('heading', { name: 'The table could not be used' }).waitFor();
    await page.getByRole('alert').getByText("'ragged.csv' is ragged").waitFor();
    expect(await page.getByRole('alert').innerText()).not.toContain('--');
    const lines = rows(40).map((row, i) => `s${i},${row},7`);
    await choose('any', file('own.csv', ['sample,temp,flow,load,kind,run', ...lines].join('\n')));
    await page.getByRole('heading', { name: 'own.csv', exact: true }).waitFor();
    const uses = page.locator('.welcome').getByRole('table', { name: 'Use of each column' }).locator('tbody tr');
    await expect
      .poll(() => uses.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^temp … load\s+3 numbers\s+−1\s+1\s+fit$/),
        expect.stringMatching(/^kind\s+2 labels\s+color$/),
        expect.stringMatching(/^sample\s+names\s+names of rows$/),
        expect.stringMatching(/^run\s+constant\s+left out$/),
      ]);
    await press('Fit now');
    await page.waitForSelector('[data-status=done]');
    await page.locator('.subject').getByText('own.csv').waitFor();
    await drawer();
    await press('Start with another table');
    await page.getByRole('heading', { name: 'own.csv' }).waitFor();
    await press('Back to the map');
    await map().waitFor();
  });

  it('shows a table that was opened next to a map: its classes, its scales and its model, under its name', async () => {
    await open();
    await page.goto(`${page.url().split('#')[0]}#new`);
    const lines = rows(60).map((row, i) => {
      const [first, second, third] = row.split(',');
      return `"Site, ${i % 3}",${first},${1e7 * Number(second)},${i % 9 === 0 ? '' : third},ok`;
    });
    await choose('any', file('measured.csv', ['site,first,pressure,third,note', ...lines].join('\n')));
    const card = page.locator('.welcome');
    await card.getByText('60 rows × 3 columns').waitFor();
    await expect.poll(() => card.getByRole('row', { name: /^site 3 labels/ }).count()).toBe(1);
    await expect.poll(() => card.getByRole('row', { name: /^note text left out/ }).count()).toBe(1);
    await expect.poll(() => page.locator('.subject').innerText()).toBe('');
    await page.getByRole('heading', { name: 'Not fitted yet' }).waitFor();
    await card
      .getByText('Model: gplvm, smooth nonlinear map with error bars: the Gaussian process latent variable model.')
      .waitFor();
    await card.getByText('Columns are in different units: gplvm divides them by their standard deviations.').waitFor();
    await card.getByRole('button', { name: 'Data and model' }).click();
    const [opened, beside] = [await page.locator('#drawer').boundingBox(), await card.boundingBox()];
    expect(beside!.x).toBeGreaterThanOrEqual(opened!.x + opened!.width);
    await page.getByLabel('Maximum iterations').fill('20');
    await press('Fit');
    // Missing cells are filled in by the fit, and rows compared in its units.
    await panel().getByText('Trustworthiness').waitFor();
    await page.getByRole('button', { name: /^PCA trustworthiness/ }).waitFor();
  });

  /** Goes on with Tab until something has the focus. */
  async function tabTo(target: Locator): Promise<void> {
    for (let k = 0; k < 150; k++) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab never leads to ${target}.`);
  }
  async function enter(target: Locator): Promise<void> {
    await tabTo(target);
    await page.keyboard.press('Enter');
  }
  async function chooseByKeys(given: ReturnType<typeof file>, words = 'Choose a file'): Promise<void> {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), enter(button(words))]);
    await chooser.setFiles(given);
  }

  it('is used by keys alone, from a table to a part of it that is fitted, saved and opened again as the same map', async () => {
    await open({}, '#new', false);
    await chooseByKeys(file('own.csv', NAMED));
    await enter(button('Fit now'));
    await page.waitForSelector('[data-status=done]');
    await tabTo(map());
    await page.keyboard.press('n');
    await panel().getByRole('heading', { name: 'row 1 (s0), a' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowRight');
    await panel().getByRole('heading', { name: 'Expected here' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('temp > 0.2');
    await page.keyboard.press('Enter');
    const count = rows(40).filter((row) => Number(row.split(',')[0]) > 0.2).length;
    await panel()
      .getByRole('heading', { name: `${count} rows chosen` })
      .waitFor();
    await enter(button('Fit these rows'));
    await page.locator('.subject').getByText(`own.csv, ${count} rows`).waitFor();
    await page.waitForSelector('[data-status=done]');
    await tabTo(page.getByRole('searchbox'));
    await page.keyboard.press('Escape');
    await page.locator('.scale').waitFor();
    const before = await settled();
    await enter(button('Export'));
    const json = (await downloaded(() => enter(button('fit.json')))).toString();
    await page.reload();
    await page.waitForSelector('[data-status=done]');
    await enter(button('Open a table'));
    await chooseByKeys({ ...file('again.json', json), mimeType: 'application/json' }, 'Another file');
    await page.locator('.subject').getByText(`${count} rows × 3 columns`).waitFor();
    await page.locator('.scale').waitFor();
    await expect.poll(settled).toBe(before);
  });

  it('reads cells that are pasted, from a spreadsheet too', async () => {
    await open({ permissions: ['clipboard-read', 'clipboard-write'] }, '#new', false);
    await page.evaluate((text) => navigator.clipboard.writeText(text), NAMED.replaceAll(',', '\t'));
    await page.keyboard.press('Control+v');
    await page.getByRole('heading', { name: 'pasted.csv' }).waitFor();
    await page.getByText('40 rows × 3 columns').waitFor();
  });

  it('reports where a table is wrong, and reads it in one of the ways that it offers', async () => {
    await open({}, '#new', false);
    const lines = CSV.split('\n');
    const wrong = [...lines.slice(0, 5), '0.1,see note,0.3,b', '0.1,??,0.3,b', ...lines.slice(5)].join('\n');
    await choose('any', file('wrong.csv', wrong));
    await page
      .getByRole('alert')
      .getByText("'wrong.csv', line 6, column 'second' contains 'see note', which is not a finite number.")
      .waitFor();
    await button('Treat 2 cells as missing').waitFor();
    await button("Leave out column 'second'").waitFor();
    await press('Leave out 2 rows');
    await page.getByRole('heading', { name: 'wrong (repaired).csv' }).waitFor();
    await page.getByText('40 rows × 3 columns').waitFor();
    // Of lines with too few cells too, and where there is a map.
    await press('Fit now');
    await page.waitForSelector('[data-status=done]');
    await choose('table', file('ragged.csv', [...lines, '0.1,0.2'].join('\n')));
    await page.getByRole('alert').getByText("'ragged.csv' is ragged: line 1 has 4 cells, but line 42 has 2.").waitFor();
    // Options of programs are not the page's.
    expect(await page.getByRole('alert').innerText()).toBe(
      "'ragged.csv' is ragged: line 1 has 4 cells, but line 42 has 2. Give every line the same number of cells.",
    );
    await press('Treat 2 absent cells as missing');
    await page.getByText('41 rows, 3 columns.').waitFor();
  });

  it('repairs a log by one button: lines that end early, and words and units among its numbers', async () => {
    const lines = Array.from({ length: 40 }, (_, i) => {
      const cells = [
        `2024-05-01 ${String(i % 24).padStart(2, '0')}:00`,
        i === 9 ? 'ERR' : 20 + (i % 7),
        1013 + (i % 5),
        0.5 * i,
      ];
      return (i % 13 === 5 ? cells.slice(0, 3) : cells).join('\t');
    });
    await open({}, '#new', false);
    await choose('any', file('log.tsv', ['time\ttemperature\tpressure\tpower', '\t°C\thPa\tkW', ...lines].join('\n')));
    await page.getByRole('alert').getByText("'log.tsv' is ragged").waitFor();
    await press('Treat 3 absent cells as missing; treat 4 cells as missing');
    await page.getByText('40 rows × 3 columns').waitFor();
    await page
      .locator('.welcome')
      .getByRole('row', { name: /^temperature … power 3 numbers, 4 missing/ })
      .waitFor();
  });

  it('reads a table of an office by one button: a title above it, sums below it, a word for missing cells, grouped digits and dates', async () => {
    const two = (value: number) => String(value).padStart(2, '0');
    const line = (i: number, isClean: boolean) => {
      const [sales, costs] = [40_000 + 2500 * ((i * 7) % 11) + 0.25, 20_000 + 1250 * ((i * 5) % 13) + 0.5];
      const german = (value: number) => value.toLocaleString('de-DE', { minimumFractionDigits: 2 });
      const [day, month] = [two(1 + (i % 28)), two(1 + (i % 12))];
      return isClean
        ? [`F${i}`, `2024-${month}-${day}`, i === 7 ? '' : sales, costs, 20 + ((i * 3) % 17)]
        : [`F${i}`, `${day}.${month}.2024`, i === 7 ? 'k.A.' : german(sales), german(costs), 20 + ((i * 3) % 17)];
    };
    const lines = (isClean: boolean) => Array.from({ length: 40 }, (_, i) => line(i, isClean));
    const names = ['Filiale', 'Datum', 'Umsatz', 'Kosten', 'Kunden'];
    const text = [
      'Umsatzbericht;;;;',
      ';;;;',
      names.join(';'),
      ...lines(false).map((cells) => cells.join(';')),
      'Summe;;2.000.000,00;;',
    ];
    await open({}, '#new', false);
    await choose('any', file('umsatz.csv', text.join('\n')));
    await page.getByText('41 rows × 1 column').waitFor();
    await button("Leave out the last row, 'Summe'").waitFor();
    await button("Treat 'k.A.' in 'Umsatz' as missing").waitFor();
    await button("Read 'Datum' as dates: 01.01.2024 is 2024-01-01").waitFor();
    await press('Do all of these');
    const card = page.locator('.welcome');
    await card.getByText('40 rows × 3 columns').waitFor();
    await card.getByRole('row', { name: 'Datum dates color and search' }).waitFor();
    await card.getByRole('row', { name: 'Umsatz … Kunden 3 numbers, 1 missing 20 65000 fit' }).waitFor();
    await press('Fit now');
    await page.waitForSelector('[data-status=done]');
    const clean = [names.join(), ...lines(true).map((cells) => cells.join())].join('\n');
    const expected = await parseTable(new TextEncoder().encode(clean), 'clean.csv', { allowMissing: true });
    const { table, model } = JSON.parse(await saved('fit.json'));
    expect(table.columns).toEqual(expected.columns);
    expect(model.observations).toEqual(
      expected.observations.toArrays().map((row) => row.map((entry) => (Number.isNaN(entry) ? null : entry))),
    );
  });

  it('shares a fit in a link where it is small, and as a page that decodes without network', async () => {
    await open();
    await ownTable(NAMED);
    await iterations(15);
    await fitted();
    await press('Share');
    await press('Link with the whole fit');
    await page.getByText('It contains the fit and its table').waitFor();
    const address = page.url().slice(served.url.length);
    const shared = await downloaded(() => press('One page with the fit'));
    const json = JSON.parse(await saved('fit.json'));
    await page.context().close();
    await open({}, address);
    await page.locator('.subject').getByText('own.csv').waitFor();
    expect(JSON.parse(await saved('fit.json')).objective).toBe(json.objective);
    await page.context().close();

    const path = join(root, 'web/dist/shared.html');
    writeFileSync(path, shared);
    try {
      await newPage({ offline: true });
      await page.goto(pathToFileURL(path).href);
      await page.waitForSelector('[data-status=done]');
      await page.locator('.subject').getByText('own.csv').waitFor();
      await expect.poll(() => page.locator('.chip').allTextContents()).toEqual(['a 14', 'b 26']);
      await map().focus();
      await page.keyboard.press('ArrowUp');
      await expect
        .poll(() => panel().innerText(), { timeout: 20_000 })
        .toMatch(/Expected here[\s\S]*temp\s+−?[\d.]+ ± [\d.]+/);
      // Its settings are those of the fit, with its table.
      await menu('Share', 'Link to these settings');
      await page.getByText('It contains the settings and the table.').waitFor();
      const settings = JSON.parse(decodeURIComponent(page.url().split('#')[1]!));
      expect(settings).toMatchObject({ set: 'own', model: 'gplvm', labels: 'kind', maxIterations: 15 });
      expect(settings.table).toMatch(/^[\w-]+$/);
      await page.keyboard.press('Escape');
      // It can be shared again.
      const again = (await downloaded(() => menu('Share', 'One page with the fit'))).toString();
      expect(again).toContain(`\\"objective\\":${json.objective}`);
    } finally {
      rmSync(path);
    }
  });

  it.each([
    ['ragged.csv', 'a,b\n1,2\n3,4,5\n', "'ragged.csv' is ragged: line 1 has 2 cells, but line 3 has 3."],
    ['words.csv', 'a,b\nx,y\nz,w\n', "'words.csv' has no column of numbers"],
    ['empty.csv', '', "'empty.csv' is empty."],
    ['table.xlsx', 'PK', "'table.xlsx' ends in '.xlsx': expected .csv"],
    ['broken.npy', 'no array', "'broken.npy' cannot be read as .npy"],
  ])('explains what is wrong with %s, and stays usable', async (name, text, sentence) => {
    await open();
    await choose('table', file(name, text));
    await page.getByRole('alert').getByText(sentence).waitFor();
    await page.selectOption('[name=set]', 'twoMoons');
    await page.getByText('200 rows, 2 columns.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('shares a fit of 200 × 13 numbers of full length in a link, rounded, with the largest difference of its predictions', async () => {
    const random = ((state) => () => {
      state.k = (state.k * 16807) % 2147483647;
      return state.k / 2147483647;
    })({ k: 5 });
    const lines = Array.from({ length: 200 }, () => {
      const [a, b] = [6 * random(), 6 * random()];
      return Array.from(
        { length: 13 },
        (_, j) => 10 ** (j % 4) * (Math.sin(a + j) + Math.cos(b * (j % 3)) + random() / 5),
      );
    });
    const names = Array.from({ length: 13 }, (_, j) => `c${j}`).join();
    await open();
    await ownTable([names, ...lines.map((line) => line.join())].join('\n'), '200 rows, 13 columns.');
    await iterations(60);
    await fitted();
    const exact = loadFit(JSON.parse(await saved('fit.json')));
    await press('Share');
    await press('Link with the whole fit');
    const told = page.getByText('It contains the fit and its table, rounded');
    await told.waitFor();
    const [, size, most] = /rounded, (\d+) kB: predictions differ by at most ([\d.]+) % of/.exec(
      await told.innerText(),
    )!;
    const address = page.url().slice(served.url.length);
    expect(address.length).toBeLessThanOrEqual(1000 * Number(size));
    expect(address.length).toBeLessThanOrEqual(16_000);
    await page.context().close();

    await open({}, address);
    await page.locator('.subject').getByText('own.csv').waitFor();
    const rounded = loadFit(JSON.parse(await saved('fit.json')));
    const [before, after] = [exact, rounded].map((each) => each.predict(each.latents, { noise: true })) as [
      ReturnType<typeof exact.predict>,
      ReturnType<typeof exact.predict>,
    ];
    const deviations = before.variance.data.map(Math.sqrt);
    const differences = deviations.map((deviation, k) =>
      Math.max(
        Math.abs(before.mean.data[k]! - after.mean.data[k]!) / deviation,
        Math.abs(Math.sqrt(after.variance.data[k]!) / deviation - 1),
      ),
    );
    const largest = 100 * differences.reduce((a, b) => Math.max(a, b));
    expect(largest).toBeLessThanOrEqual(Number(most));
    expect(largest).toBeGreaterThan(0.8 * Number(most));
    expect(Number(most)).toBeLessThan(5);
  });

  it('reads an array of NumPy', async () => {
    await open();
    const values = Float64Array.from({ length: 24 }, (_, i) => Math.sin(i));
    const header = "{'descr': '<f8', 'fortran_order': False, 'shape': (12, 2), }".padEnd(117).concat('\n');
    const preamble = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, header.length, 0]);
    const buffer = Buffer.concat([preamble, Buffer.from(header), Buffer.from(values.buffer)]);
    await choose('table', { name: 'array.npy', mimeType: 'application/octet-stream', buffer });
    await page.getByText('12 rows, 2 columns.').waitFor();
    await page.selectOption('[name=model]', 'pca');
    await fitted();
    expect(JSON.parse(await saved('fit.json')).model.observations).toHaveLength(12);
  });

  it('accepts a dropped file, and reports when one is too large', async () => {
    await open();
    await drawer();
    const drop = (name: string, size: number, text: string) =>
      page
        .locator('.drop')
        .first()
        .evaluate(
          (target, given) => {
            const transfer = new DataTransfer();
            const content = given.size > 0 ? new Uint8Array(given.size) : given.text;
            transfer.items.add(new File([content], given.name));
            target.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
          },
          { name, size, text },
        );
    await drop('own.tsv', 0, CSV.replaceAll(',', '\t'));
    await page.getByText('40 rows, 3 columns.').waitFor();
    await drop('huge.csv', 61e6, '');
    await page.getByRole('alert').getByText("'huge.csv' has 61 MB; this page reads up to 60.").waitFor();
    await page.getByText('40 rows, 3 columns.').waitFor();
  });

  it('follows the address, stores a small table in it, and runs automatically within another page', async () => {
    await open();
    await page.evaluate(
      (hash) => {
        location.hash = hash;
      },
      link({ set: 'swissRoll', model: 'isomap', options: { latentDim: 2, neighbors: 8 } }),
    );
    await page.locator('.subject').getByText('300 rows × 3 columns').waitFor();
    await expect.poll(() => page.locator('[name=model]').inputValue()).toBe('isomap');
    await ownTable();
    await iterations(15);
    await press('Share');
    await press('Link to these settings');
    await page.getByText('It contains the settings and the table.').waitFor();
    const address = page.url().slice(served.url.length);
    await page.context().close();
    await open({}, address);
    await page.locator('.subject').getByText('40 rows × 3 columns').waitFor();
    await expect.poll(() => page.getByLabel('Maximum iterations').inputValue()).toBe('15');
    await page.context().close();
    await open({}, link({ set: 'twoMoons', model: 'gplvm', maxIterations: 5, run: true, compact: true }), false);
    await map().waitFor();
    expect(await page.locator('[name=model]').count()).toBe(0);
    expect(await page.locator('header').count()).toBe(0);
  });

  it.each([
    ['light', { colorScheme: 'light', viewport: { width: 1440, height: 900 } }],
    ['dark', { colorScheme: 'dark', viewport: { width: 1440, height: 900 } }],
    ['on a phone', { colorScheme: 'light', viewport: { width: 360, height: 740 }, hasTouch: true }],
  ] as const)('is readable and reachable, %s', async (what, options) => {
    await open(options);
    await settled();
    const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
    const found = async (state: string) => {
      // In dark colors only the colors differ.
      const rules = what === 'dark' ? "{ runOnly: ['color-contrast'] }" : '{}';
      const { violations } = (await page.evaluate(`${axe}; axe.run(${rules})`)) as {
        violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
      };
      return violations.map(
        ({ id, nodes }) =>
          `${state}: ${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`,
      );
    };
    const all = [...(await found('overview'))];
    await iterations(100_000);
    await press('Fit');
    await page.getByTestId('objective').getByText('of at most 100000 iterations').waitFor();
    await press('Pause');
    all.push(...(await found('fitting')));
    await press('Stop');
    await page.waitForSelector('[data-status=done]');
    await settled();
    await map().focus();
    await page.keyboard.press('n');
    await panel().getByRole('heading', { name: 'row 1, ' }).waitFor();
    all.push(...(await found('row')));
    await drawer();
    await page.waitForTimeout(400);
    all.push(...(await found('drawer')));
    await press('Close data and model');
    /** What a key leads to, once it is there. */
    const state = async (name: string, keys: readonly string[], there: Locator) => {
      await map().focus();
      for (const key of keys) await page.keyboard.press(key);
      await there.waitFor();
      await page.waitForTimeout(400);
      all.push(...(await found(name)));
    };
    const heading = (name: string) => panel().getByRole('heading', { name });
    await state('place', ['Escape', 'ArrowRight'], heading('Expected here'));
    await state('path', ['Escape', 'g', 'n', 'Enter', 'p', 'Enter'], panel().getByText(/^Length/));
    await state('trust', ['Escape', 't'], page.getByRole('region', { name: 'Rows in doubt' }));
    await page.getByRole('button', { name: /^PCA trustworthiness/ }).waitFor({ state: 'attached' });
    await state('compare', ['t', '2'], page.getByRole('application', { name: /PCA$/ }));
    await page.getByRole('searchbox').fill('annular');
    await page.getByRole('searchbox').press('Enter');
    await state('chosen', ['1'], heading('rows chosen'));
    await page.getByRole('searchbox').fill('');
    await state('keys', ['Escape', '?'], page.getByRole('dialog', { name: 'Keys' }));
    await press('Close');
    await press('Share');
    all.push(...(await found('share')));
    await page.goto(`${page.url().split('#')[0]}#new`);
    await choose('any', file('ragged.csv', `${CSV}\n1,2`));
    await page.getByRole('button', { name: 'Leave out 1 line' }).waitFor();
    all.push(...(await found('error')));
    await press('Leave out 1 line');
    await page.getByRole('button', { name: 'Fit now' }).waitFor();
    all.push(...(await found('columns')));
    expect(all).toEqual([]);
    const widths = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    expect(widths[0]).toBeLessThanOrEqual(widths[1]!);
  });
});
