const TITLES = {
  raw: 'Raw operations',
  gplvm: 'GPLVM: one value and gradient of what fit minimizes',
  tpslvm: 'Thin plate spline model: one value and gradient of what fit minimizes',
  variational: 'Bayesian GPLVM, 50 inducing inputs, q = 10: one value and gradient of the collapsed bound',
  fit: 'Whole fits',
  memory: 'Memory: the most that a fit holds, each in a process of its own',
  mpme: 'MPME: whole fits to noisy circles, λ = 1, 2 copies',
  papers: 'MPME: whole fits to data of the paper',
  project: 'New points: each in milliseconds, 100 at a time',
  page: 'A page: evaluations of a GPLVM in a worker of Chromium beside Node, a slider that fits 50 points again in each frame, the first map of the playground and its longest tasks',
  meu: 'MEU: whole fits to Swiss rolls, 6 neighbors, each in a process of its own',
  abort: 'Fits that are aborted',
  spectral: 'Embeddings of Swiss rolls, 10 neighbors',
  maps: 'Maps in two dimensions',
  thousands: 'Default fits to thousands of rows',
  sampling: 'Draws from the posterior of a Gaussian process of 30 points: 4 chains, and everything from nothing',
  tables: 'Tables: an evaluation with holes beside one without, long and mixed tables, new rows',
  neighbors: 'Ten nearest neighbors of every point, exactly, beside brute force of scikit-learn',
  optimum: 'Log density of oil flow after 500 evaluations, beside where the peers end',
  solvers:
    'Evaluations of the solvers until within 1e-8 of the minimum (over those of SciPy), and how far above it adam ends',
};

/** Columns by title: what a row shows there, or undefined. */
const COLUMNS = {
  task: (row) => row.task,
  n: (row) => row.n,
  contender: (row) => row.contender,
  'median ms': (row) => row.ms && number(row.ms.median),
  'least – most': (row) => row.ms && `${number(row.ms.least)} – ${number(row.ms.most)}`,
  'first 60': (row) => row.first && number(row.first),
  ESS: (row) => row.effective?.toFixed(0),
  'a gradient': (row) => row.perGradient?.toFixed(4),
  'a second': (row) => row.perSecond && number(row.perSecond),
  'GF/s': (row) => row.gigaflops?.toFixed(1),
  '% of peak': (row, { peak }) => row.gigaflops && row.contender === 'wasm' && percent(row.gigaflops / peak),
  '% of gemm': (row, { gemm }) => row.gigaflops && row.n && percent(row.gigaflops / gemm(row)),
  iterations: (row) => row.iterations,
  evaluations: (row) => row.evaluations,
  'ms each': (row) => row.msPerEvaluation && number(row.msPerEvaluation),
  'ms beyond one': (row) => row.beyond?.toFixed(1),
  'N×N taken': (row) => row.matrices,
  MiB: (row) => row.mebibytes,
  edges: (row) => row.edges,
  KKT: (row) => row.kktResidual?.toExponential(1),
  agreement: (row) => row.agreement?.toFixed(6),
  'cpu s': (row) => row.cpuSeconds?.toFixed(2),
  '1-NN error': (row) => row.error?.toFixed(3),
  'trust 15': (row) => row.trust?.toFixed(3),
  value: (row) => row.value?.toPrecision(10),
  ratio: (row) => row.ratio && ratioOf(row.ratio),
  to: (row) => row.ratio && row.against,
  '': (row) => row.ratio && comparison(row.ratio.median),
};

export function printTables({ date, settings, machine, missing, disagreements, results, aims }) {
  const { rounds, short } = settings;
  console.log(`${date.slice(0, 10)}, ${rounds} round${rounds === 1 ? '' : 's'}${short ? ', short form' : ''}`);
  // Earlier reports had the slowest run of the peak, and no time.
  if (results.some(({ task, ms }) => task.startsWith('peak') && ms !== undefined)) {
    console.log('Times, rates and the peak: medians over the rounds of medians over runs');
  }
  for (const [name, value] of Object.entries(machine)) console.log(`  ${name}: ${value}`);
  const scope = {
    peak: results.find(({ task }) => task.startsWith('peak'))?.gigaflops,
    gemm: (row) =>
      results.find(({ task, n, contender }) => task === 'gemm' && n === row.n && contender === row.contender)
        ?.gigaflops,
  };
  for (const section of Object.keys(TITLES)) {
    const rows = results.filter((row) => row.section === section);
    const table = section === 'solvers' ? solverTable : tableOf;
    if (rows.length > 0) console.log(`\n${TITLES[section]}\n${table(rows, scope)}`);
  }
  if (aims.length > 0) console.log(`\nAims\n${aimsTable(aims)}`);
  list(
    'Not measured',
    Object.entries(missing).map(([name, reason]) => `${name}: ${reason}`),
  );
  list('Not the same job', disagreements);
  const first = "\n'first 60' is the median of the first 60 runs of short work, before it is compiled for its types.";
  console.log(
    '\nRatios are times of the contender over those of the one named, round by round: below 1 is faster.\n' +
      'KKT is the largest relative violation of the optimality conditions; MiB the most memory that the process held.\n' +
      'Agreement is the mean of the squared canonical correlations with our embedding: 1 is the same one.\n' +
      "Peers whose 'memory is kept' spare the page faults of memory that numpy gives back to the system after each operation.\n" +
      'Times of peers.py and ml-matrix for raw operations include the copy that they make of their input.' +
      (results.some((row) => row.first) ? first : ''),
  );
}

function list(title, sentences) {
  if (sentences.length > 0) console.log(`\n${title}:\n${sentences.map((sentence) => `  ${sentence}`).join('\n')}`);
}

/** Rows under the columns that any of them fills, a blank line between tasks. */
function tableOf(rows, scope) {
  const cells = rows.map((row) => Object.values(COLUMNS).map((cell) => String(cell(row, scope) || '')));
  const titles = Object.keys(COLUMNS);
  const shown = titles.map((_, c) => c).filter((c) => cells.some((line) => line[c] !== ''));
  const lines = aligned([titles, ...cells].map((line) => shown.map((c) => line[c])));
  return lines
    .map((line, i) => {
      const [row, before] = [rows[i - 1], rows[i - 2]];
      return before && (before.task !== row.task || before.n !== row.n) ? `\n${line}` : line;
    })
    .join('\n');
}

/** A row for each problem, a column for each solver. */
function solverTable(rows) {
  const solvers = [...new Set(rows.map(({ contender }) => contender))];
  const problems = [...new Set(rows.map(({ task }) => task))];
  const cell = (problem, solver) => {
    const row = rows.find(({ task, contender }) => task === problem && contender === solver);
    if (row === undefined) return '';
    const { evaluations = 'not reached', ratio } = row;
    return ratio === undefined ? String(evaluations) : `${evaluations} (${ratio.median.toFixed(2)})`;
  };
  const size = (problem) => String(rows.find(({ task }) => task === problem).n);
  const gap = (problem) => rows.find(({ task, gap: found }) => task === problem && found !== undefined)?.gap;
  const lines = problems.map((problem) => [
    problem,
    size(problem),
    ...solvers.map((solver) => cell(problem, solver)),
    gap(problem)?.toExponential(1) ?? '',
  ]);
  return aligned([['problem', 'n', ...solvers, 'gap of adam'], ...lines]).join('\n');
}

function aimsTable(aims) {
  const hasPace = aims.some(({ atPace }) => atPace !== undefined);
  const lines = aims.map(({ what, wanted, measured, atPace = '', met }) => [
    ...[what, wanted, measured],
    ...(hasPace ? [atPace] : []),
    met ? 'met' : 'MISSED',
  ]);
  const table = aligned([['', 'wanted', 'measured', ...(hasPace ? ['at the pace'] : []), ''], ...lines]).join('\n');
  return hasPace
    ? `${table}\nAt the pace: the seconds on the machine for which they were set, on which umap-js maps the digits in 3.7 s, by its time here.`
    : table;
}

/** Lines of cells in columns, numbers to the right. */
function aligned(lines) {
  const widths = lines[0].map((_, c) => Math.max(...lines.map((line) => line[c].length)));
  const isNumeric = lines[0].map((_, c) => lines.slice(1).every((line) => /^$|^[\d≤≥]|^not reached$/.test(line[c])));
  return lines.map((line) =>
    line
      .map((text, c) => (isNumeric[c] ? text.padStart(widths[c]) : text.padEnd(widths[c])))
      .join('  ')
      .trimEnd(),
  );
}

function ratioOf({ median, least, most }) {
  const text = median.toFixed(2);
  return least === undefined ? text : `${text} (${least.toFixed(2)} – ${most.toFixed(2)})`;
}

const number = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
const percent = (share) => `${Math.round(100 * share)}`;

function comparison(ratio) {
  if (ratio === 1) return 'equal';
  return ratio > 1 ? 'slower' : 'faster';
}
