// Fits with a checkpoint in a file whose process is killed (SIGKILL) at a time drawn at random: after each kill the file must be whole, and
// once the last of them has ended, its result must have the bits of a fit that nobody killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fit } from 'latentfield';
import seedrandom from 'seedrandom';
import { killedModel, killedOptions } from './killedFit.mjs';
import { tried } from './report.mjs';

const program = fileURLToPath(new URL('./killedFit.mjs', import.meta.url));
/** Kills of one fit before it may end. */
const KILLS_PER_FIT = 10;

export async function attackKills({ seed, cases, report }) {
  const random = seedrandom(`kills ${seed}`);
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-kills-'));
  const whole = bitsOf(await fit(killedModel(), killedOptions));
  try {
    for (let k = 0; k < cases; k++) {
      const path = join(folder, `fit${Math.floor(k / KILLS_PER_FIT)}.json`);
      await killed(path, random() * 30, report);
      const what = `kill ${k}`;
      if (existsSync(path) && tries(() => JSON.parse(readFileSync(path, 'utf8'))) === undefined) {
        report.fail(what, 'the checkpoint is no whole JSON');
      }
      const isLast = k % KILLS_PER_FIT === KILLS_PER_FIT - 1 || k === cases - 1;
      if (!isLast) continue;
      const { seed: _, ...rest } = killedOptions;
      // It goes on, or begins anew, and removes what killed processes left.
      const from = existsSync(path) ? { ...rest, resume: path } : killedOptions;
      const options = { ...from, checkpoint: path };
      const ended = await tried(report, what, () => fit(killedModel(), options));
      if (ended?.error !== undefined) report.fail(what, ended.error.message);
      else if (ended !== undefined && bitsOf(ended.value) !== whole) report.fail(what, 'the result has other bits');
      else report.count('fits ended, with the same bits');
    }
    const left = readdirSync(folder).filter((name) => !/^fit\d+\.json$/.test(name));
    if (left.length > 0) report.fail('files', left.join(', '));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts the fit, or goes on with it, and kills it some milliseconds after it has begun to compute. */
async function killed(path, milliseconds, report) {
  const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
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
