import { spawn } from 'node:child_process';

/**
 * Runs reproductions in separate processes, `jobs` at a time, in their order.
 *
 * @param program - program that receives the name of one and the flags
 * @returns the names of failed ones
 */
export async function inProcesses(program, names, jobs, flags) {
  const waiting = [...names];
  const failed = [];
  async function work() {
    while (waiting.length > 0) {
      const name = waiting.shift();
      const child = spawn(process.execPath, [program, name, ...flags], { stdio: 'inherit' });
      const code = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
      if (code !== 0) failed.push(name);
    }
  }
  await Promise.all(Array.from({ length: jobs }, work));
  return failed;
}
