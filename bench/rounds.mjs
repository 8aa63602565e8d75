const LEAST_RUNS = 3;
const MOST_RUNS = 60;
/** A run this long, in milliseconds, is not repeated within a sample. */
const LONG = 3000;

/**
 * A sample of a synchronous piece of work: runs it for about `seconds`, 3 to 60 times, as peers.py does. `prepare` is not timed.
 * The first sample of a contender warms up first.
 */
export function sampler(seconds, run, prepare = () => undefined) {
  let warm = false;
  const once = () => {
    prepare();
    const start = performance.now();
    run();
    return performance.now() - start;
  };
  return () => {
    const end = performance.now() + 1000 * seconds;
    if (!warm) {
      warm = true;
      for (let first = once(); first < LONG && performance.now() < end; ) once();
    }
    const times = [];
    const stop = performance.now() + 1000 * seconds;
    while ((performance.now() < stop || times.length < LEAST_RUNS) && times.length < MOST_RUNS) {
      times.push(once());
      if (times[0] > LONG) break;
    }
    return { ms: medianOf(times) };
  };
}

/**
 * Measures the contenders of one task in rounds, every other one in reverse order.
 *
 * @param contenders - { name, threads, against?, measure } with `measure()` → { ms, … } or undefined; `against` is the name of the
 *   contender that its times are divided by, round by round
 * @returns a row for each: the median over the rounds with least and most, and the same of the ratio
 */
export async function compare({ section, task, n, flops }, contenders, rounds) {
  const samples = contenders.map(() => []);
  for (let round = 0; round < rounds; round++) {
    const order = contenders.map((_, i) => i);
    if (round % 2 === 1) order.reverse();
    for (const i of order) samples[i].push(await contenders[i].measure());
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
