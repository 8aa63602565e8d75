import { expect, it } from 'vitest';
import { tracePlot } from '../../../src/app/plot/index.ts';
import { marks, parseSvg, texts } from './svg.ts';

const trace = [
  { evaluations: 1, objective: -100 },
  { evaluations: 3, objective: 50 },
  { evaluations: 5, objective: 100 },
];

it('draws the objective by evaluations', async () => {
  const root = parseSvg(await tracePlot(trace, { title: 'Fit', width: 400, height: 200 }));
  const [curve] = marks(root, 'curve');
  // Evaluations 1 … 5 span the width, and −100 … 100 the height.
  expect(curve!.attributes.d).toBe('M0,200L200,50L400,0');
  for (const text of ['Fit', 'evaluations', 'objective']) expect(texts(root)).toContain(text);
});

it('says what is wrong', async () => {
  await expect(tracePlot([])).rejects.toThrow('the trace is empty');
  await expect(tracePlot([...trace, { evaluations: 6, objective: Number.NaN }])).rejects.toThrow(
    'entry 3 is NaN after 6',
  );
});
