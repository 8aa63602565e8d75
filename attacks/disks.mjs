// Disks that are full: a fit with a checkpoint and the command line write to a small separate file system, once with enough space and once with a
// few kilobytes. Failed writes are reported, and earlier files stay whole.
import { childOf, lastJson, programOf, reasonAgainst } from './child.mjs';

const MOUNTED = 'mount -t tmpfs -o size=3m tmpfs "$0" && exec "$@"';
const IN_OWN_FILES = ['unshare', '-rm', 'bash', '-c', MOUNTED];

export async function attackDisks({ seed, cases, report }) {
  const reason = reasonAgainst([...IN_OWN_FILES, '/mnt', 'true']);
  if (reason !== undefined) return report.skip(`no file system of one's own can be mounted here: ${reason}`);
  for (let k = 0; k < cases; k++) {
    const kilobytes = (k * 4 + seed - 1) % 160;
    const command = [
      ...IN_OWN_FILES,
      '/mnt',
      process.execPath,
      programOf('job.mjs'),
      'disk',
      '/mnt',
      String(kilobytes),
    ];
    const child = await childOf(command);
    judge(`${kilobytes} kB left`, child, report);
  }
}

function judge(what, child, report) {
  const found = lastJson(child);
  if (child.code !== 0 || found === undefined)
    return report.fail(what, `${child.code} ${child.signal} ${child.stderr}`);
  const { before, after, damaged, left } = found;
  const isGood = ({ value }) => Array.isArray(value) && value.every(({ code }) => code === 0);
  if (before[0].value === undefined || !isGood(before[1])) report.fail(`${what}, with room`, JSON.stringify(before));
  if (damaged.length > 0) report.fail(what, `damaged: ${damaged}`);
  if (left.length > 0) report.fail(what, `left behind: ${left}`);
  const [fitted, commanded] = after;
  if (fitted.error !== undefined && !fitted.isTyped) report.fail(`${what}, fit`, fitted.stack);
  report.count(fitted.error === undefined ? 'fits with a result' : 'fits that report why not');
  if (commanded.error !== undefined) return report.fail(`${what}, commands`, commanded.stack);
  for (const { command, code, text } of commanded.value) {
    const isSaid = code === 0 || ((code === 1 || code === 2) && /^error: .*[a-z].*\./m.test(text));
    if (!isSaid || /\n\s+at /.test(text)) report.fail(`${what}, ${command}`, `${code}: ${text}`);
    report.count(code === 0 ? 'commands that end with 0' : 'commands that report why not');
  }
}
