import { isEngine } from './engines.mjs';

const LEAST_RUNS = 3;
const MOST_RUNS = 60;
/** Milliseconds: work that takes this long is run once in all. */
const LONG = 3000;

/**
 * A sample of a synchronous piece of work: the median of runs for about `seconds`, 3 to 60 of them, as peers.py does. `prepare` is
 * not timed. The first sample of a contender warms up first, for all of the `seconds`: short work is compiled for its types only after some
 * hundred runs, as many as a fit takes, while 60 runs of it are over before.
 */
export function sampler(seconds, run, prepare = () => undefined) {
  let isWarm = false;
  const once = () => {
    prepare();
    const start = performance.now();
    run();
    return performance.now() - start;
  };
  const runs = (most) => {
    const times = series(seconds, most);
    while (times.goOn()) times.add(once());
    return times;
  };
  let first;
  return () => {
    let times = runs(isWarm ? MOST_RUNS : Number.POSITIVE_INFINITY);
    if (!isWarm && !times.isLong()) {
      first = times.first();
      times = runs(MOST_RUNS);
    }
    isWarm = true;
    return { ms: times.median(), ...(first !== undefined && { first }) };
  };
}

/** The same of asynchronous work that is warm already. */
export function asynchronousSampler(seconds, run) {
  return async () => {
    const times = series(seconds);
    while (times.goOn()) {
      const start = performance.now();
      await run();
      times.add(performance.now() - start);
    }
    return { ms: times.median() };
  };
}

/** Times of one piece of work, and whether to continue measuring. */
function series(seconds, most = MOST_RUNS) {
  const end = performance.now() + 1000 * seconds;
  const times = [];
  const isLong = () => times[0] >= LONG;
  return {
    isLong,
    add: (ms) => times.push(ms),
    goOn: () =>
      times.length < 1 || (!isLong() && times.length < most && (times.length < LEAST_RUNS || performance.now() < end)),
    median: () => medianOf(times),
    /** The median of as many as a sample has, from the first one on, where there are more. */
    first: () => (times.length > MOST_RUNS ? rounded(medianOf(times.slice(0, MOST_RUNS))) : undefined),
  };
}

/**
 * Measures the contenders of one task in rounds, every other one in reverse order.
 *
 * @param context - its `rounds`; with `processes` engines of ours are measured in separate processes, and a context with `serve`
 *   belongs to such a process, which gets no rows
 * @param contenders - { name, threads, against?, once?, measure } with `measure()` → { ms, … } or undefined. `against` names the
 *   contender that its times are divided by, round by round; one with `once` that takes long is measured in the first round only
 * @returns a row for each: the median over the rounds with least and most, and the same of the ratio
 */
export async function compare({ rounds, processes, serve }, { section, task, n, flops }, contenders) {
  const key = `${section} ${task} ${n}`;
  if (serve !== undefined) {
    await serve(key, contenders);
    return [];
  }
  const measured = contenders.map(({ name, measure }) =>
    processes !== undefined && isEngine(name) ? () => processes.measure(name, key) : measure,
  );
  const samples = contenders.map(() => []);
  for (let round = 0; round < rounds; round++) {
    const order = contenders.map((_, i) => i);
    if (round % 2 === 1) order.reverse();
    for (const i of order) {
      const before = samples[i].at(-1);
      if (contenders[i].once && before?.ms > LONG) continue;
      samples[i][round] = await measured[i]();
    }
  }
  return contenders.flatMap(({ name, threads, against }, i) => {
    const taken = samples[i].filter(Boolean);
    if (taken.length === 0) return [];
    const ms = spreadOf(taken.map((sample) => sample.ms));
    const { ms: _, ...details } = taken.at(-1);
    const other = samples[contenders.findIndex((contender) => contender.name === against)];
    const ratios = other ? samples[i].flatMap((mine, k) => (mine && other[k] ? [mine.ms / other[k].ms] : [])) : [];
    return [
      {
        section,
        task,
        n,
        contender: name,
        threads,
        ms,
        ...(flops && { gigaflops: rounded(flops / ms.median / 1e6) }),
        ...details,
        ...(ratios.length > 0 && { against, ratio: spreadOf(ratios) }),
      },
    ];
  });
}

function spreadOf(values) {
  return {
    median: rounded(medianOf(values)),
    least: rounded(Math.min(...values)),
    most: rounded(Math.max(...values)),
    rounds: values.length,
  };
}

function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** To four digits: more are noise. */
const rounded = (value) => Number(value.toPrecision(4));
