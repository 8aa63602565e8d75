// @module-tag long
import { gzipSync } from 'node:zlib';
import { decode } from 'fast-png';
import { expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { PALETTES } from '../../src/scene/index.ts';
import {
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
  menu,
  NAMED,
  newPage,
  open,
  openFit,
  ownTable,
  page,
  panel,
  press,
  printedByProgram,
  rows,
  saved,
  savedBytes,
  served,
  settled,
  status,
} from './playgroundPage.ts';

describePlayground('fits', () => {
  it('opens with an example that was fitted as Node fits it, fits it to the same, and answers from the keyboard', async () => {
    await open();
    const asBuilt = JSON.parse(await saved('fit.json'));
    expect(asBuilt.status).toBe('converged');
    expect(Math.abs((await printedByProgram('data.csv')) / asBuilt.objective - 1)).toBeLessThan(1e-9);
    await fitted();
    const here = JSON.parse(await saved('fit.json'));
    // Logarithms and exponentials of hosts differ in their last bits.
    expect(Math.abs(here.objective / asBuilt.objective - 1)).toBeLessThan(1e-9);
    expect(here.table).toEqual(asBuilt.table);
    const means = panel().getByRole('region', { name: 'Means' });
    await expect
      .poll(() => means.getByRole('columnheader').allInnerTexts())
      .toEqual(['column', ...['annular', 'homogeneous', 'stratified']]);
    await expect
      .poll(() => means.locator('tbody tr').first().innerText())
      .toMatch(/^vertical1_30keV\s+1\.51\s+1\.86\s+2\.01$/);
    await map().focus();
    await page.keyboard.press('n');
    await panel().getByRole('heading', { name: 'row 1, ' }).waitFor();
    await expect.poll(() => panel().locator('tbody tr').count()).toBe(3);
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowRight');
    await panel().getByRole('heading', { name: 'Expected here' }).waitFor();
    const before = await panel().locator('table').innerText();
    for (let k = 0; k < 8; k++) await page.keyboard.press('ArrowRight');
    await expect.poll(() => panel().locator('table').innerText()).not.toBe(before);
    await panel().getByRole('button', { name: 'All 12 columns' }).click();
    await expect.poll(() => panel().locator('tbody tr').count()).toBe(12);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  });

  it('shows a finished example before its worker has started, from at most 300 kB compressed', async () => {
    await newPage({ viewport: { width: 1440, height: 900 } });
    // The worker, which loads the library, never comes.
    await page.route(/page\.worker/, () => {});
    const loaded: Promise<number>[] = [];
    page.on('requestfinished', async (request) => {
      loaded.push(request.response().then(async (found) => gzipSync(await found!.body()).length));
    });
    await page.goto(served.url);
    await page.getByRole('application', { name: 'Map of 150 rows, gplvm' }).waitFor();
    await page.waitForFunction(() => document.querySelector<HTMLCanvasElement>('.map canvas')!.width > 300);
    const kilobytes = (await Promise.all(loaded)).reduce((sum, bytes) => sum + bytes, 0) / 1000;
    expect(kilobytes).toBeGreaterThan(50);
    expect(kilobytes).toBeLessThan(300);
  });

  it('reads a table, recognizes its labels, and writes a program that repeats the fit', async () => {
    await open();
    await ownTable();
    await expect.poll(() => page.locator('[name=labels]').inputValue()).toBe('kind');
    await page.locator('[name=kernel]').fill('matern32 + white(0.01)');
    await iterations(20);
    await fitted();
    const { objective } = JSON.parse(await saved('fit.json'));
    expect(Math.abs((await printedByProgram('data.csv')) / objective - 1)).toBeLessThan(1e-9);
    expect((await saved('latents.csv')).split('\n')[0]).toBe('x1,x2,kind');
  });

  it('opens a saved fit with its columns, ids and labels, places rows of the same names, and gives a program', async () => {
    await open();
    await ownTable(NAMED);
    await page.getByLabel('Columns to mean 0').check();
    await iterations(15);
    await fitted();
    const json = await saved('fit.json');
    expect((await saved('latents.csv')).split('\n').slice(0, 2).join()).toMatch(/^sample,x1,x2,kind,s0,/);
    await page.reload();
    await page.waitForSelector('[data-status=done]');
    await openFit(json);
    await expect.poll(() => page.locator('.chip').allTextContents()).toEqual(['a 14', 'b 26']);
    await map().focus();
    await page.keyboard.press('n');
    await panel().getByRole('heading', { name: 'row 1 (s0), a' }).waitFor();
    // Standardized rows come back in their own units: the first temperature is sin 0.
    await panel().locator('tbody tr').first().filter({ hasText: 'exp.' }).waitFor();
    await expect.poll(() => panel().locator('tbody tr').first().innerText()).toMatch(/^temp\s+0 exp\. −?0\.\d+/);
    await choose(
      'rows',
      file(
        'more.csv',
        [
          'flow,load,temp',
          ...rows(3, 0.5).map((row) => {
            const [temp, flow, load] = row.split(',');
            return [flow, load, temp].join();
          }),
        ].join('\n'),
      ),
    );
    await page.getByText('3 new rows are placed').waitFor();
    const { checksums: _, ...again } = JSON.parse(await saved('fit.json'));
    expect(JSON.parse(json)).toMatchObject(again);
    const isSame = (printed: number) => Math.abs(printed / JSON.parse(json).objective - 1) < 1e-9;
    // The page has kept its settings; of a fit of another program there is a model alone.
    expect(isSame(await printedByProgram('data.csv'))).toBe(true);
    const { page: _settings, ...table } = JSON.parse(json).table;
    await openFit(JSON.stringify({ ...JSON.parse(json), table }), 'alone.json');
    expect(isSame(await printedByProgram('fit.json'))).toBe(true);
    // Of latents that are distributions the variances are saved too.
    await page.context().close();
    await open(
      {},
      link({ set: 'twoMoons', model: 'bayesianGplvm', maxIterations: 5, options: { latentDim: 2, inducing: 10 } }),
    );
    expect((await saved('latents.csv')).split('\n')[0]).toBe('x1,x2,variance1,variance2,moon');
  });

  it('saves a picture as it is seen, with its background, and a drawing that calls the colors by their column', async () => {
    await open();
    await ownTable(NAMED);
    await iterations(15);
    await fitted();
    await page.selectOption('[name=color]', 'temp');
    await settled();
    const png = await savedBytes('plot.png');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    const tones = await page.evaluate(async (data) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const drawn = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
      const context = drawn.getContext('2d')!;
      context.drawImage(image, 0, 0);
      const { data: pixels } = context.getImageData(0, 0, image.width, image.height);
      const found = new Set<string>();
      for (let p = 0; p < pixels.length; p += 40) {
        const [red, green, blue] = pixels.slice(p, p + 3) as unknown as [number, number, number];
        if (Math.max(red, green, blue) - Math.min(red, green, blue) < 20) found.add([red, green, blue].join());
      }
      return found.size;
    }, png.toString('base64'));
    expect(tones).toBeGreaterThan(60);
    const svg = await saved('plot.svg');
    expect(svg).toMatch(/>temp</);
    expect(svg).not.toMatch(/>value</);
    expect(svg).toContain('<g class="bands"');
  });

  it('saves a card: the map as it is seen below its title, above the legend and the scale', async () => {
    await open();
    await page.locator('.scale').waitFor();
    await panel().getByText('Trustworthiness').waitFor();
    await settled();
    const seen = decode(await savedBytes('plot.png'));
    const card = decode(await downloaded(() => menu('Share', 'Picture')));
    expect(card.width).toBe(seen.width);
    // A head of 84 pixels, and a foot with one line for the regimes and one for the scale.
    expect(card.height - seen.height - 84).toBeOneOf([22 + 24, 22 + 48]);
    const pixel = ({ data, width, channels }: ReturnType<typeof decode>, x: number, y: number) =>
      Array.from(data.subarray(channels * (y * width + x), channels * (y * width + x) + 3));
    for (const [x, y] of [
      [500, 300],
      [201, 702],
      [907, 44],
    ] as const)
      expect(pixel(card, x, y + 84), `${x}, ${y}`).toEqual(pixel(seen, x, y));
    const rgb = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
    const holds = (from: number, to: number, color: string) => {
      const wanted = rgb(color);
      for (let y = from; y < to; y++)
        for (let x = 0; x < card.width; x++)
          if (pixel(card, x, y).every((value, c) => Math.abs(value - wanted[c]!) <= 2)) return true;
      return false;
    };
    const foot = seen.height + 84;
    for (const color of PALETTES.light.labels.slice(0, 3)) expect(holds(foot, card.height, color), color).toBe(true);
    // The end of the ramp of uncertainty, and the ink of the title.
    expect(holds(foot, card.height, '#aab4ba')).toBe(true);
    expect(holds(0, 84, '#17222c')).toBe(true);
    expect(pixel(card, 2, 2)).toEqual(rgb('#fdfcf9'));
  });

  it('keeps the map of the last fit, and its name, when another fails', async () => {
    await open();
    await page.locator('.scale').waitFor();
    // The last that a finished example is given.
    await page.getByRole('button', { name: /^PCA trustworthiness/ }).waitFor();
    const before = await settled();
    await ownTable(CSV.replace(/^0,/m, ','));
    await page.selectOption('[name=model]', 'pca');
    await press('Fit');
    await page.waitForSelector('[data-status=failed]');
    await page
      .getByRole('alert')
      .getByText('pca does not support missing cells, and 1 cell is missing. Choose gplvm, bayesianGplvm, tpslvm')
      .waitFor();
    await page.getByText('The map still shows the fit of pipe flow.').waitFor();
    await expect.poll(() => page.locator('.subject').innerText()).toContain('pipe flow');
    await press('Dismiss');
    // The pointer, which is over the map now, marks the row below it.
    await page.mouse.move(1, 1);
    await expect.poll(canvas).toBe(before);
    await map().focus();
    await page.keyboard.press('n');
    await panel().getByRole('heading', { name: 'row 1, ' }).waitFor();
  });

  it('pauses, continues, stops and reports it, and searches on after a limit', async () => {
    await open();
    await iterations(100_000);
    await press('Fit');
    const objective = page.getByTestId('objective');
    await page.waitForFunction(() =>
      /^\d+ of at most 100000 iterations/.test(document.querySelector('[data-testid=objective]')?.textContent ?? ''),
    );
    await objective.getByText(/^at most \d+ (s|min) more$/).waitFor();
    await press('Pause');
    await page.waitForTimeout(600);
    const held = await objective.textContent();
    expect(held).not.toContain('more');
    await page.waitForTimeout(600);
    expect(await objective.textContent()).toBe(held);
    await press('Resume');
    await page.waitForFunction(
      (before) => document.querySelector('[data-testid=objective]')!.textContent !== before,
      held,
    );
    await press('Stop');
    await page.waitForSelector('[data-status=done]');
    await expect.poll(() => status().textContent()).toMatch(/: Stopped by the visitor/);

    await iterations(10);
    await fitted();
    const first = JSON.parse(await saved('fit.json'));
    expect(first.status).toBe('maxIterations');
    await press('Continue');
    await page.waitForFunction(() => document.querySelector('[data-testid=objective]')!.textContent!.startsWith('20 '));
    await page.waitForSelector('[data-status=done]');
    const second = JSON.parse(await saved('fit.json'));
    expect(second.objective).toBeGreaterThan(first.objective + 1);
    expect(Math.abs((await printedByProgram('data.csv')) / second.objective - 1)).toBeLessThan(1e-9);
  });

  it('offers models to start with, by mouse and keys, in addition to all of them', async () => {
    await open();
    await drawer();
    const cards = page.getByRole('radiogroup', { name: 'Models to start with' });
    await cards.getByRole('radio', { name: /^UMAP/ }).check();
    await expect.poll(() => page.locator('[name=model]').inputValue()).toBe('umap');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.locator('[name=model]').inputValue()).toBe('pca');
    await page.selectOption('[name=model]', 'isomap');
    expect(await cards.locator(':checked').count()).toBe(0);
    await page.selectOption('[name=model]', 'tsne');
    await expect.poll(() => cards.getByRole('radio', { name: /^t-SNE/ }).isChecked()).toBe(true);
  });

  it('gives a likelihood without closed form its inducing inputs', async () => {
    await open();
    const counts = Array.from({ length: 40 }, (_, i) =>
      [0, 1, 2].map((j) => Math.round(4 + 3 * Math.sin(i / 6 + j))).join(),
    );
    await ownTable(['a,b,c', ...counts].join('\n'));
    await page.selectOption('[name=likelihood]', 'poisson');
    await expect.poll(() => page.locator('[name=inducing]').getAttribute('aria-valuetext')).toBe('30');
    await iterations(5);
    await fitted();
  });

  it('reports how many rows can be trusted with the reservations of an unfinished fit, and of a noise at its lower limit', async () => {
    await open();
    const verdict = async (expected: RegExp) => {
      await expect.poll(() => page.locator('.status p').innerText(), { timeout: 20_000 }).toMatch(expected);
      return page.locator('.status p').innerText();
    };
    await ownTable();
    await iterations(2);
    await fitted();
    await verdict(
      /^Not finished: so far, (all 40 points can be trusted where they are|\d+ of 40 points (is|are) in doubt)\./,
    );
    await panel().getByText('The fit is not finished, and positions may still change.').waitFor();
    const distinct = rows(120).filter((_, i) => i % 15 === 0);
    await ownTable(
      ['first,second,third,kind', ...distinct, ...distinct, ...distinct].join('\n'),
      '24 rows, 3 columns.',
    );
    await iterations(1000);
    await fitted();
    const text = await verdict(/\. Intervals are too narrow/);
    expect(text).not.toContain('Uncertainty');
    await panel().getByText('Intervals are too narrow: the noise is at its lower limit.').waitFor();
  });

  it('names the fit of the visible map while another replaces it', async () => {
    await open();
    await ownTable();
    await iterations(40);
    await page.evaluate(() => {
      const seen = new Set<string>();
      Object.assign(globalThis, { seen });
      const note = () => {
        const subject = document.querySelector('.subject')!.textContent!;
        const label = document.querySelector('[role=application]')?.getAttribute('aria-label');
        seen.add(`${subject.trim()}: ${label}`);
      };
      note();
      new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true });
    });
    await fitted();
    expect(await page.evaluate('[...globalThis.seen]')).toEqual([
      'pipe flow 150 rows × 12 columns: Map of 150 rows, gplvm',
      'own.csv 40 rows × 3 columns: Map of 40 rows, being fitted by gplvm',
      'own.csv 40 rows × 3 columns: Map of 40 rows, gplvm',
    ]);
  });

  it('continues from missing cells that a model does not take', async () => {
    await open();
    await ownTable(CSV.replace(/^0,/m, ','));
    await page.selectOption('[name=model]', 'pca');
    await press('Fit');
    await page.waitForSelector('[data-status=failed]');
    await press('Leave out 1 row');
    await page.locator('.subject').getByText('own.csv, 39 whole rows').waitFor();
    await page.waitForSelector('[data-status=done]');
    expect(JSON.parse(await saved('fit.json')).model.observations).toHaveLength(39);
  });

  it('explains invalid options and files of fits', async () => {
    await open();
    await drawer();
    await page.locator('[name=kernel]').fill('rbf + nothing');
    await press('Fit');
    await page.getByRole('alert').getByText("'nothing'").waitFor();
    await choose('fit', file('fit.json', '{}'));
    await page.getByRole('alert').getByText("'fit.json' is not a fit of this library").waitFor();
  });

  it('draws the map again and again while it fits', async () => {
    await open();
    const { observations, labels } = pipeFlow({ points: 300, seed: 2 });
    const lines = observations.toArrays().map((row, i) => [...row, `kind${labels[i]}`].join(','));
    await ownTable(lines.join('\n'), '300 rows, 12 columns.');
    await iterations(300);
    // As many pictures as the page has drawn of the map, from the fit's first step to its end.
    const pictures = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const seen = new Set<string>();
          let hasBegun = false;
          const look = () => {
            const isRunning = document.querySelector('[data-status=running]') !== null;
            if (isRunning) seen.add(document.querySelector<HTMLCanvasElement>('.map canvas')!.toDataURL());
            hasBegun ||= isRunning;
            if (hasBegun && !isRunning) resolve(seen.size);
            else requestAnimationFrame(look);
          };
          look();
        }),
    );
    await fitted();
    expect(await pictures).toBeGreaterThan(3);
  });

  it('estimates how long a fit of many rows takes, counts its seconds, and stops it before its first step', async () => {
    await open();
    const lines = Array.from({ length: 50_000 }, (_, i) =>
      [0, 1, 2].map((j) => (Math.sin(i / 900 + j) + ((i * 7919 * (j + 1)) % 1000) / 5000).toFixed(4)).join(),
    );
    await ownTable(['a,b,c', ...lines].join('\n'), '50000 rows, 3 columns.');
    await page.getByText('gplvm of 50,000 rows needs a minute or more for its first step.').waitFor();
    await press('Fit');
    await page.getByText('Fitting gplvm to 50000 rows', { exact: true }).waitFor();
    await page.getByText(/^Before its first step\d+ s$/).waitFor();
    await expect.poll(() => map().getAttribute('aria-label')).toBe('Map of 150 rows, gplvm');
    await press('Stop');
    await page.getByRole('alert').getByText('Stopped before the first step').waitFor();
    await page.locator('.subject').getByText('pipe flow').waitFor();
    await drawer();
    await press('Use pca');
    await fitted();
    await page.locator('.subject').getByText('own.csv').waitFor();
  });

  it('announces a fit that takes more than a minute before it begins, and no fit that takes seconds', async () => {
    await open({}, '#new', false);
    const lines = Array.from({ length: 2000 }, (_, i) =>
      Array.from({ length: 6 }, (__, j) =>
        (Math.sin(i / 900 + j) + ((i * 7919 * (j + 1)) % 1000) / 5000).toFixed(4),
      ).join(),
    );
    await choose('any', file('many.csv', [Array.from({ length: 6 }, (_, j) => `c${j}`).join(), ...lines].join('\n')));
    const announced = page.getByText(/^On this machine, the fit takes about/);
    await page.getByRole('heading', { name: 'many.csv', exact: true }).waitFor();
    await iterations(100_000);
    // Some of the rows give the first estimate.
    const rough =
      /^On this machine, the fit takes roughly \d+ min if it needs all 100,000 .* \(judged by 300 of its rows\)/;
    await page.locator('.welcome').getByText(rough).waitFor();
    await page
      .locator('.welcome')
      .getByText(/about \d+ min if it needs all 100,000 iterations, and less/)
      .waitFor();
    const minutes = Number(/about (\d+) min/.exec(await announced.first().innerText())![1]);
    // Half the iterations are expected to take half as long; a busy machine changes its pace.
    await iterations(50_000);
    await page
      .locator('.welcome')
      .getByText(/if it needs all 50,000 iterations/)
      .waitFor();
    const half = Number(/about (\d+) min/.exec(await announced.first().innerText())![1]);
    expect(half / minutes).toBeGreaterThan(0.2);
    expect(half / minutes).toBeLessThan(1.25);
    await page.selectOption('[name=model]', 'pca');
    await expect.poll(() => announced.count()).toBe(0);
    await page.waitForTimeout(1500);
    expect(await announced.count()).toBe(0);
  });

  it('fits many rows in batches, draws them, and gives the program', async () => {
    await open();
    const lines = Array.from({ length: 50_000 }, (_, i) =>
      [0, 1, 2].map((j) => (Math.sin(i / 900 + j) + ((i * 7919 * (j + 1)) % 1000) / 5000).toFixed(4)).join(),
    );
    await ownTable(['a,b,c', ...lines].join('\n'), '50000 rows, 3 columns.');
    await press('Use bayesianGplvm in batches');
    await iterations(20);
    await fitted();
    await panel().getByText('50,000 rows in 2 dimensions. The areas around rows are drawn for up to').waitFor();
    expect(await saved('program.ts')).toContain('fit(model, { batchSize: 1000, maxIterations: 20, seed: 0 })');
  });

  it('uses no more memory after ten fits than after three', async () => {
    await open();
    await ownTable();
    await iterations(15);
    const client = await page.context().newCDPSession(page);
    /** Bytes of the objects of the page and of its workers, when what is no longer used is gone. */
    const held = async () => {
      await client.send('HeapProfiler.collectGarbage');
      const { usedSize } = await client.send('Runtime.getHeapUsage');
      return { bytes: usedSize, workers: page.workers().length };
    };
    const after: Awaited<ReturnType<typeof held>>[] = [];
    for (let k = 0; k < 10; k++) {
      await fitted();
      await settled();
      // The worker of the fit, and that of the process which reads the map of principal components.
      await page.getByRole('button', { name: /^PCA trustworthiness/ }).waitFor();
      await expect.poll(() => page.workers().length).toBe(2);
      after.push(await held());
    }
    expect(after[9]!.workers).toBe(after[2]!.workers);
    expect(after[9]!.bytes / after[2]!.bytes).toBeLessThan(1.05);
  });

  it('assembles a model of a kernel, priors and a likelihood, and gives its program', async () => {
    await open();
    await ownTable();
    await page.getByText('Sliders of the kernel').click();
    await page.getByLabel('rbf lengthscale', { exact: false }).first().fill('-6');
    await expect
      .poll(() => page.locator('[name=kernel]').inputValue())
      .toBe('rbf(variance=fixed(1), lengthscale=fixed(0.501)) + bias(0.1)');
    await page.selectOption('[name=priors]', 'chosen');
    for (const prior of ['standardNormal', 'laplacian', 'discriminative'])
      await page.locator(`[name="prior.${prior}"]`).check();
    await page.locator('[name="prior.laplacian.strength"]').fill('6');
    await page.selectOption('[name=likelihood]', 'studentT');
    await page.locator('[name=inducing]').fill('1');
    await page.selectOption('[name=backConstraint]', 'linear');
    await page.getByLabel('Columns to mean 0').check();
    await iterations(8);
    await fitted();
    const { terms, objective } = JSON.parse(await saved('fit.json'));
    expect(Object.keys(terms)).toEqual(expect.arrayContaining(['standardNormal', 'laplacian', 'discriminative']));
    expect(Math.abs((await printedByProgram('data.csv')) / objective - 1)).toBeLessThan(1e-9);
  });
});
