import { expect, it } from 'vitest';
import { sceneSvg, tracePlot } from '../../../src/app/plot/index.ts';
import { elements, marks, parseSvg, texts } from './svg.ts';

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

it('explains invalid input', async () => {
  await expect(tracePlot([])).rejects.toThrow('the trace is empty');
  await expect(tracePlot([...trace, { evaluations: 6, objective: Number.NaN }])).rejects.toThrow(
    'entry 3 is NaN after 6',
  );
});

it('an axis has the ticks that it lists, at their values', () => {
  const ticks = [0, 2].map((value) => ({ value, text: `${10 ** value} rows` }));
  const scene = {
    ...{ width: 300, height: 100, description: 'Powers of ten', marks: [], legends: [] },
    ...{ x: { domain: [0, 3] as const, ticks }, y: { domain: [0, 1] as const } },
  };
  const root = parseSvg(sceneSvg(scene));
  const labels = elements(root, ({ name }) => name === 'text');
  expect(labels.map(({ text, attributes }) => [text, attributes.x])).toEqual([
    ['1 rows', '0'],
    ['100 rows', '200'],
  ]);
});
