const PEAK = 'peak of f64x2 multiply and add';
const sizes = (list, make) => list.map(([n, bound]) => make(n, bound));

/** Aims of this project: `of` reads the number from the results; bounds are upper ones, or lower ones with `least`. */
const AIMS = [
  ...['wasm'].flatMap((engine) => [
    ...sizes(
      [
        [100, 0.9],
        [300, 0.55],
        [1000, 1],
        [2000, 1.3],
      ],
      (n, most) => ratio(`GPLVM evaluation, N=${n}, ${engine}`, ['gplvm', 'evaluation', n, engine], most),
    ),
    ...[100, 300, 1000, 2000].map((n) =>
      ratio(`GPLVM evaluation, N=${n}, ${engine} ×2`, ['gplvm', 'evaluation', n, `${engine} ×2`], 0.9),
    ),
    ...sizes(
      [
        [300, 0.6],
        [1000, 1],
      ],
      (n, most) => ratio(`TPSLVM evaluation, N=${n}, ${engine}`, ['tpslvm', 'evaluation', n, engine], most),
    ),
    ratio(`whole fit, N=300, ${engine}`, ['fit', 'gplvm, ≤ 500 iterations', 300, engine], 0.55),
    share(`gemm, n=1000, ${engine}, of the peak`, ['gemm', engine], [PEAK, engine], 0.85),
    share(`cholesky, n=1000, ${engine}, of gemm`, ['cholesky', engine], ['gemm', engine], 0.9),
    share(`inverse, n=1000, ${engine}, of gemm`, ['inverse', engine], ['gemm', engine], 0.95),
    ...[300, 1000].map((n) => ratio(`eigh, n=${n}, ${engine}`, ['raw', 'eigh', n, engine], 1.8)),
  ]),
  ...[1, 2].flatMap((threads) =>
    [300, 1000, 2000].map((n) =>
      ratio(`GPLVM evaluation, N=${n}, native ×${threads}`, ['gplvm', 'evaluation', n, `native ×${threads}`], 0.5),
    ),
  ),
  ...wholeCovariance(),
  ...besideKept(),
  ...[1000, 10_000].flatMap((n) => [
    ratio(`Bayesian GPLVM evaluation, N=${n}, wasm`, ['variational', 'evaluation', n, 'wasm'], 1),
    ratio(`Bayesian GPLVM evaluation, N=${n}, native ×1`, ['variational', 'evaluation', n, 'native ×1'], 0.5),
  ]),
  ...[400, 1000].flatMap((n) =>
    ['∞', '1'].flatMap((C) =>
      sizes(
        [
          ['', 1],
          [', aimed at', 0.5],
        ],
        (aim, most) => ratio(`MPME, N=${n}, C = ${C}, wasm${aim}`, ['mpme', `C = ${C}`, n, 'wasm'], most),
      ),
    ),
  ),
  ...['∞', '1'].map((C) => ({
    what: `MPME, N=400, C = ${C}: two threads over one`,
    most: 1,
    of: (results) => {
      const on = (contender) => find(results, { section: 'mpme', task: `C = ${C}`, n: 400, contender })?.ms.median;
      return on('wasm ×2') === undefined ? undefined : on('wasm ×2') / on('wasm');
    },
  })),
  ...[
    ['Coil20, d = 84', 360],
    ['USPS, d = 32', 500],
  ].map(([task, n]) => ratio(`MPME of ${task}, N=${n}, wasm, aimed at`, ['papers', task, n, 'wasm'], 0.25)),
  ...[0.1, 0.5, 1, 5, 10].map((base) =>
    ratio(
      `MPME of Coil20, d = 84, λ = ${base}, N=360, wasm`,
      ['papers', `Coil20, d = 84, λ = ${base}`, 360, 'wasm'],
      0.5,
    ),
  ),
  ...['gplvm', 'bayesianGplvm'].flatMap((contender) =>
    [
      ['digits', 1797, 30],
      ['letters', 2000, 30],
      ['USPS', 2000, 30],
      ['sheets', 2000, 30],
      ['USPS', 9298, 90],
      ['sheets', 10_000, 90],
    ].map(([task, n, most]) => defaultFit(contender, task, n, most)),
  ),
  {
    what: 'a new point of a GPLVM, N=1000, wasm: ms',
    most: 10,
    of: (results) => find(results, { section: 'project', n: 1000, contender: 'wasm' })?.ms.median,
  },
  {
    what: 'evaluation of a GPLVM with a fifth of the cells missing, N=300, over one without',
    most: 3,
    of: (results) =>
      find(results, { section: 'tables', n: 300, contender: 'a fifth of the cells missing' })?.ratio.median,
  },
  ...[
    ['ppca, a fifth of the cells missing', 10_000, 10],
    ['bayesianGplvm, half of the columns counts, yes or no, or categories', 10_000, 60],
    ['bayesianGplvm, 1000 new rows', 500, 15],
  ].map(([task, n, most]) => ({
    what: `${task}, N=${n}: seconds of the processor`,
    most,
    of: (results) => find(results, { section: 'tables', task, n })?.cpuSeconds,
  })),
  {
    what: 'slider that fits 50 points again, in a page: frames a second',
    least: 59,
    of: (results) => find(results, { section: 'page', task: 'slider', n: 50 })?.perSecond,
  },
  {
    what: 'from the address of the playground to its first map: seconds',
    most: 2,
    of: (results) => {
      const row = find(results, { section: 'page', task: 'playground, first map' });
      return row && row.ms.median / 1000;
    },
  },
  ...[
    ['fit', 1000, 100, 'while it fits 1000 rows'],
    ['pointer', 100_000, 30, 'under the pointer over 100 000 rows'],
  ].map(([task, n, most, when]) => ({
    what: `longest task of the page ${when}: ms of the processor`,
    most,
    of: (results) => find(results, { section: 'page', task: `longest task, ${task}`, n })?.ms.median,
  })),
  meu('MEU, N=100000: seconds', 600, ({ ms }) => ms.median / 1000),
  meu('MEU, N=100000: seconds, aimed at', 45, ({ ms }) => ms.median / 1000),
  meu('MEU, N=100000: MiB', 4096, ({ mebibytes }) => mebibytes),
  meu('MEU: growth exponent of the time from N=10000 to 100000', 1.3, (largest, before) =>
    Math.log10(largest.ms.median / before.ms.median),
  ),
  ...['wasm', 'native'].map((engine) => matrices(`memory of a fit, ${engine}: matrices of N×N`, engine, 10)),
  ...[
    ['lbfgs', 1.5],
    ['lbfgsb', 1.5],
    ['scg', 6],
  ].map(([solver, most]) => evaluations(`evaluations of ${solver} over SciPy's, the worst problem`, solver, most)),
  {
    what: 'gap of adam to the minimum, the worst smooth problem without bounds',
    most: 1e-3,
    digits: 6,
    isCounted: true,
    of: (results) => {
      const gaps = results.flatMap(({ section, gap }) => (section === 'solvers' && gap !== undefined ? [gap] : []));
      return gaps.length === 0 ? undefined : Math.max(...gaps);
    },
  },
  ...[
    ['TPSLVM', 100, 'SciPy L-BFGS-B'],
    ['GPLVM', 100, 'SciPy L-BFGS-B'],
    ['GPLVM', 300, 'GPy L-BFGS-B'],
  ].map(([task, n, peer]) =>
    optimum(`${task} of oil flow, N=${n}, after 500 evaluations, over ${peer}`, task, n, peer),
  ),
  {
    what: 'draws of a process, N=30: effective draws a second over those of rstan',
    least: 1.5,
    of: (results) => overStan(results, 'perSecond'),
  },
  {
    what: 'draws of a process, N=30: effective draws a gradient over those of rstan',
    least: 0.9,
    of: (results) => overStan(results, 'perGradient'),
  },
  ...[
    ['Node', 2],
    ['Chromium', 3],
  ].map(([contender, most]) => ({
    what: `draws of a process, N=30, from nothing in ${contender}: seconds`,
    most,
    of: (results) => {
      const row = find(results, { section: 'sampling', task: 'from nothing', contender });
      return row && row.ms.median / 1000;
    },
  })),
  ...[
    ['digits', { seconds: 6, error: 0.02, placed: 0.05 }],
    ['USPS', { seconds: 40, error: 0.06, placed: 0.08 }],
  ].flatMap(([task, most]) => decodedMap(task, most)),
  ...[
    ['digits', 1797],
    ['USPS', 9298],
    ['sheets', 20_000],
    ['sheets', 60_000],
  ].flatMap(([task, n]) => [
    ...mapBeside(task, n, { own: 'tsne', peer: 'sklearn TSNE ×1', most: 0.8 }),
    ...mapBeside(task, n, { own: 'umap', peer: 'umap-js', most: 0.5 }),
  ]),
  ...countsMap(300, 10, 1536),
  ...countsMap(2000, 60, 1536),
  ratio('whole fit, N=300, native ×1', ['fit', 'gplvm, ≤ 500 iterations', 300, 'native ×1'], 0.4),
  ...['wasm', 'native ×1'].map((contender) => ({
    what: `abort, N=1000, ${contender}: ms to the result beyond one evaluation`,
    most: 200,
    of: (results) => find(results, { section: 'abort', n: 1000, contender })?.beyond,
  })),
];

/**
 * The aims that these results cover, and whether they are met. With `counted`, only aims that do not depend on other work of
 * the machine: numbers of evaluations, bytes.
 */
export function judged(results, { counted = false } = {}) {
  const pace = paceOf(results);
  return AIMS.filter((aim) => !counted || aim.isCounted).flatMap(
    ({ what, of, most, least, digits = 2, isInSeconds = false }) => {
      const measured = of(results);
      if (measured === undefined) return [];
      const judgedValue = isInSeconds && pace !== undefined ? measured / pace : measured;
      const met = most === undefined ? judgedValue >= least : judgedValue <= most;
      const atPace = isInSeconds && pace !== undefined && { atPace: judgedValue.toFixed(digits) };
      const wanted = most === undefined ? `≥ ${least}` : `≤ ${most}`;
      return [{ what, wanted, measured: measured.toFixed(digits), ...atPace, met }];
    },
  );
}

/** Seconds of umap-js for the digits on the machine where the aims for maps and default fits were set. */
const PACE_SECONDS = 3.7;

/** How much slower this machine was in this run than that one. */
function paceOf(results) {
  const row = results.find(({ task, n, contender }) => task === 'digits' && n === 1797 && contender === 'umap-js');
  return row && row.ms.median / 1000 / PACE_SECONDS;
}

/** Seconds until a default fit converges. */
function defaultFit(contender, task, n, most) {
  return {
    what: `default ${contender} of ${task}, N=${n}: seconds to converge`,
    isInSeconds: true,
    most,
    digits: 1,
    of: (results) => {
      const row = find(results, { section: 'thousands', task, n, contender });
      return row && (row.converged ? row.ms.median / 1000 : Number.POSITIVE_INFINITY);
    },
  };
}

/** A map with a decoder: its seconds, its leave-one-out 1-NN error, and the error of held-out rows. */
function decodedMap(task, { seconds, error, placed }) {
  const at = (results, contender) => find(results, { section: 'maps', task, contender });
  const aim = (what, most, digits, of) => ({
    what: `${task}, t-SNE map + decoder: ${what}`,
    isInSeconds: what === 'seconds',
    most,
    digits,
    of,
  });
  return [
    aim('seconds', seconds, 2, (results) => {
      const row = at(results, 'tsne + decoder ×1');
      return row && row.ms.median / 1000;
    }),
    aim('1-NN error', error, 3, (results) => at(results, 'tsne + decoder ×1')?.error),
    aim('1-NN error of held-out rows', placed, 3, (results) => at(results, 'held-out rows placed ×1')?.error),
  ];
}

/** A map's time relative to a peer on one thread, and its scores compared with the peer: 1-NN error, and the trustworthiness of a number of points. */
function mapBeside(task, n, { own, peer, most }) {
  const contender = `${own} ×1`;
  const difference = (key) => (results) => {
    const [ours, theirs] = [contender, peer].map(
      (name) => find(results, { section: 'maps', task, n, contender: name })?.[key],
    );
    return ours === undefined || theirs === undefined ? undefined : ours - theirs;
  };
  const what = `${task}, N=${n}, ${own} beside ${peer}`;
  return [
    ratio(`${what}: time`, ['maps', task, n, contender], most),
    { what: `${what}: 1-NN error, difference`, most: 0, digits: 4, of: difference('error') },
    // To the three digits that tables print: from seed to seed it differs by more.
    { what: `${what}: trustworthiness, difference`, least: -0.0005, digits: 4, of: difference('trust') },
  ];
}

/** A map of counts: its seconds, its peak memory, and its 1-NN error minus the error of principal components of the logarithms. */
function countsMap(n, seconds, mebibytes) {
  const at = (results, contender) =>
    results.find((row) => row.section === 'maps' && row.n === n && row.contender === contender);
  const what = `Poisson counts, N=${n}`;
  return [
    {
      what: `${what}: seconds`,
      isInSeconds: true,
      most: seconds,
      digits: 1,
      of: (results) => {
        const row = at(results, 'gplvm, poisson');
        return row && row.ms.median / 1000;
      },
    },
    { what: `${what}: MiB`, most: mebibytes, digits: 0, of: (results) => at(results, 'gplvm, poisson')?.mebibytes },
    {
      what: `${what}: 1-NN error less that of principal components of logarithms`,
      most: 0,
      digits: 3,
      of: (results) => {
        const [own, other] = ['gplvm, poisson', 'pca of logarithms'].map((name) => at(results, name)?.error);
        return own === undefined || other === undefined ? undefined : own - other;
      },
    },
  ];
}

/** A number of our draws, relative to Stan. */
function overStan(results, key) {
  const [ours, theirs] = ['latentfield', 'rstan'].map((contender) => find(results, { section: 'sampling', contender }));
  return ours && theirs && ours[key] / theirs[key];
}

/** The same where the covariance has no form of low rank. */
function wholeCovariance() {
  const task = 'evaluation, lengthscale 0.1';
  const bounds = { wasm: [1, 1.3], 'wasm ×2': [0.9, 0.9] };
  const native = { 'native ×1': [0.5, 0.5], 'native ×2': [0.5, 0.5] };
  return Object.entries({ ...bounds, ...native }).flatMap(([contender, most]) =>
    [1000, 2000].map((n, i) => ratio(`GPLVM ${task}, N=${n}, ${contender}`, ['gplvm', task, n, contender], most[i])),
  );
}

/** Aims relative to peers, repeated for peers that keep the memory that they free. */
function besideKept() {
  const kept = (what, [section, task, n, contender], most) => ({
    what: `${what}, N=${n}, ${contender}, beside numpy that keeps its memory`,
    most,
    of: (results) => {
      const at = (name) => find(results, { section, task, n, contender: name })?.ms.median;
      const [own, peer] = [at(contender), at('peers.py ×1, memory kept')];
      return own && peer && own / peer;
    },
  });
  const wasm = sizes(
    [
      [100, 0.9],
      [300, 0.55],
      [1000, 1],
      [2000, 1.3],
    ],
    (n, most) => kept('GPLVM evaluation', ['gplvm', 'evaluation', n, 'wasm'], most),
  );
  const native = [300, 1000, 2000].map((n) => kept('GPLVM evaluation', ['gplvm', 'evaluation', n, 'native ×1'], 0.5));
  const fits = Object.entries({ wasm: 0.55, 'native ×1': 0.4 }).map(([engine, most]) =>
    kept('whole fit', ['fit', 'gplvm, ≤ 500 iterations', 300, engine], most),
  );
  const splines = sizes(
    [
      [300, 0.6],
      [1000, 1],
    ],
    (n, most) => kept('TPSLVM evaluation', ['tpslvm', 'evaluation', n, 'wasm'], most),
  );
  return [...wasm, ...native, ...splines, ...fits];
}

/** Time relative to the peer on as many threads. */
function ratio(what, [section, task, n, contender], most) {
  return { what, most, of: (results) => find(results, { section, task, n, contender })?.ratio?.median };
}

/** The most memory of a fit to 2000 points, or to as many as there are. */
function matrices(what, contender, most) {
  const of = (results) =>
    (find(results, { section: 'memory', n: 2000, contender }) ?? find(results, { section: 'memory', contender }))
      ?.matrices;
  return { what, most, of, isCounted: true };
}

/** The largest ratio of a solver's evaluations to SciPy's over its problems; without end where it did not reach the minimum. */
function evaluations(what, solver, most) {
  const of = (results) => {
    const rows = results.filter(({ section, contender }) => section === 'solvers' && contender === solver);
    const ratios = rows.map(({ task, evaluations: count = Infinity }) => {
      return count / find(results, { section: 'solvers', task, contender: 'SciPy L-BFGS-B' }).evaluations;
    });
    return ratios.length === 0 ? undefined : Math.max(...ratios);
  };
  return { what, most, of, isCounted: true };
}

/** A log density over the peer's; 1 % less is as good. */
function optimum(what, task, n, peer) {
  const at = (results, contender) => find(results, { section: 'optimum', task, n, contender })?.value;
  return {
    what,
    least: 0.99,
    digits: 4,
    of: (results) => (at(results, peer) === undefined ? undefined : at(results, 'wasm') / at(results, peer)),
  };
}

/** Seconds and exponents of the fits to 100 000 and to 10 000 points. */
function meu(what, most, from) {
  const at = (results, n) => find(results, { section: 'meu', n, contender: 'wasm' });
  const of = (results) => {
    const [largest, before] = [at(results, 100_000), at(results, 10_000)];
    return largest === undefined || before === undefined ? undefined : from(largest, before);
  };
  return { what, most, of };
}

/** Operations per second relative to another task, at n = 1000; the peak has no n. */
function share(what, [task, contender], [otherTask, other], least) {
  const rate = (results, name, who) =>
    find(results, { section: 'raw', task: name, ...(name !== PEAK && { n: 1000 }), contender: who })?.gigaflops;
  const of = (results) => {
    const [own, base] = [rate(results, task, contender), rate(results, otherTask, other)];
    return own === undefined || base === undefined ? undefined : own / base;
  };
  return { what, least, of };
}

function find(results, wanted) {
  return results.find((row) => Object.entries(wanted).every(([key, value]) => row[key] === value));
}
