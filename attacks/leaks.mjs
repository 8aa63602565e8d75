// Memory after many fits of every kind, saved and loaded: from the second half of them on it stays below a ceiling.
import { childOf, lastJson, programOf } from './child.mjs';

/** Largest growth in bytes from the middle to the end, for any number of fits. */
const CEILING = { heapUsed: 6e6, arrayBuffers: 2e6 };

export async function attackLeaks({ cases, report }) {
  const child = await childOf([process.execPath, '--expose-gc', programOf('job.mjs'), 'leaks', String(cases)]);
  const bytes = lastJson(child);
  if (bytes === undefined) return report.fail('leaks', `${child.code} ${child.signal} ${child.stderr}`);
  for (const [kind, most] of Object.entries(CEILING)) {
    const grown = bytes.at(-1)[kind] - bytes[4][kind];
    const shown = bytes.map((at) => (at[kind] / 1e6).toFixed(1)).join(', ');
    if (grown > most) report.fail(kind, `grew by ${grown} bytes: ${shown} MB`);
  }
  report.count('fits', cases);
}
