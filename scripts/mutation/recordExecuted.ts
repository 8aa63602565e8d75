import { appendFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';

const session = new Session();
session.connect();
await session.post('Profiler.enable');
// Whether, not how often: counts would keep V8 from compiling what runs often.
await session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: false });
const began = performance.now();

/** Appends { test, seconds, called } to the file that LATENTFIELD_EXECUTED names: what of src was called, as 'src/file.ts#function', no name where a function has none. */
afterAll(async () => {
  const seconds = (performance.now() - began) / 1000;
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const root = process.cwd();
  const called = result.flatMap(({ url, functions }) => {
    const path = relative(root, url.startsWith('file:') ? fileURLToPath(url) : url);
    if (!path.startsWith('src/')) return [];
    return functions
      .filter(({ ranges }) => ranges[0]!.count > 0)
      .map(({ functionName }) => `${path}#${functionName.replace(/^(get|set) /, '')}`);
  });
  const test = relative(root, expect.getState().testPath!);
  appendFileSync(
    process.env.LATENTFIELD_EXECUTED!,
    `${JSON.stringify({ test, seconds, called: [...new Set(called)] })}\n`,
  );
});
