// Fits with a checkpoint in a file whose process is killed (SIGKILL) at a time drawn at random: after each kill the file must be whole, and
// once the last of them has ended, its result must have the bits of a fit that nobody killed. Every other one is the first process of a namespace.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fit } from 'latentfield';
import seedrandom from 'seedrandom';
import { canIsolate, ISOLATED } from './child.mjs';
import { killedModel, killedOptions } from './killedFit.mjs';
import { tried } from './report.mjs';

const program = fileURLToPath(new URL('./killedFit.mjs', import.meta.url));
/** Kills of one fit before it may end. */
const KILLS_PER_FIT = 10;

export async function attackKills({ seed, cases, report }) {
  const random = seedrandom(`kills ${seed}`);
  const isolated = canIsolate(report) ? ISOLATED : [];
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-kills-'));
  const whole = bitsOf(await fit(killedModel(), killedOptions));
  try {
    for (let k = 0; k < cases; k++) {
      const path = join(folder, `fit${Math.floor(k / KILLS_PER_FIT)}.json`);
      await killed([...(k % 2 === 0 ? [] : isolated), process.execPath, program, path], random() * 30, report);
      const what = `kill ${k}`;
      if (existsSync(path) && tries(() => JSON.parse(readFileSync(path, 'utf8'))) === undefined) {
        report.fail(what, 'the checkpoint is no whole JSON');
      }
      const isLast = k % KILLS_PER_FIT === KILLS_PER_FIT - 1 || k === cases - 1;
      if (!isLast) continue;
      const { seed: _, ...rest } = killedOptions;
      // It continues, or begins again, and removes what killed processes left.
      const from = existsSync(path) ? { ...rest, resume: path } : killedOptions;
      const options = { ...from, checkpoint: path };
      const ended = await tried(report, what, () => fit(killedModel(), options));
      if (ended?.error !== undefined) report.fail(what, ended.error.message);
      else if (ended !== undefined && bitsOf(ended.value) !== whole) report.fail(what, 'the result has other bits');
      else report.count('fits ended, with the same bits');
    }
    // Whether a process of another namespace lives cannot be known: what it left is removed once it is an hour old.
    const isFit = (name) => /^fit\d+\.json$/.test(name);
    const leftNow = () => readdirSync(folder).filter((name) => !isFit(name));
    const longAgo = Date.now() / 1000 - 7200;
    for (const name of leftNow()) utimesSync(join(folder, name), longAgo, longAgo);
    for (const name of readdirSync(folder).filter(isFit))
      await fit(killedModel(), { ...killedOptions, maxIterations: 1, checkpoint: join(folder, name) });
    if (leftNow().length > 0) report.fail('files', leftNow().join(', '));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts the fit, or continues with it, and kills it some milliseconds after it has begun to compute. */
async function killed([command, ...args], milliseconds, report) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  // Once all processes of its namespace have ended, too.
  const exit = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), exit]);
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  child.kill('SIGKILL');
  const [code, signal] = await exit;
  if (signal === 'SIGKILL') report.count('killed');
  else if (code === 0) report.count('ended before it was killed');
  else report.fail('a killed fit', `ended by itself with ${code}`);
}

function tries(run) {
  try {
    return run();
  } catch {
    return undefined;
  }
}

const bitsOf = ({ latents, objective, parameters, trace }) => JSON.stringify([latents, objective, parameters, trace]);
