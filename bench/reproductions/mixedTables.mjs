import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { library } from './data.mjs';
import { DRAWN_TABLES } from './mixedTables/drawnTables.mjs';
import { logScore, lossOf, placeOf } from './mixedTables/scores.mjs';

const { bayesianGplvm, byKind, fit, Matrix, seededRandom } = library;

/** Tables of R's package datasets. */
const FROM_R = {
  iris: 'iris',
  co2: 'CO2[, c("Type", "Treatment", "conc", "uptake")]',
  mtcars:
    'transform(mtcars[, c("mpg","disp","hp","wt","qsec","carb","vs","am","cyl","gear")], cyl=paste0("c",cyl), gear=paste0("g",gear))',
  infert:
    'transform(infert[seq(1, 248, 2), c("education","age","parity","induced","case","spontaneous")], education=paste0("e",as.integer(education)))',
  airquality: 'transform(na.omit(airquality)[, c("Ozone","Solar.R","Wind","Temp","Month")], Month=paste0("m",Month))',
};
const OPTIONS = { latentDim: 2, inducing: 15, missing: 'ignore' };
const PLURALS = { number: 'numbers', amount: 'amounts', fraction: 'fractions', count: 'counts', grade: 'grades' };
/** Every fourth row has hidden cells, so that four splits hide cells of each row once. */
const SPLITS = 4;

async function run(study) {
  const names = study.quick ? ['customers'] : [...Object.keys(FROM_R), ...Object.keys(DRAWN_TABLES)];
  const [scores, errors] = [[], []];
  study.note(
    'Cells of every fourth row are hidden, a category as a whole, and predicted from the rest of their rows, in four splits that hide cells of each row once: by `bayesianGplvm` with columns modeled by their kinds, by the same model with one-hot columns under Gaussian noise, by the factor analysis of mixed data (Pages, 2004) in two dimensions with missing entries, by five nearest neighbors and by iterated Bayesian regressions, both of scikit-learn on standardized columns. Probabilities of categories from the factor analysis are read in two ways, from Gaussian densities of the indicators and from the fitted shares, and the better score counts. The first five tables are from R’s package datasets; the others are drawn by rules written after the public descriptions of known tables, with dependencies that are none of the compared models. All fits have two latent dimensions and 15 inducing inputs.',
  );
  study.table(
    'Mean log score of hidden cells',
    ['table', 'rows', 'columns', 'hidden', 'kinds', 'one-hot Gaussian', 'FAMD', 'in 90 %'],
    scores,
  );
  study.table(
    'Mean error of hidden cells: the square in standard deviations of the column, or 1 for a wrong category',
    ['table', 'kinds', 'nearest neighbors', 'iterated regressions', 'less neighbors', 'less regressions', 'level'],
    errors,
  );
  const totals = { tables: 0, gaussian: 0, famd: 0, level: 0, inside: 0, numbers: 0, behind: 0 };
  const placesOfKinds = Object.fromEntries(Object.keys(PLURALS).map((kind) => [kind, []]));
  const insideOf = (places) => places.filter((place) => place > 0.05 && place < 0.95).length;
  const average = (list) => list.reduce((sum, entry) => sum + entry, 0) / list.length;
  const shown = (value) => value?.toFixed(3) ?? (study.quick ? '–' : 'not installed');
  for (const name of names) {
    const table = read(name, study.quick);
    // By hidden cell, of all splits.
    const logs = { kinds: [], gaussian: [], famd: [], clipped: [] };
    const losses = { kinds: [], neighbors: [], iterated: [] };
    const places = [];
    for (let split = 1; split <= (study.quick ? 1 : SPLITS); split++) {
      const { groups, truth, holed, hidden } = hide(table, split);
      const rows = [...new Set(hidden.map(({ row }) => row))];
      const filledBy = (model) =>
        study.cell(`${name}, ${split}, ${model.name}`, async () => {
          const result = await fit(model.make(), { maxIterations: study.quick ? 30 : 200 });
          const { mean, variance } = await result.impute(rows.map((i) => holed[i]));
          return { ...byRow(rows, mean, variance), kinds: Object.values(result.toJSON().model.kinds ?? {}) };
        });
      const observations = Matrix.from(holed);
      const kinds = await filledBy({
        name: 'kinds',
        make: () => bayesianGplvm({ columns: table.columns, observations }, { ...OPTIONS, columns: byKind() }),
      });
      const gaussian = await filledBy({
        name: 'Gaussian',
        make: () => bayesianGplvm(observations, { ...OPTIONS, scale: true }),
      });
      const others = study.quick
        ? null
        : await study.cell(`${name}, ${split}, others`, () => imputedByOthers(holed, groups));
      const random = seededRandom(2);
      for (const cell of hidden) {
        const scoreOf = (filled, isClipped) => logScore(cell, filled, groups, truth, isClipped);
        const errorOf = (filled) => lossOf(cell, filled, groups, truth);
        logs.kinds.push(scoreOf(kinds));
        logs.gaussian.push(scoreOf(gaussian));
        losses.kinds.push(errorOf(kinds));
        const place = placeOf(cell, kinds, groups, truth, random);
        if (place !== undefined) {
          places.push(place);
          placesOfKinds[kinds.kinds[cell.group]].push(place);
        }
        if (others === null) continue;
        logs.famd.push(scoreOf(others.famd));
        logs.clipped.push(scoreOf(others.famd, true));
        losses.neighbors.push(errorOf(others.neighbors));
        losses.iterated.push(errorOf(others.iterated));
      }
    }
    const hasOthers = logs.famd.length > 0;
    // Shares of levels from Gaussians of the indicators, or the fitted shares, whichever scores higher.
    const famd = hasOthers ? Math.max(average(logs.famd), average(logs.clipped)) : undefined;
    const inside = insideOf(places);
    const [ours, plain] = [average(logs.kinds), average(logs.gaussian)];
    const cells = losses.kinds.length;
    scores.push([
      ...[name, table.rows.length, new Set(table.columns.map((column) => column.replace(/=.*/, ''))).size, cells],
      ...[shown(ours), shown(plain), shown(famd), `${inside}/${places.length}`],
    ]);
    // Level: the mean difference is at most its standard error.
    const gaps = ['neighbors', 'iterated'].map((rival) => {
      if (!hasOthers) return undefined;
      const differences = losses.kinds.map((loss, k) => loss - losses[rival][k]);
      const mean = average(differences);
      return { mean, error: Math.sqrt(average(differences.map((each) => (each - mean) ** 2)) / cells) };
    });
    const isLevel = gaps.map((gap) => gap !== undefined && gap.mean <= gap.error);
    errors.push([
      ...[name, shown(average(losses.kinds))],
      ...['neighbors', 'iterated'].map((rival) => shown(hasOthers ? average(losses[rival]) : undefined)),
      ...gaps.map((gap) => (gap ? `${shown(gap.mean)} ± ${shown(gap.error)}` : '–')),
      hasOthers ? isLevel.map((level) => (level ? 'yes' : 'no')).join(', ') : '–',
    ]);
    totals.tables++;
    for (const gap of gaps) if (gap) totals.behind = Math.max(totals.behind, gap.mean / gap.error);
    totals.gaussian += ours > plain;
    totals.famd += famd !== undefined && ours > famd;
    totals.level += isLevel.every(Boolean);
    totals.inside += inside;
    totals.numbers += places.length;
  }
  if (study.quick) return;
  const byKinds = Object.entries(placesOfKinds).flatMap(([kind, places]) =>
    places.length === 0
      ? []
      : [`${(insideOf(places) / places.length).toFixed(3)} of ${places.length} ${PLURALS[kind]}`],
  );
  study.note(
    `The log score is higher than that of one-hot columns under Gaussian noise on ${totals.gaussian} of ${totals.tables} tables and higher than that of the factor analysis of mixed data on ${totals.famd}. The error is level with, or lower than, those of both nearest neighbors and iterated regressions on ${totals.level} of ${totals.tables}; level means that the mean of the differences in the hidden cells is at most its standard error, and the furthest behind is ${totals.behind.toFixed(2)} standard errors. Intervals of 90 % contain ${totals.inside} of ${totals.numbers} hidden numbers, ${(totals.inside / totals.numbers).toFixed(3)}: ${byKinds.join(', ')}.`,
  );
}

export const mixedTables = {
  name: 'mixed-tables',
  title: 'Mixed tables: hidden numbers and categories',
  source: 'A comparison of our own',
  files: [],
  run,
};

/** Columns of numbers, and of 0 and 1 for the levels of texts. */
function read(name, isQuick) {
  const csv =
    FROM_R[name] === undefined
      ? DRAWN_TABLES[name](seededRandom(7))
      : execFileSync('Rscript', ['-e', `write.csv(${FROM_R[name]}, row.names=FALSE, quote=FALSE)`], {
          encoding: 'utf8',
        });
  const [names, ...all] = csv
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const rows = isQuick ? all.slice(0, 80) : all;
  const columns = [];
  const parts = names.map((column, j) => {
    const cells = rows.map((row) => row[j]);
    if (cells.every((cell) => Number.isFinite(Number(cell)))) {
      columns.push(column);
      return cells.map((cell) => [Number(cell)]);
    }
    const levels = [...new Set(cells)].sort();
    columns.push(...levels.map((level) => `${column}=${level}`));
    return cells.map((cell) => levels.map((level) => Number(level === cell)));
  });
  return { columns, rows: rows.map((_, i) => parts.flatMap((part) => part[i])) };
}

/** Hides about a quarter of the cells of every fourth row, at least one and never all. */
function hide({ columns, rows }, split) {
  const groups = [];
  columns.forEach((name, j) => {
    const prefix = name.includes('=') ? name.slice(0, name.indexOf('=')) : undefined;
    const last = groups.at(-1);
    if (prefix !== undefined && last?.prefix === prefix) last.positions.push(j);
    else groups.push({ prefix, positions: [j] });
  });
  const random = seededRandom(split);
  const holed = rows.map((row) => [...row]);
  const hidden = [];
  for (let i = split - 1; i < rows.length; i += SPLITS) {
    const first = random.integer(groups.length);
    groups.forEach(({ positions }, group) => {
      if (group !== first && (random.uniform() > 0.15 || group === (first + 1) % groups.length)) return;
      hidden.push({ row: i, group });
      for (const j of positions) holed[i][j] = Number.NaN;
    });
  }
  return { groups: groups.map(({ positions }) => positions), truth: rows, holed, hidden };
}

function byRow(rows, mean, variance) {
  const found = { mean: {}, variance: {} };
  rows.forEach((row, r) => {
    found.mean[row] = Array.from(mean.row(r));
    found.variance[row] = Array.from(variance.row(r));
  });
  return found;
}

/** Imputations by other programs; null where Python or scikit-learn is not installed. */
function imputedByOthers(holed, groups) {
  const observations = holed.map((row) => row.map((y) => (Number.isNaN(y) ? null : y)));
  const { status, stdout } = spawnSync(
    process.env.LATENTFIELD_PYTHON ?? '/usr/bin/python3',
    [fileURLToPath(new URL('../peers/imputers.py', import.meta.url))],
    {
      input: JSON.stringify({ groups, observations }),
      encoding: 'utf8',
      maxBuffer: 1e8,
      env: { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
    },
  );
  return status === 0 ? JSON.parse(stdout) : null;
}
