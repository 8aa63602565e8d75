import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { knnGraph } from '../../../../src/engine/graph/index.ts';
import { doublesOf } from '../../../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import { expectClose } from '../../../tolerance.ts';

const source = (path: string) => new URL(`../../../../src/engine/tensors/${path}`, import.meta.url);
const files = [
  ...readdirSync(source('ops/')).map((file) => source(`ops/${file}`)),
  source('linearAlgebra/ops.ts'),
  source('linearAlgebra/gaussianLogDensity.ts'),
  source('linearAlgebra/operations/symmetricBasisLogDensity.ts'),
  source('float64/scope.ts'),
];

/** The code of every example, by the name of what comes after it. */
const examples = files.flatMap((file) => {
  const text = readFileSync(file, 'utf8');
  return Array.from(
    text.matchAll(/ \* ```ts\n([\s\S]*?) \* ```\n \*\/\nexport (?:function|const) (\w+)/g),
    ([, code, name]) => ({
      name: name!,
      code: code!.replace(/^ \* ?/gm, ''),
      file: basename(file.pathname),
    }),
  );
});

const shapeOf = (values: unknown): number[] => (Array.isArray(values) ? [values.length, ...shapeOf(values[0])] : []);

/** A line `expression; // value` is a claim when the value, which may be followed by words, is a number or nested ones. */
function claimOf(comment: string): unknown {
  const [value] = comment.match(/^[-[\]\d., e]+?(?=$|,? [a-zα-ω])/i) ?? [];
  try {
    return value === undefined ? undefined : JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** Runs an example; returns how many claims it made, all of which hold. */
function run(code: string): number {
  let claims = 0;
  const check = (value: unknown, comment: string) => {
    const expected = claimOf(comment);
    if (expected === undefined) return;
    claims++;
    const isTensor = value instanceof tf.Tensor;
    if (isTensor) expect(value.shape).toEqual(shapeOf(expected));
    const numbers = isTensor ? doublesOf(value) : [value as number];
    expectClose(numbers, [expected].flat(9) as number[], 1e-14, comment);
  };
  const checked = code.replace(/^(\w.*); \/\/ (.*)$/gm, (line, expression: string, comment: string) =>
    expression.startsWith('const ') ? line : `check(${expression}, ${JSON.stringify(comment)});`,
  );
  const { outputText } = ts.transpileModule(checked, { compilerOptions: { target: ts.ScriptTarget.ES2022 } });
  withFloat64(() =>
    new Function('op', 'knnGraph', 'withFloat64', 'check', outputText)(op, knnGraph, withFloat64, check),
  );
  return claims;
}

describe('the examples of operations', () => {
  it.each(examples)('$name, $file', ({ code }) => {
    run(code);
  });

  it('exist for every operation, and state the result', () => {
    const named = new Set(examples.map(({ name }) => name));
    const aliases: Record<string, string> = { valueOf: 'numberOf', clip: 'clipByValue' };
    const without = Object.keys(op).filter((name) => !named.has(aliases[name] ?? name));
    expect(without).toEqual([]);
    const silent = examples.filter(({ code }) => run(code) === 0).map(({ name }) => name);
    expect(silent).toEqual([]);
  });
});
