// Announced times and limits of seconds of commands, by a clock that counts processor time, so that other work on the machine changes
// neither. Times announced before and during a command must be right within a factor of two; limits are kept to a tenth or two seconds.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import seedrandom from 'seedrandom';
import { childOf, lastJson, programOf } from './child.mjs';

/** Allowed factor between estimate and truth, and allowed seconds, for rounding. */
const FACTOR = 2;
const ROUNDED = 1;
/** Seconds below which no time is announced. */
const UNANNOUNCED = 10;
/** How much faster the clock goes, which makes long work of short work. */
const SCALE = 20;
/** Seconds beyond a limit, or a part of it. */
const BEYOND = { seconds: 2, part: 0.1 };

export async function attackEstimates({ seed, cases, report }) {
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-estimates-'));
  try {
    const tables = tablesIn(folder, seed);
    let left = cases;
    for (const one of interleaved(estimates(tables), limits(tables))) {
      if (left-- === 0) break;
      const child = await childOf([process.execPath, programOf('job.mjs'), 'timed', JSON.stringify(one)]);
      const found = lastJson(child);
      if (found === undefined) report.fail(one.what, `${child.code} ${child.signal}: ${child.stderr.slice(-400)}`);
      else if (one.limit === undefined) judge(one, found, report);
      else judgeLimit(one, found, report);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Alternates between both, so that a short form has some of each. */
function* interleaved(...lists) {
  for (let isLeft = true; isLeft; ) {
    isLeft = false;
    for (const list of lists) {
      const { done, value } = list.next();
      if (done) continue;
      isLeft = true;
      yield value;
    }
  }
}

/** Every announced time, with the measured time of the same work. */
function judge({ what, until }, { code, lines, ended }, report) {
  if (code !== 0) return report.fail(what, lines.map(({ text }) => text).join(''));
  const told = lines.flatMap(({ at, text }) => {
    const [, number, unit] = /(?:about|at most|up to) ([\d.]+) (s|min|h)\b/.exec(text) ?? [];
    if (number === undefined) return [];
    const over =
      until === undefined ? ended : (lines.find((line) => line.at > at && line.text.includes(until))?.at ?? ended);
    return [{ text: text.trim(), estimate: number * { s: 1, min: 60, h: 3600 }[unit], taken: over - at }];
  });
  if (told.length === 0) {
    // Seconds are not announced.
    if (ended <= FACTOR * UNANNOUNCED + ROUNDED) return report.count('short commands without an estimate');
    return report.fail(what, `no time was told of ${ended.toFixed(1)} s: ${lines.map(({ text }) => text).join('')}`);
  }
  for (const { text, estimate, taken } of told) {
    const isRight = estimate <= FACTOR * taken + ROUNDED && taken <= FACTOR * estimate + ROUNDED;
    if (isRight) report.count(`estimates within a factor of ${FACTOR}`);
    else report.fail(what, `'${text}', but it took ${taken.toFixed(1)} s`);
  }
}

function judgeLimit({ what, limit }, { code, lines, ended }, report) {
  const text = lines.map((line) => line.text).join('');
  if (![0, 1].includes(code) || /failed unexpectedly/.test(text)) return report.fail(what, `${code}: ${text}`);
  if (ended > limit + Math.max(BEYOND.seconds, BEYOND.part * limit)) {
    return report.fail(what, `a limit of ${limit} s, and ${ended.toFixed(1)} s: ${text.slice(-300)}`);
  }
  report.count(code === 0 ? 'limits that were kept' : 'limits that ended a command before it had a result');
}

function tablesIn(folder, seed) {
  const random = seedrandom(`estimates ${seed}`);
  const table = (name, rows, columns) => {
    const row = (_, i) =>
      Array.from(
        { length: columns },
        (__, j) => Math.sin(i / (9 + j)) + Math.cos((i * (j + 1)) / 31) + random() / 5,
      ).join();
    const path = join(folder, `${name}.csv`);
    writeFileSync(
      path,
      [Array.from({ length: columns }, (_, j) => `c${j}`), ...Array.from({ length: rows }, row)].join('\n'),
    );
    return path;
  };
  return {
    folder,
    small: table('small', 150, 5),
    many: table('many', 300, 5),
    wide: table('wide', 300, 12),
    large: table('large', 1500, 12),
    huge: table('huge', 6000, 30),
    /** A fit whose seconds are by the same clock. */
    fitted: (name, data, ...more) => {
      const out = join(folder, name);
      const one = { scale: SCALE, args: ['fit', data, '--out', out, ...more] };
      const { status, stderr } = spawnSync(process.execPath, [programOf('job.mjs'), 'timed', JSON.stringify(one)]);
      if (status !== 0) throw new Error(String(stderr));
      return out;
    },
  };
}

function* estimates({ folder, small, many, wide, large, fitted }) {
  const out = (name) => ['--out', join(folder, name)];
  for (const [model, ...more] of [
    ['gplvm', '--max-iterations', '60'],
    ['bayesianGplvm', '--max-iterations', '10', '--options', '{"inducing":10}'],
    ['umap'],
    ['tsne'],
    ['isomap'],
    ['meu'],
  ]) {
    const dir = fitted(model, small, '--model', model, ...more);
    yield { what: `project, ${model}`, scale: SCALE, args: ['project', dir, many, ...out(`${model}.csv`)] };
    yield {
      what: `assess, ${model}`,
      scale: SCALE,
      args: ['assess', dir, '--page', join(folder, `${model}.html`)],
    };
  }
  yield {
    what: 'project among many, gplvm',
    scale: SCALE,
    args: [
      'project',
      fitted('amongMany', large, '--model', 'gplvm', '--options', '{"inducing":50}', '--max-iterations', '20'),
      wide,
      ...out('amongMany.csv'),
    ],
  };
  for (const model of ['umap', 'tsne']) {
    yield {
      what: `fit, ${model}`,
      scale: SCALE,
      until: 'wrote',
      args: ['fit', large, '--model', model, '--plot', 'html', ...out(`fit-${model}`)],
    };
  }
  yield {
    what: 'compare',
    scale: SCALE,
    until: 'note: ',
    args: ['compare', large, '--models', 'gplvm', '--max-seconds', '60', ...out('compared')],
  };
}

function* limits({ folder, many, large, huge }) {
  const out = (name) => ['--out', join(folder, name)];
  for (const [model, data, limit] of [
    ['umap', huge, 5],
    ['tsne', huge, 5],
    ['gplvm', large, 5],
    ['bayesianGplvm', huge, 5],
    ['meu', large, 5],
    ['mvu', many, 5],
    ['isomap', huge, 5],
  ]) {
    yield {
      what: `limit of fit, ${model}`,
      limit,
      scale: 1,
      args: ['fit', data, '--model', model, '--plot', 'html', '--max-seconds', String(limit), ...out(`limit-${model}`)],
    };
  }
  yield {
    what: 'limit of compare',
    limit: 15,
    scale: 1,
    args: ['compare', large, '--models', 'ppca,isomap,umap', '--max-seconds', '15', ...out('limit-compare')],
  };
}
