import { count } from './data.mjs';

// As it is: a fit that fails is what the table shows, not a fault behind a number.
const { describedModel, fit, LatentFieldError, namedModels, seededRandom } = (await import('../library.mjs')).default;

/** Points of a bent plane in four columns. */
function points(N) {
  const random = seededRandom(3);
  return count(N).map(() => {
    const [a, b] = [random.normal(), random.normal()];
    return [a, b, a * b, a * a].map((y) => y + 0.1 * random.normal());
  });
}

/** Tables whose rows repeat. */
const TABLES = {
  'every row twice': (rows) => rows.flatMap((row) => [row, row]),
  'every row thrice': (rows) => rows.flatMap((row) => [row, row, row]),
  'all equal but one': (rows) => rows.map((_, i) => rows[i === 0 ? 0 : 1]),
  'all equal': (rows) => rows.map(() => rows[0]),
};
const SIZES = { full: { rows: 20, maxIterations: 1000 }, quick: { rows: 12, maxIterations: 50 } };

/** How a fit ended, or what was refused. */
async function ending(name, Y, maxIterations) {
  // Three classes, so that two dimensions can separate them.
  const labels = namedModels[name].takesLabels ? Y.map((_, i) => i % 3) : undefined;
  try {
    const model = describedModel(name, Y, labels, { latentDim: 2 }, {});
    const result = await fit(model, { maxIterations });
    const hasNumbers = result.latents.data.every(Number.isFinite);
    return {
      status: hasNumbers ? result.status : `${result.status}, latents that are not finite`,
      message: result.message,
    };
  } catch (error) {
    if (!(error instanceof LatentFieldError)) return { status: 'thrown', message: String(error) };
    return { status: 'refused', message: error.message };
  }
}

async function run(study) {
  const { rows, maxIterations } = SIZES[study.quick ? 'quick' : 'full'];
  const Y = points(rows);
  const lines = [];
  const said = [];
  study.note(
    `${rows} different rows of four columns; models with their defaults, ${maxIterations} iterations at most. A fit ends with a status, or is refused with a reason; 'thrown' would be an error of no known type.`,
  );
  study.table('How fits to rows that repeat end', ['model', ...Object.keys(TABLES)], lines);
  if (!study.quick) study.table('What is said where a fit did not converge', ['model', 'table', 'message'], said);
  for (const name of Object.keys(namedModels).sort()) {
    const cells = [];
    for (const [title, of] of Object.entries(TABLES)) {
      const { status, message } = await study.cell(`${name}, ${title}`, () => ending(name, of(Y), maxIterations));
      cells.push(status);
      if (status !== 'converged') said.push([name, title, message]);
    }
    lines.push([name, ...cells]);
  }
}

export const duplicates = {
  name: 'duplicates',
  title: 'Rows that repeat',
  source: 'A measurement of our own',
  files: [],
  run,
};
