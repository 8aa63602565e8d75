import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/data/index.ts';
import { fit, gplvm, isomap, nearestNeighbourError, pca, trustworthiness } from '../../src/index.ts';
import { NEEDS_CHROMIUM, startChromium } from '../plot/chromium.ts';
import { servedFolder } from './servedFolder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const built = join(root, 'web/dist/playground');
const why = NEEDS_CHROMIUM || (existsSync(built) ? '' : ' (the playground is not built: npm run site)');
const STRICT =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'";

const rows = (count: number, change = 0) =>
  Array.from({ length: count }, (_, i) => {
    const t = (i + change) / 7;
    return `${Math.sin(t)},${Math.cos(t)},${Math.sin(2 * t) / 2},${i % 3 === 0 ? 'a' : 'b'}`;
  });
const CSV = ['first,second,third,kind', ...rows(40)].join('\n');
const file = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

/** Of a trace of Chromium; `tdur` is the time that a task took of the processor, in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

describe.skipIf(why !== '')(`the playground${why}`, () => {
  let browser: Browser;
  let served: Awaited<ReturnType<typeof servedFolder>>;
  let page: Page;
  let problems: string[];

  beforeAll(async () => {
    // From a folder of a server, and with a policy for its workers too.
    served = await servedFolder(built, { below: '/some/where/', policy: STRICT });
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });
  beforeEach(() => {
    problems = [];
  });
  afterEach(async () => {
    await page.context().close();
    expect(problems).toEqual([]);
    expect(served.missing).toEqual([]);
  });

  async function open(options: BrowserContextOptions = {}, link = '') {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    page = await context.newPage();
    page.setDefaultTimeout(60_000);
    // Violations of the policy are told on the console too.
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(served.url)) problems.push(request.url());
    });
    await page.goto(served.url + link);
  }
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const iterations = (count: number) => page.getByLabel('Iterations at most').fill(String(count));
  const status = () => page.locator('[data-status]');
  async function fitted() {
    await press('Fit');
    await page.waitForSelector('[data-status=done], [data-status=failed]');
    expect(await status().getAttribute('data-status')).toBe('done');
  }
  async function saved(name: string): Promise<string> {
    const [download] = await Promise.all([page.waitForEvent('download'), press(name)]);
    return readFileSync(await download.path(), 'utf8');
  }
  /** What the program that the page gives prints, run beside the table that it gives. */
  async function printedByProgram(): Promise<number> {
    const folder = join(root, 'web/dist/program-test');
    mkdirSync(folder, { recursive: true });
    try {
      writeFileSync(join(folder, 'data.csv'), await saved('data.csv'));
      writeFileSync(join(folder, 'program.mjs'), await saved('program.ts'));
      return Number(execFileSync(process.execPath, ['program.mjs'], { cwd: folder, encoding: 'utf8' }));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  const choose = (name: string, given: ReturnType<typeof file>) => page.locator(`[name=${name}]`).setInputFiles(given);

  it('fits an example as Node does, and answers from the keyboard', async () => {
    await open();
    await iterations(30);
    await fitted();
    const { observations } = pipeFlow({ points: 150, seed: 1 });
    const expected = await fit(gplvm(observations, { latentDim: 2 }), { maxIterations: 30, seed: 0, engine: 'wasm' });
    const found = JSON.parse(await saved('fit.json'));
    // Logarithms and exponentials of hosts differ in their last bits.
    expect(Math.abs(found.objective / expected.objective - 1)).toBeLessThan(1e-9);
    expect(found.trace.at(-1).objective).toBeGreaterThan(found.trace[0].objective + 100);

    await page.getByRole('application').focus();
    await page.keyboard.press('n');
    await page.getByText('row 1, ').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText('expected at the cross').waitFor();
  });

  it('reads a table, tells its labels, and gives a program that fits it again', async () => {
    await open();
    await choose('table', file('own.csv', CSV));
    await page.getByText('40 rows, 3 columns.').waitFor();
    expect(await page.locator('[name=labels]').inputValue()).toBe('kind');
    await page.locator('[name=kernel]').fill('matern32 + white(0.01)');
    await iterations(20);
    await fitted();
    const { objective } = JSON.parse(await saved('fit.json'));
    expect(Math.abs((await printedByProgram()) / objective - 1)).toBeLessThan(1e-9);
    expect((await saved('latents.csv')).split('\n')[0]).toBe('x1,x2,label');
    expect(await saved('plot.svg')).toContain('<svg');
    expect(await saved('plot.png')).toContain('PNG');
  });

  it('places new rows, opens a saved fit, and holds a small table in its link', async () => {
    await open();
    await choose('table', file('own.csv', CSV));
    await page.getByText('40 rows, 3 columns.').waitFor();
    await iterations(15);
    await fitted();
    await choose('rows', file('more.csv', ['first,second,third,kind', ...rows(3, 0.5)].join('\n')));
    await page.getByText('3 new rows are placed').waitFor();
    await choose('rows', file('wrong.csv', 'a,b\n1,2\n3,4'));
    await page.getByText("'wrong.csv' was not placed: ").waitFor();
    const json = await saved('fit.json');
    const link = await page.getByRole('link', { name: 'Link to these settings' }).getAttribute('href');

    await page.context().close();
    await open({}, link!);
    await page.getByText('40 rows, 3 columns.').waitFor();
    expect(await page.getByLabel('Iterations at most').inputValue()).toBe('15');
    await page.getByText('Open a saved fit').click();
    await choose('fit', { ...file('fit.json', json), mimeType: 'application/json' });
    await page.getByText('fit.json: gplvm of 40 rows.').waitFor();
    await choose('fit', file('fit.json', '{}'));
    await page.getByText("'fit.json' is no fit of this library").waitFor();
  });

  it('pauses, goes on and stops', async () => {
    await open();
    await iterations(100_000);
    await press('Fit');
    const objective = page.getByTestId('objective');
    await page.waitForFunction(() => /after \d/.test(document.querySelector('[data-testid=objective]')!.textContent!));
    await press('Pause');
    await page.waitForTimeout(600);
    const held = await objective.textContent();
    await page.waitForTimeout(600);
    expect(await objective.textContent()).toBe(held);
    await press('Resume');
    await page.waitForFunction(
      (before) => document.querySelector('[data-testid=objective]')!.textContent !== before,
      held,
    );
    await press('Stop');
    await page.waitForSelector('[data-status=done]');
    expect(await status().textContent()).toMatch(/^stopped: /);
  });

  it.each([
    ['ragged.csv', 'a,b\n1,2\n3,4,5\n', "'ragged.csv' is ragged: line 1 has 2 cells, but line 3 has 3."],
    ['words.csv', 'a,b\nx,y\nz,w\n', "'words.csv' has no column of numbers"],
    ['empty.csv', '', "'empty.csv' is empty."],
    ['table.xlsx', 'PK', "'table.xlsx' ends in '.xlsx': expected .csv"],
    ['broken.npy', 'no array', "'broken.npy' cannot be read as .npy"],
  ])('says what is wrong with %s, and stays usable', async (name, text, sentence) => {
    await open();
    await choose('table', file(name, text));
    await page.getByRole('alert').getByText(sentence).waitFor();
    await page.selectOption('[name=set]', 'twoMoons');
    await page.getByText('200 rows, 2 columns.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
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

  it('says what is wrong with options', async () => {
    await open();
    await page.locator('[name=kernel]').fill('rbf + nothing');
    await press('Fit');
    await page.waitForSelector('[data-status=failed]');
    expect(await status().textContent()).toContain("'nothing'");
  });

  it('keeps drawing while it fits 300 rows', async () => {
    await open();
    const { observations, labels } = pipeFlow({ points: 300, seed: 2 });
    const lines = observations.toArrays().map((row, i) => [...row, `kind${labels[i]}`].join(','));
    await choose('table', file('flow.csv', lines.join('\n')));
    await page.getByText('300 rows, 12 columns.').waitFor();
    await iterations(60);
    expect(await longestTask(fitted)).toBeLessThan(100);
  });

  /**
   * The longest task of the page's own thread while something is done, in milliseconds of the processor.
   * Other processes of a busy machine do not lengthen it, as they lengthen the time between two frames.
   */
  async function longestTask(done: () => Promise<void>): Promise<number> {
    await browser.startTracing(page, { categories: ['toplevel'] });
    await done();
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
    const of = ({ pid, tid }: TraceEvent) => `${pid}:${tid}`;
    const pages = traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(of);
    const tasks = traceEvents.filter(
      (event) => event.name === 'ThreadControllerImpl::RunTask' && pages.includes(of(event)),
    );
    expect(tasks.length).toBeGreaterThan(20);
    // A task under way at either end of the trace has no time of its own.
    return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000));
  }

  it('tells a page that holds its thread from one that does not', async () => {
    await open();
    const roots = (count: number) =>
      page.evaluate((end) => {
        let sum = 0;
        for (let i = 0; i < end; i++) sum += Math.sqrt(i);
        return sum;
      }, count);
    const turns = async (last: number) => {
      for (let i = 0; i < 30; i++) await roots(i === 29 ? last : 1);
    };
    expect(await longestTask(() => turns(1))).toBeLessThan(100);
    expect(await longestTask(() => turns(5e8))).toBeGreaterThan(100);
  });

  it('stays fluid with 10 000 points', async () => {
    await open();
    const lines = Array.from({ length: 10_000 }, (_, i) => {
      const t = i / 900;
      return [Math.sin(t) + ((i * 7919) % 997) / 997, Math.cos(1.3 * t), ((i * 31) % 1009) / 1009, `k${i % 7}`].join();
    });
    await choose('table', file('many.csv', ['a,b,c,kind', ...lines].join('\n')));
    await page.getByText('10000 rows, 3 columns.').waitFor();
    await press('Fit');
    await page.waitForSelector('[data-status=failed]');
    expect(await status().textContent()).toContain('matrices of 10000 × 10000 numbers, too large for a page');
    await page.selectOption('[name=model]', 'pca');
    await fitted();
    const { x, y, width, height } = (await page.getByRole('application').boundingBox())!;
    const longest = await longestTask(async () => {
      await page.mouse.move(x, y);
      await page.mouse.move(x + width, y + height, { steps: 50 });
      await page.getByRole('application').focus();
      for (const key of '+++---') await page.keyboard.press(key);
    });
    expect(longest).toBeLessThan(100);
  });

  const drag = async () => {
    const { x, y, width, height } = (await page.getByRole('application').boundingBox())!;
    const at = (part: number) => [x + part * width, y + part * height] as const;
    await page.mouse.move(...at(0.3));
    await page.mouse.down();
    await page.getByText('expected at the cross').waitFor();
    const before = await page.locator('.shown').innerHTML();
    const pixels = () => page.evaluate(() => document.querySelector<HTMLCanvasElement>('canvas.pixels')?.toDataURL());
    const picture = await pixels();
    await page.mouse.move(...at(0.6), { steps: 4 });
    await page.waitForTimeout(200);
    await page.mouse.up();
    const after = await page.locator('.shown').innerHTML();
    return { isOther: after !== before || (await pixels()) !== picture, after };
  };
  it.each([
    ['a row', 'twoMoons', /x: -?[\d.e-]+ ± [\d.e-]+/],
    ['an image', 'turningBar', /<canvas[^>]*class="pixels"[^>]*>.*± [\d.e-]+ a pixel/s],
    ['a curve', 'pipeFlow', /<polygon[^>]*class="band"/],
    ['a skeleton', 'walkingFigure', /<ellipse[^>]*class="band".*<line/s],
  ])('shows what the model expects where one drags, with its uncertainty: %s', async (_, set, shown) => {
    await open();
    await page.selectOption('[name=set]', set);
    await iterations(5);
    await fitted();
    const { isOther, after } = await drag();
    expect(isOther).toBe(true);
    expect(after).toMatch(shown);
  });

  it('shows the row under the pointer, colours by a column, and what stands behind the points', async () => {
    await open();
    await page.selectOption('[name=set]', 'turningBar');
    await iterations(5);
    await fitted();
    const canvas = () => page.evaluate(() => document.querySelector<HTMLCanvasElement>('.scatter canvas')!.toDataURL());
    const { x, y, width, height } = (await page.getByRole('application').boundingBox())!;
    const isHovering = async () => (await page.getByText(/^row \d+, length/).count()) > 0;
    for (let k = 0; k < 300 && !(await isHovering()); k++) {
      await page.mouse.move(x + ((k % 100) * width) / 100, y + height * (0.45 + 0.05 * Math.floor(k / 100)));
    }
    await page.getByText(/^row \d+, length/).waitFor();
    expect(await page.locator('.shown canvas.pixels').count()).toBe(1);
    await page.mouse.move(0, 0);
    const labelled = await canvas();
    await page.selectOption('[name=color]', 'row5col5');
    await page.getByText('row5col5: ').waitFor();
    await page.waitForTimeout(1500);
    const [coloured, behind] = [await canvas(), page.locator('[name=background]')];
    expect(coloured).not.toBe(labelled);
    await behind.selectOption('magnification');
    await page
      .getByText('Grey: where a step changes the expected row most, fainter where that row is uncertain.')
      .waitFor();
    await page.waitForTimeout(200);
    expect(await canvas()).not.toBe(coloured);
    await behind.selectOption('none');
    expect(await page.getByText('Grey:').count()).toBe(0);
  });

  it('puts other methods side by side, with the scores that Node finds', async () => {
    await open();
    await iterations(5);
    await fitted();
    await press('Compare with PCA, Isomap and UMAP');
    await page.getByRole('img', { name: 'Latents of UMAP' }).waitFor();
    const captions = await page.locator('.method figcaption').allTextContents();
    const { observations, labels } = pipeFlow({ points: 150, seed: 1 });
    for (const [k, [name, make]] of [['PCA', pca] as const, ['Isomap', isomap] as const].entries()) {
      const { latents } = await fit(make(observations, { latentDim: 2 }), { engine: 'wasm' });
      const score = trustworthiness(observations, latents, 10).toFixed(3);
      const error = nearestNeighbourError(latents, labels).toFixed(3);
      expect(captions[k + 1]).toBe(`${name} trustworthiness ${score}, error ${error}`);
    }
    expect(captions[0]).toMatch(/^gplvm trustworthiness \d\.\d{3}, error \d\.\d{3}$/);
    expect(captions[3]).toMatch(/^UMAP trustworthiness \d\.\d{3}, error \d\.\d{3}$/);
  });

  it('assembles a model of a kernel, priors and a likelihood, and gives its program', async () => {
    await open();
    await choose('table', file('own.csv', CSV));
    await page.getByText('40 rows, 3 columns.').waitFor();
    await page.getByText('Sliders of the kernel').click();
    await page.getByLabel('rbf lengthscale', { exact: false }).first().fill('-6');
    expect(await page.locator('[name=kernel]').inputValue()).toBe(
      'rbf(variance=fixed(1), lengthscale=fixed(0.501)) + bias(0.1)',
    );
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
    expect(Math.abs((await printedByProgram()) / objective - 1)).toBeLessThan(1e-9);
  });

  it('opens a saved fit on a fresh page with its rows, decodes and places new ones', async () => {
    await open();
    await choose('table', file('own.csv', CSV));
    await page.getByText('40 rows, 3 columns.').waitFor();
    await iterations(15);
    await fitted();
    const json = await saved('fit.json');
    await page.reload();
    await page.getByText('Open a saved fit').click();
    await choose('fit', { ...file('fit.json', json), mimeType: 'application/json' });
    await page.getByText('fit.json: gplvm of 40 rows.').waitFor();
    await page.getByRole('application').focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('expected at the cross').waitFor();
    expect(await page.locator('.shown').textContent()).toContain('column 3: ');
    expect(JSON.parse(await saved('fit.json'))).toEqual(JSON.parse(json));
    await press('program.ts');
    await page.getByText('program.ts cannot be made: The options of a fit that was opened are not known.').waitFor();
  });

  it('takes a file that is dropped, and says when one is too large', async () => {
    await open();
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

  it('follows the address, and runs by itself within another page', async () => {
    await open();
    const link = (settings: object) => `#${encodeURIComponent(JSON.stringify(settings))}`;
    await page.evaluate(
      (hash) => {
        location.hash = hash;
      },
      link({ set: 'swissRoll', model: 'isomap', options: { latentDim: 2, neighbours: 8 } }),
    );
    await page.getByText('300 rows, 3 columns.').waitFor();
    expect(await page.locator('[name=model]').inputValue()).toBe('isomap');
    await page.context().close();
    await open({}, link({ set: 'twoMoons', model: 'gplvm', maxIterations: 5, run: true, compact: true }));
    await page.waitForSelector('[data-status=done]');
    expect(await page.locator('[name=model]').count()).toBe(0);
    expect(await page.getByRole('application').count()).toBe(1);
  });

  it('draws kernels with sliders', async () => {
    await open({}, 'kernels.html#rbf');
    const drawing = () => page.evaluate(() => document.querySelector<HTMLCanvasElement>('.lines canvas')!.toDataURL());
    await page.getByText('Covariance of x with').waitFor();
    await page.waitForTimeout(200);
    const before = await drawing();
    await page.getByLabel('rbf lengthscale', { exact: false }).first().fill('20');
    expect(await page.locator('[name=kernel]').inputValue()).toBe('rbf(variance=1, lengthscale=10)');
    await page.waitForTimeout(200);
    expect(await drawing()).not.toBe(before);
    await page.locator('[name=kernel]').fill('rbf + nothing');
    await page.getByText("'nothing'").waitFor();
  });

  it.each([
    ['light', { colorScheme: 'light', viewport: { width: 1280, height: 900 } }],
    ['dark', { colorScheme: 'dark', viewport: { width: 1280, height: 900 } }],
    ['on a phone', { colorScheme: 'light', viewport: { width: 360, height: 740 }, hasTouch: true }],
  ] as const)('is readable and reachable, %s', async (_, options) => {
    await open(options);
    await iterations(5);
    await fitted();
    await page.getByRole('application').focus();
    await page.keyboard.press('ArrowRight');
    const widths = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    expect(widths[0]).toBeLessThanOrEqual(widths[1]!);
    const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
    const { violations } = (await page.evaluate(`${axe}; axe.run()`)) as {
      violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
    };
    expect(
      violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`,
      ),
    ).toEqual([]);
  });
});
