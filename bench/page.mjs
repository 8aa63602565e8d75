/** Where the page and its picture are, from the root of the repository. */
export const PAGE = 'docs/project/benchmarks.md';
export const PICTURE = 'docs/pictures/benchmarks.svg';

/** Programs of latentfield that are compared with others. */
const OURS = ['wasm', 'native', 'tsne', 'umap', 'latentfield'];
/** Other programs, in words. */
const PEERS = {
  'peers.py': 'NumPy, SciPy',
  'peers.py, memory kept': 'NumPy, SciPy, memory kept',
  numpy: 'NumPy, SciPy',
  'mpme.py': 'NumPy, SciPy',
  'neighbors.py': 'scikit-learn',
  'ml-matrix': 'ml-matrix',
  DruidJS: 'DruidJS',
  'sklearn TSNE': 'scikit-learn',
  Rtsne: 'Rtsne',
  'umap-js': 'umap-js',
  uwot: 'uwot',
  'DruidJS UMAP': 'DruidJS',
  rstan: 'rstan',
};
/** Programs that draw the same map. */
const MAPS = { tsne: ['sklearn TSNE', 'Rtsne'], umap: ['umap-js', 'uwot', 'DruidJS UMAP'] };
/** Ratios within 2 % count as level. */
const LEVEL = Math.log(1.02);

/** Tasks in words, by section. */
const TASKS = {
  raw: (task) =>
    ({
      gemm: 'matrix product',
      cholesky: 'Cholesky factor',
      inverse: 'inverse from a factor',
      eigh: 'all eigenvectors',
    })[task],
  gplvm: (task) => (task === 'evaluation' ? '`gplvm`, lengthscale 1' : '`gplvm`, lengthscale 0.1'),
  tpslvm: () => '`tpslvm`',
  variational: () => '`bayesianGplvm`',
  fit: () => '`gplvm`, at most 500 iterations',
  spectral: (task) => `\`${task === 'eigenmaps' ? 'laplacianEigenmaps' : task}\`, Swiss roll`,
  mpme: (task) => `\`mpme\`, noisy circle, ${task}`,
  papers: (task) => `\`mpme\`, ${task}`,
  meu: () => '`meu`, Swiss roll',
  neighbors: (task) => `${task.slice(4)} columns`,
  sampling: () => '`samplePosterior`, 4 chains',
};

/** The questions of the page: their sections are compared with other programs, and `more` adds further tables. */
const QUESTIONS = [
  {
    title: 'How long does a fit take?',
    sections: ['fit', 'spectral'],
    text: 'Whole fits, from the table to the latents, of the same task by every program: a GPLVM from the same start with the same stopping rule, and embeddings with 10 neighbors.',
  },
  {
    title: 'How long does a default fit of thousands of rows take?',
    sections: ['thousands'],
    text: 'Default fits with two latent dimensions. No other program is known to fit the same; the map of `umap-js` shows how fast the machine is.',
    more: defaultFits,
  },
  {
    title: 'How long do MPME and MEU take?',
    sections: ['mpme', 'papers', 'meu'],
    text: 'Fits to noisy circles (2 copies, λ = 1), to data sets of the MPME paper (Mao et al. 2017; d and λ as shown, otherwise the default λ) and to Swiss rolls (6 neighbors). The other program is a solver of the same convex problem in NumPy and SciPy; both end at the same optimum.',
    more: meuFits,
  },
  {
    title: 'How long do tables with holes, long tables and mixed ones take?',
    sections: ['tables'],
    text: 'Simulated tables of 12 columns (50 for 10,000 rows) with four factors, at the defaults.',
    more: tableTimes,
  },
  {
    title: 'How long does one evaluation take?',
    sections: ['gplvm', 'tpslvm', 'variational'],
    text: 'One value of the objective with all of its gradients; a fit takes hundreds. At a lengthscale of 1 the covariance has a form of low rank, which latentfield uses; at 0.1 it has none. The Bayesian GPLVM has 50 inducing inputs and 10 latent dimensions.',
  },
  {
    title: 'How long does a map take, and how good is it?',
    sections: ['maps'],
    text: 'Maps in two dimensions at the defaults of each program. The error is that of the nearest neighbor in the map, leaving one out; trustworthiness is of 15 neighbors, up to 5,000 rows. Maps of `umap` and `umap-js` are averaged over five seeds up to 5,000 rows.',
    more: mapTables,
  },
  {
    title: 'How long does an exact search for nearest neighbors take?',
    sections: ['neighbors'],
    text: 'Ten nearest neighbors of every row; scikit-learn by brute force.',
  },
  {
    title: 'How long do posterior draws take?',
    sections: ['sampling'],
    text: 'Draws of the three hyperparameters of a Gaussian process of 30 rows, with the same model in Stan. Effective draws are the least of the bulk and tail sizes.',
    more: drawTables,
  },
  {
    title: 'How fast is the linear algebra underneath?',
    sections: ['raw'],
    text: 'Square matrices; rows are their size. Times of NumPy, SciPy and of ml-matrix include the copy that they make of their input.',
    more: peakOfProcessor,
  },
  { title: 'How long does a page take?', sections: ['page'], text: 'In Chromium.', more: pageTimes },
  {
    title: 'How much memory does a fit take?',
    sections: ['memory'],
    text: 'The most memory that a process held, and the most that the tensors of a fit took at once, in matrices of N×N.',
    more: memoryOfFits,
  },
  {
    title: 'How long does a new row take, and a stop?',
    sections: ['project', 'abort'],
    text: '`project` of 100 new rows at once, per row, and the time from `abort()` to the result.',
    more: smallTimes,
  },
  {
    title: 'How many evaluations do the solvers need, and where do fits end?',
    sections: ['solvers', 'optimum'],
    text: "Evaluations until the value is within 1e-8 of the minimum of standard test problems, over those of SciPy's L-BFGS-B; and log densities of oil flow after 500 evaluations. Nothing is timed.",
    more: solverTables,
  },
];

/**
 * The page that a saved report gives.
 *
 * @param report - what bench/run.mjs saved
 * @param once - reports of single tasks that take too long for a whole run
 * @param file - name of the report in bench/results
 */
export function benchmarkPage(report, once, file) {
  const { date, settings, machine, missing, results, aims, note = 'Nothing else ran.' } = report;
  const pairs = comparisonsOf(results);
  const { cpu, cores, memory, system, node, latentfield, ...versions } = machine;
  const parts = [
    '# Benchmarks',
    '',
    `\`npm run bench\` measured these times on ${date.slice(0, 10)}, in ${settings.rounds} rounds, on one machine: ${cpu}, ${cores} cores, ${memory}, ${system}, Node ${node}, latentfield ${latentfield}. Programs took turns, and each engine of latentfield had a process of its own. ${note}`,
    '',
    `Other programs: ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join('; ')}.`,
    '',
    `Times are wall-clock times, the medians of the rounds; CPU seconds are in parentheses where they were measured. “2× faster” means half the time. Times within 2 % are level. Comparisons are between equal numbers of threads. NumPy with “memory kept” does not return freed memory to the system, and so is faster than NumPy as it comes. Every number of the run, with the least and most of the rounds, is in [${file}](../../bench/results/${file}); \`node bench/show.mjs\` prints it, and \`node bench/show.mjs --page\` writes this page.`,
    '',
    `![Time by the number of rows: evaluations, fits, maps and linear algebra of latentfield and of others](../pictures/${PICTURE.split('/').at(-1)})`,
    ...leftOut(missing),
    ...inShort(pairs, results),
    ...QUESTIONS.flatMap((question) => answer(question, pairs, results, once)),
    ...missedAims(aims),
    ...notMeasured(missing),
    '',
  ];
  return parts.join('\n');
}

/** Sections without numbers, at the top of the page. */
function leftOut(missing) {
  const names = Object.keys(missing);
  return names.length === 0
    ? []
    : ['', `**Not measured in this run** ([why](#what-was-not-measured)): ${names.join(', ')}.`];
}

/** Wins and losses by question, and every loss. */
function inShort(pairs, results) {
  const lines = QUESTIONS.flatMap(({ title, sections }) => {
    const ratios = pairs.filter(({ section }) => sections.includes(section)).flatMap(ratiosOf);
    return ratios.length === 0 ? [] : [[`[${title}](#${anchorOf(title)})`, ...counts(ratios)]];
  });
  const all = pairs.flatMap(ratiosOf);
  const losses = pairs
    .filter((pair) => ratiosOf(pair).some((ratio) => Math.log(ratio) > LEVEL))
    .sort((a, b) => Math.max(...ratiosOf(b)) - Math.max(...ratiosOf(a)));
  const [comparisons, faster, level, slower] = counts(all);
  return [
    '',
    '## What is slower here, and what is faster?',
    '',
    `In ${comparisons} comparisons with other programs, latentfield is faster in ${faster}${level > 0 ? `, as fast in ${level}` : ''} and slower in ${slower}.`,
    ...table(['', 'comparisons', 'faster', 'level', 'slower', 'median'], lines),
    '',
    '**Everything that is slower**, the largest difference first:',
    ...comparisonTable(losses),
    ...typescriptEngine(results),
  ];
}

function counts(ratios) {
  const logs = ratios.map(Math.log).sort((a, b) => a - b);
  const [faster, slower] = [logs.filter((log) => log < -LEVEL), logs.filter((log) => log > LEVEL)];
  const level = logs.length - faster.length - slower.length;
  return [logs.length, faster.length, level, slower.length, inTimes(Math.exp(logs[logs.length >> 1]))];
}

/** How much slower the engine without WebAssembly is. */
function typescriptEngine(results) {
  const ratios = tasksOf(results).flatMap((rows) => {
    const [plain, wasm] = ['typescript', 'wasm'].map(
      (name) => rows.find(({ contender }) => contender === name)?.ms?.median,
    );
    return plain === undefined || wasm === undefined ? [] : [plain / wasm];
  });
  if (ratios.length === 0) return [];
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => times(ratio));
  return [
    '',
    `The \`typescript\` engine, for systems without WebAssembly, takes ${least} to ${most} the time of \`wasm\`.`,
  ];
}

function answer({ title, sections, text, more }, pairs, results, once) {
  const own = pairs.filter(({ section }) => sections.includes(section) && section !== 'maps');
  const rows = results.filter(({ section }) => sections.includes(section));
  const tables = [...comparisonTable(own), ...(more?.(rows, results, once) ?? [])];
  return tables.length === 0 ? [] : ['', `## ${title}`, '', text, ...tables];
}

const anchorOf = (title) =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9 ]/g, '')
    .replaceAll(' ', '-');

/** Rows of results by section, task and size. */
function tasksOf(results) {
  const tasks = new Map();
  for (const row of results) {
    const key = [row.section, row.task, row.n].join();
    tasks.set(key, [...(tasks.get(key) ?? []), row]);
  }
  return [...tasks.values()];
}

/** The program of a contender, for any number of threads. */
const programOf = ({ contender }) => contender.replace(/ ×[\d?]+/, '');

/** Timed rows of one task: by program, and then by number of threads. */
function byProgram(rows) {
  const programs = {};
  for (const row of rows.filter(({ ms }) => ms !== undefined)) {
    const program = programOf(row);
    programs[program] = { ...programs[program], [row.threads ?? 1]: row };
  }
  return programs;
}

/** Every program of latentfield with every other one that did the same. */
function comparisonsOf(results) {
  return tasksOf(results).flatMap((rows) => {
    const [{ section, task, n }] = rows;
    const programs = byProgram(rows);
    const names = Object.keys(programs);
    return names
      .filter((name) => OURS.includes(name))
      .flatMap((program) =>
        names
          .filter((name) => (MAPS[program] ?? Object.keys(PEERS)).includes(name))
          .map((by) => ({ section, task, n, program, by, own: programs[program], peer: programs[by] })),
      );
  });
}

/** Time relative to the other program on as many threads; undefined where either has none. */
function ratioOn({ own, peer }, threads) {
  return own[threads] && peer[threads] && own[threads].ms.median / peer[threads].ms.median;
}

const ratiosOf = (pair) => [1, 2].flatMap((threads) => ratioOn(pair, threads) ?? []);

function comparisonTable(pairs) {
  let before = '';
  const head = ['', 'rows', 'latentfield', 'on 2 threads', 'compared with', 'its time', 'on 2 threads'];
  const lines = pairs.map((pair) => {
    const { section, n, own, peer, by } = pair;
    const ours = [taskInWords(pair), size(n), time(own[1]), time(own[2])];
    const isSame = ours.join() === before;
    before = ours.join();
    const other = [peerInWords(by, section), time(peer[1]), time(peer[2])];
    return [...(isSame ? ours.map(() => '') : ours), ...other, verdict(pair, 1), verdict(pair, 2)];
  });
  return table([...head, 'latentfield is', 'on 2 threads'], lines);
}

function taskInWords({ section, task, program }) {
  if (section === 'maps') return `\`${program}\`, ${task}`;
  return `${TASKS[section](task)}${program === 'native' ? ', native engine' : ''}`;
}

const peerInWords = (program, section) =>
  program === 'peers.py' && section === 'spectral' ? 'scikit-learn' : PEERS[program];

function verdict(pair, threads) {
  const ratio = ratioOn(pair, threads);
  return ratio === undefined ? '–' : inTimes(ratio);
}

function inTimes(ratio) {
  if (Math.abs(Math.log(ratio)) <= LEVEL) return 'level';
  return ratio < 1 ? `${times(1 / ratio)} faster` : `**${times(ratio)} slower**`;
}

const times = (factor) =>
  `${factor < 1.995 ? factor.toFixed(2) : factor < 9.95 ? factor.toFixed(1) : factor.toFixed(0)}×`;

/** Three digits without an exponent. */
const digits = (value) => (value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3))));
const size = (n) => String(n).replaceAll(/\B(?=(\d{3})+$)/g, ',');
const score = (value, places = 3) => value?.toFixed(places) ?? '–';

function duration(ms) {
  if (ms < 999.5) return `${digits(ms)} ms`;
  return ms < 600_000 ? `${digits(ms / 1000)} s` : `${digits(ms / 60_000)} min`;
}

/** Wall-clock time, with CPU seconds where they were measured. */
function time(row) {
  if (row === undefined) return '–';
  const cpu = row.cpuSeconds === undefined ? '' : ` (${digits(row.cpuSeconds)} CPU s)`;
  return `${duration(row.ms.median)}${cpu}`;
}

/** A table without empty columns. */
function table(head, rows) {
  if (rows.length === 0) return [];
  const shown = head.map((_, c) => c).filter((c) => rows.some((row) => !['', '–'].includes(String(row[c]))));
  const line = (cells) => `| ${shown.map((c) => cells[c]).join(' | ')} |`;
  return ['', line(head), line(head.map(() => '---')), ...rows.map(line)];
}

function defaultFits(rows) {
  return table(
    ['default fit', 'data', 'rows', 'time', 'iterations', '1-NN error', 'ended'],
    rows.map(({ task, n, contender, converged, iterations, error, ...row }) => {
      const ended = converged === undefined ? '–' : converged ? 'converged' : '**before it converged**';
      return [`\`${contender}\``, task, size(n), time(row), iterations ?? '–', score(error), ended];
    }),
  );
}

function meuFits(rows, _, once) {
  const measuredOnce = once.flatMap((report) =>
    report.results.filter(({ section }) => section === 'meu').map((row) => ({ ...row, remark: whenOf(report) })),
  );
  const own = [...rows, ...measuredOnce].filter(({ section, contender }) => section === 'meu' && contender === 'wasm');
  return table(
    ['', 'rows', 'time', 'edges', 'MiB', 'measured'],
    own.map((row) => [
      ...['`meu`, Swiss roll', size(row.n), time(row), size(row.edges), row.mebibytes],
      row.remark ?? 'in this run',
    ]),
  );
}

/** Maps of this run, and those that were measured once. */
function mapTables(rows, _, once) {
  const others = once.map((report) => ({
    ...report,
    rows: report.results.filter(({ section }) => section === 'maps'),
  }));
  return [
    ...mapsOf(rows),
    ...others
      .filter((report) => report.rows.length > 0)
      .flatMap((report) => ['', `Measured alone ${whenOf(report)}`, ...mapsOf(report.rows)]),
  ];
}

/** Date, version and circumstances of a report of single tasks. */
const whenOf = ({ date, machine, note }) => `on ${date.slice(0, 10)}, latentfield ${machine.latentfield}. ${note}`;

function mapsOf(rows) {
  const tasks = tasksOf(rows).map((list) => ({ ...list[0], programs: byProgram(list) }));
  const maps = tasks.flatMap(({ task, n, programs }) =>
    Object.entries(MAPS)
      .filter(([own]) => own in programs)
      .flatMap(([own, peers]) =>
        [own, ...peers.filter((peer) => peer in programs)].map((program) => {
          const [pair, at] = [{ own: programs[own], peer: programs[program] }, programs[program]];
          const { error, trust } = at[1] ?? at[2];
          const others = program === own ? ['', ''] : [verdict(pair, 1), verdict(pair, 2)];
          return [
            ...[`\`${own}\``, task, size(n), PEERS[program] ?? '**latentfield**', time(at[1]), time(at[2])],
            ...[score(error), score(trust), ...others],
          ];
        }),
      ),
  );
  const others = tasks.flatMap(({ task, n, programs }) =>
    Object.entries(programs)
      .filter(([name]) => !(name in MAPS) && !(name in PEERS))
      .map(([name, at]) => [name, task, size(n), time(at[1]), time(at[2]), score((at[1] ?? at[2]).error)]),
  );
  const [first, last] = [
    ['map', 'data', 'rows', 'by', 'time', 'on 2 threads', '1-NN error', 'trustworthiness'],
    ['latentfield is', 'on 2 threads'],
  ];
  return [
    ...table([...first, ...last], maps),
    ...table(['', 'data', 'rows', 'time', 'on 2 threads', '1-NN error'], others),
  ];
}

function drawTables(rows) {
  const draws = rows.filter(({ effective }) => effective !== undefined);
  const whole = rows.filter(({ task }) => task === 'from nothing');
  return [
    ...table(
      ['', 'time', 'gradients', 'effective draws', 'per second', 'per gradient'],
      draws.map((row) => [
        ...[row.contender, time(row), size(row.evaluations), row.effective.toFixed(0), digits(row.perSecond)],
        row.perGradient.toFixed(3),
      ]),
    ),
    ...table(
      ['from nothing, with loading', 'time'],
      whole.map((row) => [row.contender === 'rstan, compiling' ? 'rstan, compiling alone' : row.contender, time(row)]),
    ),
  ];
}

function peakOfProcessor(rows) {
  const peak = rows.find(({ task, contender }) => task.startsWith('peak') && contender === 'wasm')?.gigaflops;
  const product = rows.find(
    ({ task, n, contender }) => task === 'gemm' && n === 1000 && contender === 'wasm',
  )?.gigaflops;
  if (peak === undefined || product === undefined) return [];
  return [
    '',
    `WebAssembly computes with vectors of 128 bits. Its peak here, of one thread, is ${peak.toFixed(1)} GF/s, and the product of 1,000 rows has ${product.toFixed(1)}. OpenBLAS, which NumPy calls, uses the wider vectors and the fused operations of the processor, which pages do not have.`,
  ];
}

/** Times of a page in words. */
const PAGE_TASKS = {
  evaluation: 'one evaluation of a GPLVM in',
  slider: 'a fit again in each frame of a slider',
  'playground, first map': 'from the address of the playground to its first map',
  'longest task, fit': 'longest task of the page while it fits, in ms of the processor',
  'longest task, pointer': 'longest task of the page under the pointer, in ms of the processor',
};

function pageTimes(rows) {
  return table(
    ['', 'rows', 'time', 'per second'],
    rows
      .filter(({ contender }) => !contender.endsWith('-fma'))
      .map(({ task, n, contender, perSecond, ...row }) => {
        const where = task === 'evaluation' ? ` ${contender.split(',')[0]}` : '';
        return [`${PAGE_TASKS[task]}${where}`, size(n), time(row), perSecond === undefined ? '–' : digits(perSecond)];
      }),
  );
}

function memoryOfFits(rows, results) {
  const others = results.filter(({ section, mebibytes }) => section !== 'memory' && mebibytes !== undefined);
  return table(
    ['', 'rows', 'MiB', 'matrices of N×N'],
    [...rows, ...others].map(({ section, task, n, contender, mebibytes, matrices }) => {
      const what =
        { memory: `\`gplvm\`, ${contender} engine`, meu: '`meu`, Swiss roll' }[section] ?? `${contender}, ${task}`;
      return [what, size(n), mebibytes, matrices ?? '–'];
    }),
  );
}

function smallTimes(rows) {
  return table(
    ['', 'rows of the fit', 'engine', 'time', 'of one evaluation'],
    rows
      .filter(({ contender }) => !contender.endsWith('-fma'))
      .map(({ section, n, contender, msPerEvaluation, ...row }) => [
        section === 'project' ? '`project`, one new row' : 'from `abort()` to the result',
        ...[size(n), contender, time(row), msPerEvaluation === undefined ? '–' : duration(msPerEvaluation)],
      ]),
  );
}

/** Times of tables, of this run or measured alone. */
function tableTimes(rows, _, once) {
  const all = [...rows, ...once.flatMap(({ results }) => results.filter(({ section }) => section === 'tables'))];
  return table(
    ['', 'rows of the fit', 'time', 'of a whole table'],
    all.map(({ task, n, contender, ratio, ...row }) => [
      ['fit', 'project'].includes(contender) ? task : `${task}, ${contender}`,
      ...[size(n), time(row), ratio === undefined ? '–' : `${ratio.median.toFixed(2)}×`],
    ]),
  );
}

function solverTables(rows) {
  const solved = rows.filter(({ section }) => section === 'solvers');
  const solvers = [...new Set(solved.map(({ contender }) => contender))].filter((name) => !name.startsWith('SciPy'));
  const lines = solvers.map((solver) => {
    const own = solved.filter(({ contender }) => contender === solver);
    const reached = own.filter(({ ratio }) => ratio !== undefined).sort((a, b) => a.ratio.median - b.ratio.median);
    const worst = reached.at(-1);
    const gaps = own.flatMap(({ gap }) => gap ?? []);
    return [
      ...[`\`${solver}\``, own.length, reached.length, reached[reached.length >> 1].ratio.median.toFixed(2)],
      `${worst.ratio.median.toFixed(2)} (${worst.task})`,
      gaps.length === 0 ? '–' : Math.max(...gaps).toExponential(1),
    ];
  });
  const ends = tasksOf(rows.filter(({ section }) => section === 'optimum')).flatMap(([own, ...others]) =>
    others.map(({ contender, value }) => [own.task, own.n, own.value.toFixed(2), contender, value.toFixed(2)]),
  );
  return [
    ...table(
      [
        'solver',
        'problems',
        'reach the minimum',
        'evaluations over SciPy’s, median',
        'most',
        'ends above the minimum by, most',
      ],
      lines,
    ),
    ...table(
      ['log density of oil flow', 'rows', 'here, after 500 evaluations', 'other program', 'where it ends'],
      ends,
    ),
  ];
}

function missedAims(aims) {
  const missed = aims.filter(({ met }) => !met);
  if (aims.length === 0) return [];
  const pace = missed.some(({ atPace }) => atPace !== undefined)
    ? ' “At the pace” are the seconds on the machine for which the aim was set, by the time of umap-js on both.'
    : '';
  return [
    '',
    '## Which aims are missed?',
    '',
    `bench/aims.mjs has bounds for ${aims.length} numbers of this run: ratios over other programs, seconds, and scores. ${aims.length - missed.length} are met, and ${missed.length} are missed.${pace}`,
    ...table(
      ['missed', 'wanted', 'measured', 'at the pace'],
      missed.map(({ what, wanted, measured, atPace = '–' }) => [what, wanted, measured, atPace]),
    ),
  ];
}

function notMeasured(missing) {
  const reasons = Object.entries(missing).map(([name, reason]) => `- ${name}: ${reason}`);
  return reasons.length === 0 ? [] : ['', '## What was not measured?', '', ...reasons];
}
