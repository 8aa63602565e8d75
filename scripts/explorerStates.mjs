// Takes pictures of the explorer's twelve states: desktop and phone, light and dark. `npm run states -- FOLDER [--table FILE.csv] [--beside MOCK.html] [--only row,trust]
// [--looks desktop-light]`. The page must be built (npm run site). With `--beside`, pictures of a page that reads the same states from `#state=…` are made too.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { preview } from 'vite';
import { CHROMIUM_ARGUMENTS } from './chromiumArguments.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    table: { type: 'string' },
    beside: { type: 'string' },
    only: { type: 'string' },
    looks: { type: 'string' },
  },
});
const out = resolve(positionals[0] ?? 'explorer-states');
mkdirSync(out, { recursive: true });
const LOOKS = ['desktop', 'phone'].flatMap((device) => ['light', 'dark'].map((theme) => ({ device, theme })));
/** Names in the mock of states that it does not read from `state`. */
const BESIDE = {
  row: 'row=120',
  place: 'at=0.2000_0.1000',
  trust: 'trust=1',
  column: 'bg=value',
  compare: 'm=tsne',
  lasso: '',
  drawer: '',
};

const STATES = {
  async empty(page) {
    await page.goto(`${page.site}#new`);
    await page.reload();
    await page.waitForSelector('.welcome');
  },
  async reading(page) {
    await page.goto(`${page.site}#new`);
    await page.reload();
    const line = `${'0.123456789,'.repeat(19)}1\n`;
    await give(
      page,
      'any',
      'measurements.csv',
      `${Array.from({ length: 20 }, (_, j) => `c${j}`)}\n${line.repeat(150_000)}`,
    );
    await page.waitForSelector('.welcome [role=progressbar]');
    await page.waitForTimeout(1500);
    return async () => {
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    };
  },
  async error(page) {
    await page.goto(`${page.site}#new`);
    await page.reload();
    await give(page, 'any', 'ragged.csv', 'a,b\n1,2\n3,4,5\n');
    await page.getByRole('alert').waitFor();
  },
  async fitting(page) {
    await fitted(page, false);
    if (values.table !== undefined) {
      await page.waitForTimeout(2500);
      return () => page.waitForSelector('[data-status=done]');
    }
    // The example is already loaded: its fit runs to its end.
    await page.waitForSelector('[data-status=done]');
    await page.locator('[name=maxIterations]').evaluate((input) => {
      input.value = '100000';
      input.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await page.locator('#settings').evaluate((form) => form.requestSubmit());
    await page.getByRole('heading', { name: 'Fitting' }).waitFor();
    await page.waitForTimeout(700);
    return () => fitted(page);
  },
  async done(page) {
    await page.getByRole('button', { name: /^PCA trustworthiness/ }).waitFor();
    await page.waitForTimeout(1500);
  },
  async row(page) {
    await search(page, '120');
    await page.getByRole('heading', { name: /^row 120/i }).waitFor();
    await page
      .getByText(/exp\. |Difference|difference/)
      .first()
      .waitFor();
    return () => clear(page);
  },
  async place(page) {
    await drag(page, [
      [0.35, 0.35],
      [0.45, 0.5],
      [0.6, 0.45],
    ]);
    await page.getByRole('heading', { name: 'Expected here' }).waitFor();
    return () => clear(page);
  },
  async lasso(page) {
    await page.getByRole('application').focus();
    await page.keyboard.press('l');
    await drag(page, [
      [0.3, 0.3],
      [0.55, 0.25],
      [0.6, 0.5],
      [0.35, 0.55],
    ]);
    await page.getByRole('heading', { name: /\d+ rows/ }).waitFor();
    return () => clear(page);
  },
  async trust(page) {
    await page.keyboard.press('t');
    return () => page.keyboard.press('t');
  },
  async column(page) {
    const name = await page
      .locator('[name=background] option')
      .nth(30)
      .getAttribute('value')
      .catch(() => null);
    await page.selectOption('[name=background]', name ?? { index: 3 });
    await page.waitForTimeout(2000);
    return () => page.selectOption('[name=background]', 'certainty');
  },
  async compare(page) {
    await page.getByRole('button', { name: /^Make t-SNE/ }).evaluate((button) => button.click());
    const map = page.getByRole('button', { name: /^t-SNE trustworthiness/ });
    await map.waitFor();
    await map.evaluate((button) => button.click());
    await page.waitForTimeout(1500);
    return () => page.keyboard.press('1');
  },
  async drawer(page) {
    await page.getByRole('button', { name: 'Data and model', exact: true }).click();
  },
};

async function give(page, name, file, text) {
  await page
    .locator(`[name=${name}]`)
    .first()
    .setInputFiles({ name: file, mimeType: 'text/csv', buffer: Buffer.from(text) });
}
async function drag(page, places) {
  const { x, y, width, height } = await page.getByRole('application').boundingBox();
  const at = ([a, b]) => [x + a * width, y + b * height];
  await page.mouse.move(...at(places[0]));
  await page.mouse.down();
  for (const place of places.slice(1)) await page.mouse.move(...at(place), { steps: 8 });
  await page.mouse.up();
}
const clear = async (page) => {
  await page
    .getByRole('searchbox')
    .fill('')
    .catch(() => undefined);
  await page.getByRole('application').focus();
  await page.keyboard.press('Escape');
};
async function search(page, text) {
  await page.getByRole('application').focus();
  await page.keyboard.press('/');
  await page.getByRole('searchbox').fill(text);
}
/** Fits the table from the command line, or the example. */
async function fitted(page, isAwaited = true) {
  await page.goto(page.site);
  await page.reload();
  if (values.table !== undefined) {
    await page.waitForSelector('[data-status=done]');
    await page.locator('[name=table]').first().setInputFiles(values.table);
    await page.waitForFunction(() => document.querySelector('[name=set]').value === 'own');
    await page.locator('#settings').evaluate((form) => form.requestSubmit());
    await page.waitForSelector('[data-status=running]');
  }
  if (isAwaited) await page.waitForSelector('[data-status=done]');
}
/** How long a page that was never opened takes until its example is on the map, and until it is fitted. */
async function timeOfExample(context) {
  const page = await context.newPage();
  const began = performance.now();
  await page.goto(server.resolvedUrls.local[0]);
  const seconds = async (selector) => {
    await page.waitForSelector(selector);
    return ((performance.now() - began) / 1000).toFixed(1);
  };
  process.stdout.write(
    `The example is on the map after ${await seconds('[role=application]')} s and fitted after ${await seconds('[data-status=done]')} s.\n`,
  );
  await page.close();
}

const wanted = (values.only ?? Object.keys(STATES).join()).split(',');
const looks = LOOKS.filter(
  ({ device, theme }) => values.looks === undefined || values.looks.split(',').includes(`${device}-${theme}`),
);
const server = await preview({
  configFile: fileURLToPath(new URL('../web/vite.config.ts', import.meta.url)),
  preview: { port: 0, open: false },
});
const browser = await chromium.launch({
  executablePath: process.env.LATENTFIELD_CHROMIUM ?? '/usr/bin/chromium',
  args: CHROMIUM_ARGUMENTS,
});
try {
  for (const { device, theme } of looks) {
    const context = await browser.newContext({
      viewport: device === 'phone' ? { width: 390, height: 844 } : { width: 1440, height: 900 },
      colorScheme: theme,
      hasTouch: device === 'phone',
    });
    await timeOfExample(context);
    const page = Object.assign(await context.newPage(), { site: server.resolvedUrls.local[0] });
    page.setDefaultTimeout(60_000);
    const take = async (name, of = page) => {
      await of.waitForTimeout(700);
      await of.screenshot({ path: join(out, `${name}-${device}-${theme}.png`) });
    };
    let isFitted = false;
    for (const [name, reach] of Object.entries(STATES).filter(([state]) => wanted.includes(state))) {
      const isOfFit = !['empty', 'reading', 'error', 'fitting'].includes(name);
      if (isOfFit && !isFitted) await fitted(page);
      isFitted = isOfFit || name === 'fitting';
      const leave = await reach(page);
      await take(name);
      await leave?.();
    }
    if (values.beside !== undefined) {
      const mock = await context.newPage();
      for (const name of wanted) {
        await mock.goto('about:blank');
        await mock.goto(
          `${pathToFileURL(resolve(values.beside)).href}#theme=${theme}&${BESIDE[name] ?? `state=${name}&hold=0.6`}`,
        );
        await mock.waitForSelector('[data-ready]');
        if (name === 'drawer') await mock.keyboard.press('m');
        if (name === 'lasso') {
          await mock.keyboard.press('l');
          await drag(mock, [
            [0.3, 0.3],
            [0.55, 0.25],
            [0.6, 0.5],
            [0.35, 0.55],
          ]);
        }
        await take(`mock-${name}`, mock);
      }
    }
    await context.close();
  }
} finally {
  await browser.close();
  await new Promise((done) => server.httpServer.close(done));
}
process.stdout.write(`The pictures are in ${out}.\n`);
process.exit(0);
