// @module-tag long
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fit, gplvm, pca, ppca } from 'latentfield';
import { doubtSentence, LEAST_TRUSTWORTHINESS, localScores } from 'latentfield/inference';
import { parseTable } from 'latentfield/io';
import { comparedRows } from 'latentfield/models';
import { expect, it } from 'vitest';
import {
  CSV,
  choose,
  describePlayground,
  file,
  map,
  open,
  openFit,
  page,
  panel,
  press,
  root,
  saved,
  served,
} from './playgroundPage.ts';

/** 178 wines of three growers, 13 measurements in units that differ a thousandfold (Aeberhard & Forina, UCI, CC BY 4.0). */
const WINE = readFileSync(join(root, 'test/tables/wine.csv'), 'utf8');

/** Scores of the same fit by Node: those of `assess`, and of PCA in its units. */
async function byNode() {
  const { observations } = await parseTable(new TextEncoder().encode(WINE), 'wine.csv', { labels: 'class' });
  const result = await fit(gplvm(observations, { latentDim: 2 }), { maxIterations: 2000, seed: 0, engine: 'wasm' });
  const rows = await comparedRows(result);
  const own = localScores(rows, result.latents, { neighbors: 10 });
  const linear = await fit(pca(rows, { latentDim: 2 }), { engine: 'wasm' });
  const row = 40;
  const distance = (i: number) => rows.row(i).reduce((sum, value, j) => sum + (value - rows.at(row, j)) ** 2, 0);
  const near = Array.from({ length: rows.rows }, (_, i) => i).filter((i) => i !== row);
  return {
    trust: own.overall.trustworthiness.toFixed(3),
    doubtful: own.pointwise.trustworthiness.filter((value) => value < LEAST_TRUSTWORTHINESS).length,
    pca: localScores(rows, linear.latents, { neighbors: 10 }).overall.trustworthiness.toFixed(3),
    near: near.sort((a, b) => distance(a) - distance(b)).slice(0, 8),
  };
}

describePlayground('columns in different units', () => {
  it('are compared in the units of the fit everywhere: scores, doubt, nearest rows, other maps, and after reopening', async () => {
    const expected = await byNode();
    expect(expected.trust).toBe('0.948');
    expect(expected.doubtful).toBe(9);
    await open({}, '#new', false);
    await choose('any', file('wine.csv', WINE));
    await page.locator('.welcome').getByText('gplvm divides them by their standard deviations').waitFor();
    await press('Fit now');
    await page.waitForSelector('[data-status=done]');
    const shows = async () => {
      await panel()
        .getByText(`Trustworthiness ${expected.trust} of 1. ${doubtSentence(expected.doubtful, 178)}`)
        .waitFor();
      await page.getByRole('button', { name: `PCA trustworthiness ${expected.pca}` }).waitFor();
      // The scale says what share of the spread of a column is unknown, which no unit changes.
      await page
        .getByRole('region', { name: /^Uncertainty, relative to the spread of each column: \d+ % to \d+ %$/ })
        .waitFor();
      await map().focus();
      await page.keyboard.press('/');
      await page.keyboard.type('41');
      const near = panel().getByRole('region', { name: 'Like these rows' }).getByRole('button');
      await expect
        .poll(() => near.allInnerTexts())
        .toEqual(expected.near.map((i) => expect.stringMatching(`^row ${i + 1}, `)));
      await page.getByRole('searchbox').fill('');
    };
    await shows();
    const json = await saved('fit.json');
    await page.context().close();

    // Reopened, it is compared in the same units, and keeps its settings.
    await open();
    await openFit(json);
    await shows();
    await expect.poll(() => page.locator('[name=model]').inputValue()).toBe('gplvm');
    await press('Share');
    await press('Link to these settings');
    await page.getByText('It contains the settings and the table.').waitFor();
    const settings = JSON.parse(decodeURIComponent(page.url().slice(served.url.length + 1)));
    expect(settings).toMatchObject({ set: 'own', model: 'gplvm', labels: 'class', maxIterations: 2000 });
  });

  it.each(['pca', 'ppca'])('have the uncertainty of %s in each column, the same at all places', async (model) => {
    const shared = async (text: string, labels: string) => {
      const { observations, columns } = await parseTable(new TextEncoder().encode(text), 'table.csv', { labels });
      const result = await fit(model === 'pca' ? pca(observations) : ppca(observations), { engine: 'wasm' });
      const variances = result.predict([[0, 0]], { noise: true }).variance.row(0);
      return columns.map((column, j) => {
        const values = observations.column(j);
        const mean = values.reduce((a, b) => a + b) / values.length;
        const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
        return { column, share: Math.sqrt(variances[j]!) / spread };
      });
    };
    const fitted = async (name: string, text: string) => {
      await open({}, '#new', false);
      await choose('any', file(name, text));
      await page.locator('.welcome').getByText('Fit now').waitFor();
      await page.keyboard.press('m');
      await page.selectOption('[name=model]', model);
      await press('Fit');
      await page.waitForSelector('[data-status=done]');
    };
    const isListed = async (shares: { column: string; share: number }[]) => {
      const sorted = [...shares].sort((a, b) => a.share - b.share);
      const ends = sorted.length > 6 ? [...sorted.slice(0, 3), ...sorted.slice(-3)] : sorted;
      const listed = page.getByRole('table', { name: 'Uncertainty of each column' }).locator('tr');
      await expect
        .poll(async () => (await listed.allInnerTexts()).map((text) => text.trim().split(/\s*\t\s*/)))
        .toEqual(ends.map(({ column, share }) => [column, `${Math.round(100 * share)} %`]));
    };
    const wine = await shared(WINE, 'class');
    await fitted('wine.csv', WINE);
    // ppca divides these columns by their deviations, pca does not.
    if (model === 'pca') await isListed(wine);
    else {
      const words = `${Math.round(100 * wine[5]!.share)} % of every column. The same everywhere`;
      await page.locator('.scale').getByText(words).waitFor();
    }
    // No place is called well known, and none beyond the data.
    await map().focus();
    for (let k = 0; k < 3; k++) await page.keyboard.press('ArrowRight');
    await panel().getByText('here and everywhere: a linear model does not show where the rows end.').waitFor();
    expect(await page.locator('.gauge, .beyond').count()).toBe(0);
    await page.context().close();

    await fitted('own.csv', CSV);
    await isListed(await shared(CSV, 'kind'));
  });
});
