import {
  defineDensity,
  defineModel,
  fit,
  fixed,
  gaussian,
  InvalidInputError,
  known,
  latent,
  Matrix,
  observed,
} from 'latentfield';
import * as op from 'latentfield/ops';
import { expect, it } from 'vitest';

/** A walk whose steps are as wide as the times between them: one number of all rows. */
const walk = defineDensity({
  name: 'walk',
  parameters: { rate: fixed(1) },
  independent: false,
  logDensity: (p, { value, given: [times] }) => {
    const n = value.shape[0];
    const differences = (x: op.Tensor2D) => op.sub(op.slice(x, [1, 0], [n - 1, 1]), op.slice(x, [0, 0], [n - 1, 1]));
    const variance = op.mul(p.rate, differences(times!));
    const squares = op.div(op.square(differences(value)), variance);
    const first = op.square(op.slice(value, [0, 0], [1, 1]));
    return op.mul<op.Scalar>(-0.5, op.add(op.sum(op.add(squares, op.log(variance))), op.sum(first)));
  },
});
const model = defineModel({
  name: 'timed',
  variables: ({ time, y }: { time: Matrix; y: Matrix }) => {
    const t = known(time);
    const x = latent({ dim: 1, density: walk(), given: t });
    return { t, x, y: observed(y, { density: gaussian(), given: x }) };
  },
});

it('predictions and draws without a needed variable are refused, with its name and the reason', async () => {
  const rows = Array.from({ length: 12 }, (_, i) => [i + 0.3 * Math.sin(i)]);
  const data = { time: Matrix.from(rows), y: Matrix.from(rows.map(([t]) => [Math.sin(t! / 3)])) };
  const result = await fit(model(data), { seed: 1, maxIterations: 5 });
  for (const ask of [
    () => result.predict({ t: [[13]] }),
    () => result.predict([[13]]),
    () => result.sample({ t: [[13]] }),
  ]) {
    expect(ask).toThrow(InvalidInputError);
    expect(ask).toThrow(/'x' is not known there: its density 'walk' gives no (moments|draws).*\{ t, x \}/);
  }
  const { y } = result.predict({ t: [[13]], x: [[0.4]] });
  expect(y.mean.at(0, 0)).toBeCloseTo(0.4, 12);
});
