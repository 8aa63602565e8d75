const LEAST_RUNS = 3;
const MOST_RUNS = 60;
/** Milliseconds: work that takes this long is run once in all. */
const LONG = 3000;

/**
 * A sample of a synchronous piece of work: the median of runs for about `seconds`, 3 to 60 of them, as peers.py does. `prepare` is
 * not timed. The first sample of a contender warms up first.
 */
export function sampler(seconds, run, prepare = () => undefined) {
  let isWarm = false;
  const once = () => {
    prepare();
    const start = performance.now();
    run();
    return performance.now() - start;
  };
  const runs = () => {
    const times = series(seconds);
    while (times.goOn()) times.add(once());
    return times;
  };
  return () => {
    let times = runs();
    if (!isWarm && !times.isLong()) times = runs();
    isWarm = true;
    return { ms: times.median() };
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

/** Times of one piece of work, and whether to go on measuring. */
function series(seconds) {
  const end = performance.now() + 1000 * seconds;
  const times = [];
  const isLong = () => times[0] >= LONG;
  return {
    isLong,
    add: (ms) => times.push(ms),
    goOn: () =>
      times.length < 1 ||
      (!isLong() && times.length < MOST_RUNS && (times.length < LEAST_RUNS || performance.now() < end)),
    median: () => medianOf(times),
  };
}

/**
 * Measures the contenders of one task in rounds, every other one in reverse order.
 *
 * @param contenders - { name, threads, against?, once?, measure } with `measure()` → { ms, … } or undefined. `against` names the
 *   contender that its times are divided by, round by round; one with `once` that takes long is measured in the first round only
 * @returns a row for each: the median over the rounds with least and most, and the same of the ratio
 */
export async function compare({ section, task, n, flops }, contenders, rounds) {
  const samples = contenders.map(() => []);
  for (let round = 0; round < rounds; round++) {
    const order = contenders.map((_, i) => i);
    if (round % 2 === 1) order.reverse();
    for (const i of order) {
      const before = samples[i].at(-1);
      if (contenders[i].once && before?.ms > LONG) continue;
      samples[i][round] = await contenders[i].measure();
    }
  }
  return contenders.flatMap(({ name, threads, against }, i) => {
    const measured = samples[i].filter(Boolean);
    if (measured.length === 0) return [];
    const ms = spreadOf(measured.map((sample) => sample.ms));
    const { ms: _, ...details } = measured.at(-1);
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
