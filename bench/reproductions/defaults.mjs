import { components, count, hasData, library, readLabels, readMatrix, rowsOf } from './data.mjs';

const { fit, InvalidInputError, Matrix, namedModels, NumericalError, nearestNeighborError, trustworthiness } = library;

/** The data sets by name; labels where there are any. */
const SETS = {
  iris: ['iris_X.npy', 'iris_y.npy'],
  wine: ['wine_X.npy', 'wine_y.npy'],
  'oil flow': ['oil_train_X.npy', 'oil_train_y.npy'],
  'digits 8×8': ['digits8x8_X.npy', 'digits8x8_y.npy'],
  letter: ['letter_X.npy', 'letter_y.npy'],
  pendigits: ['pendigits_test_X.npy', 'pendigits_test_y.npy'],
  USPS: ['usps_X.npy', 'usps_y.npy'],
  'YALE-B': ['yaleb_X.npy', 'yaleb_y.npy'],
  'COIL-20': ['coil20_32_X.npy', 'coil20_32_y.npy'],
  'two moons': ['two_moons_X.npy', 'two_moons_y.npy'],
  'CMU motion capture': ['cmu_mocap_X.npy', 'cmu_mocap_y.npy'],
  run1: ['run1_X.npy'],
  robot: ['robot_train_X.npy'],
  duck: ['coil20_duck_X.npy'],
  teapots: ['teapots_X.npy'],
  circle: ['kegl_circle_X.npy'],
  'distorted S': ['kegl_distorted_s_X.npy'],
};
const QUICK_SETS = ['iris', 'two moons'];
const QUICK_MODELS = ['gplvm', 'tpslvm', 'meu', 'mpme', 'alle', 'pca', 'isomap'];
const SCALES = [0.1, 1, 100];
const POINTS = 150;
/** All rows are fitted where the cost promises to take no longer, in CPU seconds: cubic of these models, else quadratic. */
const PATIENCE = 10;
const CUBIC = 'gplvm tpslvm gplrf dgplvm llGplvm rankGplvm tsneGplvm drill mvu'.split(' ');
/** Models without a default for the latent dimension. */
const ASKED = 'gplvm tpslvm gplrf dgplvm llGplvm rankGplvm tsneGplvm bayesianGplvm'.split(' ');
/** Changes of the unit that no model may notice but by rounding. */
const NUDGES = [1 + 2 ** -30, 1 - 2 ** -30];
const NEIGHBORS = 10;

async function readSet(name, points) {
  const [file, labelFile] = SETS[name];
  const all = await readMatrix(file);
  const rows = count(Math.min(points, all.rows));
  const labels = labelFile === undefined ? undefined : readLabels(labelFile);
  const own = labels && rows.map((i) => labels[i]);
  return { Y: rowsOf(all, rows), labels: new Set(own).size > 1 ? own : undefined, isAll: rows.length === all.rows };
}

/** The observations in a unit that makes the root mean variance of their columns about `deviation`: a power of two changes no digit. */
function inUnit(Y, deviation, nudge) {
  const mean = count(Y.columns).map((j) => Y.column(j).reduce((sum, entry) => sum + entry, 0) / Y.rows);
  const variance = Y.data.reduce((sum, entry, k) => sum + (entry - mean[k % Y.columns]) ** 2, 0) / Y.data.length;
  const unit = nudge * 2 ** Math.round(Math.log2(deviation / Math.sqrt(variance)));
  return new Matrix(
    Y.data.map((entry) => unit * entry),
    Y.rows,
    Y.columns,
  );
}

/** Leave-one-out errors of the nearest neighbor; without labels what neighborhoods lose, 1 − trustworthiness. */
function errorOf({ Y, labels }, X) {
  if (labels !== undefined) return nearestNeighborError(X, labels);
  return 1 - trustworthiness(Y, X, Math.min(NEIGHBORS, Math.floor((Y.rows - 1) / 4)));
}

async function outcomeOf(name, set, deviation, nudge = 1) {
  const Y = inUnit(set.Y, deviation, nudge);
  const before = process.cpuUsage();
  const spent = () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  try {
    const result = await fit(namedModels[name].make(Y, set.labels, ASKED.includes(name) ? { latentDim: 2 } : {}));
    return {
      status: result.status,
      message: result.message,
      components: result.graph === undefined ? undefined : components(result.graph),
      error: result.latents.rows === Y.rows ? errorOf(set, result.latents) : undefined,
      seconds: spent(),
    };
  } catch (error) {
    if (!(error instanceof InvalidInputError || error instanceof NumericalError)) throw error;
    return { status: 'refused', message: error.message };
  }
}

async function run(study) {
  const names = study.quick ? QUICK_SETS : Object.keys(SETS).filter((name) => SETS[name].every(hasData));
  const models = study.quick ? QUICK_MODELS : Object.keys(namedModels);
  const points = study.quick ? 40 : POINTS;
  const sets = new Map();
  for (const name of names) sets.set(name, await readSet(name, points));
  const pairs = names.flatMap((name) =>
    models.filter((model) => !namedModels[model].takesLabels || sets.get(name).labels).map((model) => [name, model]),
  );
  const known = new Map();
  const outcome = async (key, compute) => {
    if (study.isChosen(key)) known.set(key, await study.cell(key, compute));
  };
  try {
    // First what every model shows of every set, then other units, then all rows: a run whose time is up has seen most.
    for (const deviation of [1, 0.1, 100]) {
      for (const [name, model] of pairs) {
        await outcome(`${name}, ${model}, ${deviation}`, () => outcomeOf(model, sets.get(name), deviation));
      }
    }
    for (const [name, model] of pairs) {
      if (study.quick || isEqual(errorsAt(known, name, model))) continue;
      for (const nudge of NUDGES) {
        await outcome(`${name}, ${model}, nudged ${nudge}`, () => outcomeOf(model, sets.get(name), 1, nudge));
      }
    }
    if (!study.quick) await wholeSets(pairs, sets, points, known, outcome);
  } finally {
    show(study, pairs, sets, points, known);
  }
}

async function wholeSets(pairs, sets, points, known, outcome) {
  const read = new Map();
  for (const [name, model] of pairs) {
    const some = known.get(`${name}, ${model}, 1`);
    if (some?.seconds === undefined || sets.get(name).isAll) continue;
    if (!read.has(name)) read.set(name, await readSet(name, Infinity));
    const all = read.get(name);
    if (some.seconds * (all.Y.rows / points) ** (CUBIC.includes(model) ? 3 : 2) > PATIENCE) continue;
    await outcome(`${name}, ${model}, all ${all.Y.rows}`, () => outcomeOf(model, all, 1));
  }
}

/** Errors at every unit, as they are printed; '–' where there is none. */
function errorsAt(known, name, model) {
  return SCALES.map((deviation) => known.get(`${name}, ${model}, ${deviation}`)?.error?.toFixed(3) ?? '–');
}

const isEqual = (errors) => new Set(errors.filter((error) => error !== '–')).size < 2;

const HEAD = ['data', 'points', 'model', 'status', 'components'];

function show(study, pairs, sets, points, known) {
  const rows = [];
  const whole = [];
  const said = new Map();
  for (const [name, model] of pairs) {
    const found = SCALES.map((deviation) => known.get(`${name}, ${model}, ${deviation}`));
    if (found.every((one) => one === undefined)) continue;
    rows.push([name, sets.get(name).Y.rows, model, ...inWords(found)]);
    for (const one of found) {
      if (!['converged', 'maxIterations', undefined].includes(one?.status)) said.set(`${name}, ${model}`, one.message);
    }
    for (const key of [...known.keys()].filter((one) => one.startsWith(`${name}, ${model}, all `))) {
      whole.push([name, key.split(' ').at(-1), model, ...inWords([known.get(key)])]);
    }
  }
  const missing = SCALES.length * pairs.length - [...known.keys()].filter(isAtScale).length;
  study.note(
    `Every named model with two latent dimensions, its default or asked for where it has none, and no other option. One factor, a power of two, brings the root mean variance of the columns near 0.1, 1 and 100: what a model shows should not depend on the unit. Errors are leave-one-out errors of the nearest neighbor in two dimensions; of data without two kinds of labels among these rows they are 1 − trustworthiness of ${NEIGHBORS} neighbors, and models of labels are left out. Components are those of the learned graph. Seconds are CPU seconds, the most of the three. All rows are fitted where the cost promises at most ${PATIENCE} of them.${missing > 0 ? ` ${missing} of ${SCALES.length * pairs.length} fits are not in the tables yet (–): the command goes on where it was.` : ''}${study.builds().size > 1 ? ' Units may differ because their values are of different commits, too.' : ''}`,
  );
  study.note(summary([...known]));
  study.table(
    `Defaults on the first ${points} rows`,
    [...HEAD, ...SCALES.map((s) => `error at ${s}`), 'equal', 'seconds'],
    rows,
    { timed: ['seconds'] },
  );
  const apart = pairs
    .filter(([name, model]) => !isEqual(errorsAt(known, name, model)))
    .map(([name, model]) => [
      `${name}, ${model}`,
      known.get(`${name}, ${model}, 1`)?.status ?? '–',
      ...errorsAt(known, name, model),
      ...NUDGES.map((nudge) => known.get(`${name}, ${model}, nudged ${nudge}`)?.error?.toFixed(3) ?? '–'),
    ]);
  if (apart.length > 0) {
    study.table(
      'Where units differ: the same for a unit that is changed by a billionth, which no model may notice but by rounding',
      ['fit', 'status', ...SCALES.map((s) => `error at ${s}`), '1 + 1e-9', '1 − 1e-9'],
      apart,
    );
  }
  if (whole.length > 0)
    study.table('Defaults on all rows', [...HEAD, 'error', 'seconds'], whole, { timed: ['seconds'] });
  if (said.size > 0) study.table('What other fits say', ['fit', 'message'], [...said]);
}

const isAtScale = (key) => !/, (all|nudged) /.test(key);

/** How many fits ended how, how many learned graphs are connected, and how far errors of different units lie apart at the most. */
function summary(known) {
  const statuses = new Map();
  for (const [, { status }] of known) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const graphs = known.flatMap(([, { components: parts }]) => parts ?? []);
  const errors = new Map();
  for (const [key, { error }] of known) {
    if (error === undefined || !isAtScale(key)) continue;
    const fit = key.slice(0, key.lastIndexOf(','));
    errors.set(fit, [...(errors.get(fit) ?? []), error]);
  }
  const spreads = [...errors].map(([fit, list]) => [fit, Math.max(...list) - Math.min(...list)]);
  const [widest, spread] = spreads.reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0]);
  const ended = [...statuses].map(([status, count]) => `${count} ${status}`).join(', ');
  const connected = graphs.filter((parts) => parts === 1).length;
  const apart = spread > 0 ? ` Errors of different units lie at most ${spread.toFixed(3)} apart (${widest}).` : '';
  return `Of these fits: ${ended}. ${connected} of ${graphs.length} learned graphs are connected.${apart}`;
}

/** Status, components, errors at every unit, whether those are equal, and seconds. */
function inWords(found) {
  const done = found.filter((one) => one !== undefined);
  const statuses = [...new Set(done.map(({ status }) => status))].join('/');
  const parts = [...new Set(done.map((one) => one.components ?? '–'))].join('/');
  const errors = found.map((one) => (one?.error === undefined ? '–' : one.error.toFixed(3)));
  const seconds = Math.max(...done.map((one) => one.seconds ?? 0)).toFixed(1);
  if (found.length === 1) return [statuses, parts, ...errors, seconds];
  const measured = errors.filter((error) => error !== '–');
  const equal = measured.length < 2 ? '–' : isEqual(errors) ? 'yes' : 'no';
  return [statuses, parts, ...errors, equal, seconds];
}

export const defaults = {
  name: 'defaults',
  title: 'Every model with its defaults',
  source: 'Data sets of the papers',
  files: Object.values(SETS)
    .flat()
    .filter((file) => QUICK_SETS.some((name) => SETS[name].includes(file))),
  run,
};
