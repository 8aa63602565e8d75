import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  latentPlot,
  latentScenes,
  MOST_LABELS,
  type PrecisionGrid,
  precisionGrid,
  type Scene,
  sceneSvg,
} from '../../../src/app/plot/index.ts';
import { InvalidInputError } from '../../../src/core/errors.ts';
import { Matrix } from '../../../src/core/matrix.ts';
import { contains, elements, grayness, marks, parseSvg, position, texts } from './svg.ts';

const latents = [
  [0, 0],
  [1, 0],
  [1, 2],
  [0, 2],
  [0.5, 1],
];
const labels = ['oil', 'gas', 'oil', 'water & <mud>', 'gas'];

/** A precision that falls from 1000 at the origin to 1 and rises nowhere. */
const hill = (n: number): PrecisionGrid => {
  const x = Array.from({ length: n }, (_, i) => (2 * i) / (n - 1) - 0.5);
  const y = Array.from({ length: n }, (_, i) => (3 * i) / (n - 1) - 0.5);
  return { x, y, values: Matrix.from(y.map((b) => x.map((a) => 10 ** (3 * Math.exp(-(a ** 2 + b ** 2)))))) };
};

/** The gray seen at a pixel of the plot area: of the last band drawn there. */
const grayAt = (svg: string, pixel: readonly [number, number]) => {
  const seen = marks(parseSvg(svg), 'bands').filter((band) => contains(band, pixel));
  return grayness(seen.at(-1)!.attributes.fill!);
};

describe('latentPlot', () => {
  const spies = () => (['log', 'info', 'warn', 'error', 'debug'] as const).map((method) => vi.spyOn(console, method));
  let heard: ReturnType<typeof spies>;
  beforeEach(() => {
    heard = spies();
  });
  afterEach(() => {
    for (const spy of heard) expect(spy).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it('draws every point where it belongs, in the color and shape of its label', async () => {
    const svg = await latentPlot({ latents, labels, precision: hill(11), width: 200, height: 300 });
    const points = marks(parseSvg(svg), 'points');
    expect(points.map(position)).toEqual([
      [50, 250],
      [150, 250],
      [150, 50],
      [50, 50],
      [100, 150],
    ]);
    const looks = points.map(({ attributes }) => `${attributes.fill} ${attributes.d}`);
    expect(looks[0]).toBe(looks[2]);
    expect(looks[1]).toBe(looks[4]);
    expect(new Set(looks).size).toBe(3);
    expect(new Set(points.map(({ attributes }) => attributes.fill)).size).toBe(3);
    expect(new Set(points.map(({ attributes }) => attributes.d)).size).toBe(3);
  });

  it('has a title, titled axes, one legend entry a label in order, and the scale of precision', async () => {
    const title = 'Pipes & flow';
    const root = parseSvg(await latentPlot({ latents, labels, precision: hill(11), title }));
    const written = texts(root);
    expect(written).toContain('Pipes &amp; flow');
    expect(written).toContain('latent dimension 1');
    expect(written).toContain('latent dimension 2');
    expect(written).toContain('log10 precision');
    expect(written.filter((text) => ['gas', 'oil', 'water &amp; &lt;mud&gt;'].includes(text))).toEqual([
      'gas',
      'oil',
      'water &amp; &lt;mud&gt;',
    ]);
    expect(marks(root, 'legend-symbol')).toHaveLength(3);
  });

  it('is lighter where the precision is higher', async () => {
    const svg = await latentPlot({ latents, precision: hill(41), width: 200, height: 300 });
    // x from −0.5 to 1.5 and y from −0.5 to 2.5: a unit is 100 pixels.
    const pixel = (x: number, y: number) => [(x + 0.5) * 100, (2.5 - y) * 100] as const;
    const along = [0, 0.25, 0.5, 0.75, 1, 1.25].map((x) => grayAt(svg, pixel(x, 0)));
    for (let i = 1; i < along.length; i++) expect(along[i]!).toBeLessThan(along[i - 1]!);
    expect(along[0]).toBe(255);
    expect(grayAt(svg, pixel(1.45, 2.45))).toBe(0x7a);
    // Equal precision looks the same in both directions: no axis is mirrored or stretched.
    expect(grayAt(svg, pixel(0, 0.75))).toBe(along[3]);
    expect(grayAt(svg, pixel(-0.45, 0))).toBe(grayAt(svg, pixel(0.45, 0)));
  });

  it('is white where all is equally certain', async () => {
    const precision = {
      x: [0, 1],
      y: [0, 2],
      values: Matrix.from([
        [5, 5],
        [5, 5],
      ]),
    };
    const svg = await latentPlot({ latents, precision, width: 100, height: 100 });
    expect(grayAt(svg, [50, 50])).toBe(255);
    expect(texts(parseSvg(svg))).not.toContain('log10 precision');
  });

  it('draws other columns, a single one, and no labels', async () => {
    const wide = latents.map(([a, b]) => [9, b!, a!]);
    const same = await latentPlot({ latents: wide, columns: [2, 1] });
    expect(marks(parseSvg(same), 'points').map(position)).toEqual(
      marks(parseSvg(await latentPlot({ latents })), 'points').map(position),
    );
    expect(texts(parseSvg(same))).toContain('latent dimension 3');
    const single = parseSvg(await latentPlot({ latents: [[3], [1], [2]] }));
    const heights = marks(single, 'points').map((point) => position(point)[1]);
    expect(heights[0]! - heights[1]!).toBeCloseTo(heights[1]! - heights[2]!, 1);
    expect(heights[0]!).toBeGreaterThan(heights[2]!);
    expect(texts(single)).toContain('index of the point');
    expect(marks(single, 'legend-symbol')).toHaveLength(0);
  });

  it('distinguishes 70 labels', async () => {
    const many = Array.from({ length: MOST_LABELS }, (_, i) => [i, i % 7]);
    const root = parseSvg(await latentPlot({ latents: many, labels: many.map(([i]) => i!) }));
    const looks = marks(root, 'points').map(({ attributes }) => `${attributes.fill} ${attributes.d}`);
    expect(new Set(looks).size).toBe(70);
    const entries = elements(root, ({ attributes }) => attributes.class === 'legend-entry');
    expect(entries.flatMap(texts).map(Number)).toEqual(many.map(([i]) => i));
  });

  it('is small, the same every time, and shares no identifiers with another picture', async () => {
    const cloud = Array.from({ length: 1000 }, (_, i) => [Math.sin(i), Math.cos(2.1 * i)]);
    const options = { latents: cloud, labels: cloud.map((_, i) => i % 3), precision: hill(60) };
    const svg = await latentPlot(options);
    expect(svg.length).toBeLessThan(400_000);
    const again = await latentPlot(options);
    expect(again === svg).toBe(true);
    const other = await latentPlot({ ...options, width: 300 });
    const ids = (text: string) => [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids(svg)).toHaveLength(2);
    expect(ids(other)).not.toEqual(ids(svg));
    for (const id of ids(svg)) expect(svg).toContain(`url(#${id})`);
  });

  it.each([
    ['labels', { latents, labels: ['a'] }, 'There are 5 latent points, but 1 labels were given.'],
    ['NaN', { latents: [[0, Number.NaN]] }, 'entry [0][1] is NaN'],
    ['columns', { latents, columns: [0, 2] }, 'columns [0, 2] of 5×2 latents were requested'],
    ['none', { latents: [] }, '0×0 latents'],
    [
      'many labels',
      { latents: Array(71).fill([0, 0]), labels: Array.from({ length: 71 }, (_, i) => i) },
      'can distinguish 70 labels, but 71',
    ],
    [
      'grid size',
      { latents, precision: { ...hill(4), x: [0, 1, 2] } },
      'takes 4×3 values (2×2 at least), but 4×4 were given',
    ],
    [
      'grid values',
      {
        latents,
        precision: {
          x: [0, 1],
          y: [0, 1],
          values: Matrix.from([
            [1, 0],
            [1, 1],
          ]),
        },
      },
      'entry [0][1] is 0',
    ],
  ])('explains invalid input: %s', async (_, options, expected) => {
    await expect(latentPlot(options)).rejects.toThrow(expected);
    await expect(latentPlot(options)).rejects.toThrow(InvalidInputError);
  });
});

describe('latentScenes', () => {
  it('are the layers of the picture as plain data, which are drawn alike after JSON', async () => {
    const options = { latents, labels, precision: hill(11), title: 'Pipes', width: 200, height: 300 };
    const [scene, ...others] = await latentScenes(options);
    expect(others).toEqual([]);
    const posted = structuredClone(scene!);
    expect(posted).toEqual(scene);
    const own = JSON.parse(JSON.stringify(posted)) as Scene;
    expect(own.marks.map(({ name }) => name)).toEqual(['bands', 'points']);
    const kinds = [1, 0, 1, 2, 0];
    expect(own.marks[1]).toMatchObject({
      x: latents.map(([x]) => x),
      y: latents.map(([, y]) => y),
      lookOf: kinds,
    });
    expect(sceneSvg(own)).toBe(await latentPlot(options));
  });

  it('are three of three dimensions', async () => {
    const scenes = await latentScenes({ latents: latents.map(([a, b]) => [a!, b!, a! - b!]) });
    expect(scenes.map(({ x, y }) => [x.title, y.title])).toEqual([
      ['latent dimension 1', 'latent dimension 2'],
      ['latent dimension 1', 'latent dimension 3'],
      ['latent dimension 2', 'latent dimension 3'],
    ]);
  });
});

describe('precisionGrid', () => {
  it('is the inverse mean variance over the widened bounding box, other columns at their mean', () => {
    const X = [
      [0, 1, 10],
      [4, 3, 30],
    ];
    const asked: number[][] = [];
    const predict = (points: Matrix) => {
      asked.push(...points.toArrays());
      return { variance: Matrix.from(points.toArrays().map(([a, , c]) => [Math.exp(a!), 3 * Math.exp(a! + c!)])) };
    };
    const { x, y, values } = precisionGrid(predict, X, { resolution: 3, margin: 0.25, columns: [0, 2] });
    expect(Array.from(x)).toEqual([-1, 2, 5]);
    expect(Array.from(y)).toEqual([5, 20, 35]);
    expect(asked.map((point) => point[1])).toEqual(Array(9).fill(2));
    values.toArrays().forEach((row, i) => {
      row.forEach((precision, j) => {
        expect(precision * ((Math.exp(x[j]!) + 3 * Math.exp(x[j]! + y[i]!)) / 2)).toBeCloseTo(1, 14);
      });
    });
  });

  it('reaches 1 to both sides of latents that coincide, for any margin', () => {
    const predict = ({ rows }: Matrix) => ({ variance: Matrix.from(Array.from({ length: rows }, () => [1])) });
    const latents = [
      [3, 1],
      [3, 2],
    ];
    const { x, y } = precisionGrid(predict, latents, { resolution: 3, margin: 0.5 });
    expect(Array.from(x)).toEqual([2, 3, 4]);
    expect(Array.from(y)).toEqual([0.5, 1.5, 2.5]);
  });

  it('has rows of equal precision for a single dimension', () => {
    const predict = (points: Matrix) => ({ variance: Matrix.from(points.toArrays().map(([a]) => [a! ** 2 + 1])) });
    const { x, y, values } = precisionGrid(predict, [[-1], [1], [0]], { resolution: 3, margin: 0 });
    expect(Array.from(x)).toEqual([-1, 0, 1]);
    expect(Array.from(y)).toEqual([0, 2]);
    expect(values.toArrays()).toEqual([
      [0.5, 1, 0.5],
      [0.5, 1, 0.5],
    ]);
  });

  it('predicts wide observations at a few points at a time', () => {
    const columns = 2 ** 16;
    const asked: number[] = [];
    const predict = (points: Matrix) => {
      asked.push(points.rows);
      const variance = Matrix.zeros(points.rows, columns);
      for (let i = 0; i < points.rows; i++)
        variance.data.fill(Math.fround(1 + points.at(i, 0) ** 2), i * columns, (i + 1) * columns);
      return { variance };
    };
    const { x, values } = precisionGrid(predict, latents, { resolution: 8 });
    expect(asked.reduce((sum, rows) => sum + rows)).toBe(64);
    expect(Math.max(...asked) * columns).toBeLessThanOrEqual(2 ** 20);
    for (const row of values.toArrays()) expect(row).toEqual(Array.from(x, (a) => 1 / Math.fround(1 + a ** 2)));
  });

  it('explains invalid input', () => {
    const predict = (points: Matrix) => ({ variance: Matrix.zeros(points.rows, 1) });
    expect(() => precisionGrid(predict, latents)).toThrow('The predicted variance at (-0.1, -0.2) is 0');
    expect(() => precisionGrid(predict, latents, { resolution: 1 })).toThrow('from 2 to 1000, but 1');
    expect(() => precisionGrid(predict, latents, { margin: -1 })).toThrow('0 or more, but -1');
  });
});
