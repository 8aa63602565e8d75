import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const sources = fileURLToPath(new URL('../../../src', import.meta.url));

/** What only decides how something is drawn, where the last digit is not seen. */
const DRAWN = ['app/plot/page/runPage.ts'];

/** Compiled kernels as text, in which any characters may follow each other. */
const COMPILED = ['engine/wasm/engineModule.ts', 'engine/wasm/threadedEngineModule.ts'];

/** Those of which ECMAScript leaves the digits to the engine. */
const HOST =
  /\bMath\s*\.\s*(?:exp|expm1|log|log1p|log2|log10|pow|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|cbrt|hypot|random)\b/;
/** Reads them by another way. */
const HIDDEN = /\bMath\s*(?:\[|\)|\?\.|;|,|$)/;
/** Powers are such, but for those of 2, which are exact. */
const POWER = /(?<!\b2\s*)\*\*/;

/** Without comments; the text of a template or a string stays, which none of the patterns meets by chance. */
const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(?<![:'"`])\/\/.*$/gm, '');

const found = (text: string) =>
  code(text)
    .split('\n')
    .filter((line) => [HOST, HIDDEN, POWER].some((pattern) => pattern.test(line)));

test('the library computes by its own elementary functions, which are the same on every machine', () => {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(500);
  const using = files
    .map((file) => ({
      file: relative(sources, join(sources, file)),
      lines: found(readFileSync(join(sources, file), 'utf8')),
    }))
    .filter(({ file, lines }) => lines.length > 0 && ![...DRAWN, ...COMPILED].includes(file));
  expect(using).toEqual([]);
});

test('the search finds what it is for', () => {
  const uses = [
    'a = Math.exp(1);',
    'map(Math.log)',
    'const { sin } = Math;',
    'x ** 2',
    'Math["exp"](1)',
    '10 ** -3',
    'f(Math)',
  ];
  for (const use of uses) expect(found(use), use).toHaveLength(1);
  for (const other of ['Math.sqrt(2)', '2 ** -53', '/** Math.exp */', '// x ** 2', 'Math.max(a, b)']) {
    expect(found(other), other).toEqual([]);
  }
});
