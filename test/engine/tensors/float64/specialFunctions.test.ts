import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { digamma, lgamma, trigamma } from '../../../../src/engine/special/gamma.ts';
import { erf } from '../../../../src/engine/special/normal.ts';
import { doublesOf } from '../../../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import { expectNumbers } from './backends.ts';
import reference from './reference/specialFunctions.json' with { type: 'json' };

const xs = reference.map(({ x }) => x);

test('erf agrees with mpmath to 1e-15 relative', () => {
  expectNumbers(
    xs.map(erf),
    reference.map((row) => row.erf),
    1e-15,
  );
  expect([erf(0), erf(1e-300), erf(30), erf(Number.NEGATIVE_INFINITY), erf(Number.NaN)]).toEqual([
    0,
    1.1283791670955126e-300,
    1,
    -1,
    Number.NaN,
  ]);
});

test('the gamma family agrees with mpmath to 1e-14 relative', () => {
  for (const [f, name] of [
    [lgamma, 'lgamma'],
    [digamma, 'digamma'],
    [trigamma, 'trigamma'],
  ] as const) {
    expectNumbers(
      xs.map(f),
      reference.map((row) => row[name]),
      1e-14,
      name === 'digamma' ? 1 : 0,
    );
  }
});

test('lgamma keeps its digits near its zeros, and poles are infinite', () => {
  const z = 2 ** -20;
  // Taylor series at 1 and 2; the next terms are below 1e-23 relative to these.
  const [euler, zeta2, zeta3, zeta4] = [0.5772156649015329, Math.PI ** 2 / 6, 1.2020569031595942, Math.PI ** 4 / 90];
  const near = z * (-euler + z * (zeta2 / 2 + z * (-zeta3 / 3 + (z * zeta4) / 4)));
  expectNumbers([lgamma(1 + z), lgamma(2 + z)], [near, near + Math.log1p(z)], 1e-14);
  expect([lgamma(1), lgamma(2), lgamma(0), lgamma(-3)]).toEqual([
    0,
    0,
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ]);
  expect([digamma(0), digamma(-1), trigamma(-2)]).toEqual([Number.NaN, Number.NaN, Number.POSITIVE_INFINITY]);
  expect([lgamma(Number.NaN), digamma(Number.NaN), trigamma(Number.NaN)]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
});

test('as operations they run on every backend, computed in double precision', async () => {
  const x = [0.5, 1.75, 5.5, -2.4375];
  const rows = x.map((value) => reference.find((row) => row.x === value)!);
  const evaluate = () => [op.lgamma(op.tensor(x)), op.digamma(op.tensor(x))].map((y) => doublesOf(y));
  const [logGamma, psi] = withFloat64(evaluate);
  expectNumbers(
    logGamma!,
    rows.map((row) => row.lgamma),
    1e-14,
  );
  expectNumbers(
    psi!,
    rows.map((row) => row.digamma),
    1e-14,
  );

  await tf.setBackend('cpu');
  const before = tf.memory().numTensors;
  const [logGamma32, psi32] = tf.engine().tidy(() => evaluate() as never) as unknown as Float64Array[];
  expect([...logGamma32!]).toEqual(rows.map((row) => Math.fround(row.lgamma)));
  expect([...psi32!]).toEqual(rows.map((row) => Math.fround(row.digamma)));
  expect(tf.memory().numTensors).toBe(before);
});
