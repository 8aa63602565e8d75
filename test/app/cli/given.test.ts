import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { latentfield } from './latentfield.ts';

const folder = mkdtempSync(join(tmpdir(), 'given-'));
const at = (name: string) => join(folder, name);

async function called(...argv: string[]) {
  const { exitCode: code, stdout: out, stderr: err } = await latentfield(argv);
  return { code, out, err };
}

const SEASONS = ['winter', 'spring', 'summer'];
const rows = Array.from({ length: 30 }, (_, n) => {
  const season = n % 3;
  const cells = [0, 1, 2, 3].map((d) => (Math.sin(n / 5 + d) + 3 * Math.cos(season * (d + 1))).toFixed(4));
  return [SEASONS[season], (n / 10).toFixed(1), ...cells].join(',');
});
const table = (lines: readonly string[]) => `season,dose,a,b,c,d\n${lines.join('\n')}\n`;

let fitted: Awaited<ReturnType<typeof called>>;
beforeAll(async () => {
  writeFileSync(at('data.csv'), table(rows));
  fitted = await called(
    ...['fit', at('data.csv'), '-m', 'gplvm', '--given', 'season,dose', '--dim', '1', '--max-iterations', '20'],
    ...['-o', at('fit')],
  );
});

it('--given models columns in addition to the map, and commands on new rows need them', async () => {
  expect([fitted.code, fitted.err]).toEqual([0, expect.stringContaining('covariates: season=spring, season=summer')]);
  const saved = JSON.parse(readFileSync(at('fit/fit.json'), 'utf8'));
  expect(saved.table.columns).toEqual(['a', 'b', 'c', 'd']);
  expect(saved.table.covariates).toEqual(['season=spring', 'season=summer', 'season=winter', 'dose']);

  // Other rows may lack a level, and have their columns in another order.
  const some = rows.slice(0, 2).map((row) => row.split(','));
  const swapped = `b,dose,a,season,d,c\n${some.map(([s, dose, a, b, c, d]) => [b, dose, a, s, d, c].join(',')).join('\n')}\n`;
  writeFileSync(at('some.csv'), table(rows.slice(0, 2)));
  writeFileSync(at('swapped.csv'), swapped);
  const [placed, again] = [
    await called('project', at('fit'), at('some.csv')),
    await called('project', at('fit'), at('swapped.csv')),
  ];
  expect(placed.code).toBe(0);
  expect(again.out).toBe(placed.out);

  writeFileSync(at('places.csv'), 'x1,season,dose\n0.1,summer,0.5\n0.1,winter,0.5\n');
  const predicted = await called('predict', at('fit'), at('places.csv'));
  expect(predicted.code).toBe(0);
  const [summer, winter] = predicted.out.trim().split('\n').slice(1);
  expect(summer).not.toBe(winter);
  expect((await called('predict', at('fit'))).out.trim().split('\n')).toHaveLength(31);
  expect((await called('sample', at('fit'))).code).toBe(0);
  writeFileSync(at('holes.csv'), table([rows[0]!.replace(/[^,]*$/, '')]));
  expect((await called('impute', at('fit'), at('holes.csv'))).out).toMatch(/^season,dose,a,b,c,d\nwinter,0\.0,.*,-?\d/);
});

it('refuses tables without the covariates, with a new level, and with missing ones', async () => {
  const refused = async (name: string, text: string, message: RegExp) => {
    writeFileSync(at(name), text);
    const { code, err } = await called('project', at('fit'), at(name));
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  };
  await refused('none.csv', 'dose,a,b,c,d\n1,1,1,1,1\n', /lacks 3 covariates of the fit: 'season=spring'/);
  await refused('new.csv', table(['autumn,1,1,1,1,1']), /line 2: 'season' is 'autumn', a level that was not fitted/);
  await refused(
    'holed.csv',
    table(['winter,,1,1,1,1']),
    /column 'dose' is empty, but covariates are needed in each row/,
  );
  const pca = await called('fit', at('data.csv'), '-m', 'pca', '--given', 'dose', '-o', at('pca'));
  expect([pca.code, pca.err]).toEqual([2, expect.stringMatching(/pca has no covariates.*gplvm, bayesianGplvm/)]);
  const unknown = await called('fit', at('data.csv'), '--given', 'sseason', '-o', at('unknown'));
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringMatching(/no column 'sseason' for the covariates/)]);
});

const isBuilt = existsSync(fileURLToPath(new URL('../../../dist/explore/page.html', import.meta.url)));

const unbuilt = isBuilt ? '' : ' (needs the page of the explorer: npm run build)';

it.skipIf(!isBuilt)(`explore opens a fit with covariates${unbuilt}`, async () => {
  const page = await called('explore', at('fit'), '--page', at('page.html'));
  expect([page.code, page.err]).toEqual([0, '']);
});

it('select and compare take covariates of held-out rows', async () => {
  const selected = await called(
    ...[
      'select',
      at('data.csv'),
      '-m',
      'gplvm',
      '--given',
      'season,dose',
      '--grid',
      '{"latentDim":[1]}',
      '--folds',
      '2',
    ],
    ...['--max-iterations', '5'],
  );
  expect([selected.code, selected.out]).toEqual([0, expect.stringMatching(/^-?[\d.]+ \{"latentDim":1\}\nbest/)]);
  const pca = await called('select', at('data.csv'), '-m', 'pca', '--given', 'dose', '--grid', '{"latentDim":[1]}');
  expect([pca.code, pca.err]).toEqual([2, expect.stringMatching(/pca has no covariates/)]);
  const compared = await called(
    ...['compare', at('data.csv'), '--given', 'season,dose', '--models', 'ppca,gplvm', '-o', at('compared')],
    ...['--max-seconds', '4', '--json'],
  );
  expect([compared.code, compared.err]).toEqual([
    0,
    expect.stringContaining('note: ppca has no covariates, and is fitted without them.'),
  ]);
  const { rows } = JSON.parse(compared.out);
  expect(rows.map(({ heldOut }: { heldOut: { logDensity: number } }) => Number.isFinite(heldOut.logDensity))).toEqual([
    true,
    true,
  ]);
});

it('score and assess of a fit with covariates', { tags: 'long' }, async () => {
  expect((await called('info', at('fit'))).out).toContain('\ncovariates: season=spring, season=summer');
  const scored = await called('score', at('fit'), '--data', at('data.csv'));
  expect([scored.code, scored.out]).toEqual([0, expect.stringMatching(/trustworthiness 0\./)]);
  const assessed = await called(
    ...['assess', at('fit'), '--bootstraps', '1', '--restarts', '0', '--dimensions', 'none', '--max-iterations', '5'],
    ...['--page', at('assessment.html'), '--json'],
  );
  const { notAssessed } = JSON.parse(assessed.out);
  expect([assessed.code, notAssessed]).toEqual([0, {}]);
});
