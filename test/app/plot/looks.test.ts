import { describe, expect, it } from 'vitest';
import {
  decodedGrid,
  latentPlot,
  MOST_LABELS,
  PALETTES,
  panelColumns,
  precisionGrid,
  svgToPng,
} from '../../../src/app/plot/index.ts';
import { colorOf, UNLABELED } from '../../../src/app/plot/looks.ts';
import { InvalidInputError } from '../../../src/core/errors.ts';
import { Matrix } from '../../../src/core/matrix.ts';
import { mixed } from '../../../src/scene/index.ts';
import { colorDifference, contrast, type Lab, labOf, oklabOf, SIGHTS } from './colorDifference.ts';
import { areaOf, elements, marks, parseSvg, position, type SvgElement, texts } from './svg.ts';

const latents = [
  [0, 0],
  [4, 0],
  [4, 2],
  [0, 2],
  [2, 1],
];
const fills = (svg: string, name = 'points') => marks(parseSvg(svg), name).map(({ attributes }) => attributes.fill);
/** Ground of pictures, and of maps in light and dark. */
const GROUNDS = [
  ['light', '#ffffff'],
  ['light', '#fdfcf9'],
  ['dark', '#222e38'],
] as const;

describe('colors of labels', () => {
  it('are distinct by CIEDE2000, which agrees with published pairs', () => {
    const published: [Lab, Lab, number][] = [
      [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
      [[50, -1, 2], [50, 0, 0], 2.3669],
      [[50, 2.49, -0.001], [50, -2.49, 0.0009], 7.1792],
      [[50, 2.5, 0], [73, 25, -18], 27.1492],
      [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
      [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
    ];
    for (const [a, b, expected] of published) expect(colorDifference(a, b)).toBeCloseTo(expected, 4);
    const colors = Array.from({ length: 10 }, (_, k) => labOf(colorOf(k)));
    const differences = colors.flatMap((a, i) => colors.slice(0, i).map((b) => colorDifference(a, b)));
    expect(differences).toHaveLength(45);
    expect(Math.min(...differences)).toBeGreaterThan(18);
    // From paper, from the darkest gray of a background, and from points without a label.
    for (const color of colors) {
      expect(colorDifference(color, labOf('#ffffff'))).toBeGreaterThan(18);
      expect(colorDifference(color, labOf('#7a7a7a'))).toBeGreaterThan(15);
      expect(colorDifference(color, labOf(UNLABELED))).toBeGreaterThan(15);
    }
  });

  it('differ for normal, protan, deutan and tritan sight, in lightness, and from the ground', () => {
    for (const [name, ground] of GROUNDS) {
      const colors = PALETTES[name].labels;
      expect(colors).toHaveLength(10);
      for (const [i, a] of colors.entries()) {
        expect(contrast(a, ground), `${a} on ${ground}`).toBeGreaterThan(3);
        for (const b of colors.slice(0, i)) {
          expect(contrast(a, b), `${a} and ${b}`).toBeGreaterThan(1.06);
          for (const sight of SIGHTS) {
            const [seen, other] = [a, b].map((color) => oklabOf(color, sight)) as [Lab, Lab];
            expect(Math.hypot(...seen.map((value, k) => value - other[k]!)), `${a} and ${b}`).toBeGreaterThan(0.085);
          }
        }
      }
    }
  });

  it('come with shapes of one area', async () => {
    const many = Array.from({ length: 7 }, (_, i) => [i, i]);
    const picture = parseSvg(await latentPlot({ latents: many, labels: many.map(([i]) => i!) }));
    for (const name of ['points', 'legend-symbol']) {
      const areas = marks(picture, name).map(areaOf);
      expect(areas).toHaveLength(7);
      for (const area of areas) expect(area / areas[0]!).toBeCloseTo(1, 2);
    }
  });

  it('are gray where there is no label', async () => {
    const svg = await latentPlot({ latents, labels: ['b', '', null, undefined, Number.NaN] });
    expect(fills(svg)).toEqual([colorOf(0), UNLABELED, UNLABELED, UNLABELED, UNLABELED]);
    expect(texts(parseSvg(svg)).filter((text) => ['b', '(none)'].includes(text))).toEqual(['b', '(none)']);
  });

  it('appear in the legend in their order, for any number of them', async () => {
    for (const count of [19, 40, MOST_LABELS]) {
      const many = Array.from({ length: count }, (_, i) => [i, i % 7]);
      const root = parseSvg(await latentPlot({ latents: many, labels: many.map(([i]) => i!) }));
      const entries = elements(root, ({ attributes }) => attributes.class === 'legend-entry').map((entry) => ({
        at: position(entry),
        text: texts(entry)[0]!,
      }));
      entries.sort((a, b) => a.at[0] - b.at[0] || a.at[1] - b.at[1]);
      expect(entries.map(({ text }) => Number(text))).toEqual(many.map(([i]) => i));
    }
  });
});

describe('colors of numbers', () => {
  it('follow the ramp from the smallest to the largest, gray without a number', async () => {
    const svg = await latentPlot({ latents, color: [10, 30, 20, Number.NaN, 15], legendTitle: 'age' });
    const stops = PALETTES.light.numbers;
    expect(stops).toHaveLength(7);
    const [low, middle, high] = [stops[0], stops[3], stops[6]];
    expect(fills(svg)).toEqual([low, high, middle, UNLABELED, mixed([stops[1], stops[2]], 0.5)]);
    expect(mixed(['#000000', '#ff8010'], 0.5)).toBe('#804008');
    expect(texts(parseSvg(svg))).toEqual(expect.arrayContaining(['age', '10', '30']));
  });

  it('keep a contrast of 3 to the ground and move evenly, darker on light ground and lighter on dark', () => {
    for (const [name, ground] of GROUNDS) {
      const stops = PALETTES[name].numbers;
      for (const color of stops) expect(contrast(color, ground), `${color} on ${ground}`).toBeGreaterThan(3);
      const lightness = stops.map((color) => oklabOf(color)[0]);
      const steps = lightness.slice(1).map((L, k) => L - lightness[k]!);
      for (const step of steps) {
        expect(Math.sign(step)).toBe(name === 'light' ? -1 : 1);
        expect(step / steps[0]!).toBeCloseTo(1, 0);
      }
    }
  });

  it('are refused together with labels, in another number, and where infinite', async () => {
    await expect(latentPlot({ latents, color: [1, 2, 3, 4, 5], labels: latents.map(() => 'a') })).rejects.toThrow(
      'Leave out labels or color.',
    );
    await expect(latentPlot({ latents, color: [1] })).rejects.toThrow('There are 5 latent points, but 1 numbers were');
    await expect(latentPlot({ latents, color: [1, 2, 3, 4, Infinity] })).rejects.toThrow('number 4 is Infinity');
  });
});

describe('scales and panels', () => {
  const predict = (X: Matrix) => ({ variance: Matrix.from(X.toArrays().map(([a, b]) => [1 + a! ** 2 + b! ** 2])) });

  it('are as many units a pixel over a precision grid of the same aspect', async () => {
    const precision = precisionGrid(predict, latents, { aspect: 2, resolution: 5 });
    // 4.8 wide with its margin, 2.4 high.
    expect(
      [precision.x[0], precision.x[4], precision.y[0], precision.y[4]].map((end) => Number(end!.toFixed(12))),
    ).toEqual([-0.4, 4.4, -0.2, 2.2]);
    const wide = precisionGrid(predict, latents, { aspect: 4, resolution: 5 });
    expect(wide.x[4]! - wide.x[0]!).toBeCloseTo(9.6, 12);
    expect((wide.x[4]! + wide.x[0]!) / 2).toBeCloseTo(2, 12);
    const svg = await latentPlot({ latents, precision: wide, equalScales: true, width: 400, height: 100 });
    const [first, across, , up] = marks(parseSvg(svg), 'points').map(position);
    expect((across![0] - first![0]) / 4).toBeCloseTo((first![1] - up![1]) / 2, 1);
    await expect(latentPlot({ latents, precision: wide, equalScales: true })).rejects.toThrow(
      'Make it with aspect: 1.150',
    );
    expect(() => precisionGrid(predict, latents, { aspect: 0 })).toThrow('a number above 0');
  });

  it('are three for three dimensions, with one legend', async () => {
    const three = latents.map(([a, b], i) => [a!, b!, i]);
    const precision = panelColumns(Matrix.from(three)).map((columns) => precisionGrid(predict, three, { columns }));
    const root = parseSvg(
      await latentPlot({ latents: three, labels: ['a', 'b', 'a', 'b', 'a'], precision, title: 'All' }),
    );
    const panels = root.children.filter(({ name }) => name === 'svg');
    expect(panels).toHaveLength(3);
    const titles = panels.map((panel) =>
      texts(panel)
        .filter((text) => text.startsWith('latent'))
        .map((text) => text.at(-1)),
    );
    expect(titles).toEqual([
      ['1', '2'],
      ['1', '3'],
      ['2', '3'],
    ]);
    expect(panels.map((panel) => marks(panel, 'legend-symbol').length)).toEqual([0, 2, 0]);
    expect(texts(root).filter((text) => text === 'All')).toHaveLength(1);
    const first = await latentPlot({ latents: three, columns: [0, 1] });
    expect(parseSvg(first).children.filter(({ name }) => name === 'svg')).toHaveLength(0);
    await expect(latentPlot({ latents: three, precision: precision[0]! })).rejects.toThrow(
      'A picture of 3 panels takes as many precision grids, but 1 were given.',
    );
  });
});

describe('ellipses of variances', () => {
  it('reach two standard deviations from the mean along each axis, within the axes', async () => {
    const variances = latents.map((_, i) => [0.25, 0.01 * i]);
    const svg = await latentPlot({ latents, variances, equalScales: true, width: 532, height: 332 });
    const root = parseSvg(svg);
    const [a, b] = marks(root, 'points').map(position);
    const unit = (b![0] - a![0]) / 4;
    const outlines = marks(root, 'ellipses');
    expect(outlines.map(position)).toEqual(marks(root, 'points').map(position));
    const extent = outlines.map(({ attributes }) => {
      const numbers = attributes.d!.match(/-?[\d.]+/g)!.map(Number);
      return Math.max(...numbers.filter((_, k) => k % 2 === 0));
    });
    // 2·√0.25 = 1 unit, of which 5 + 1 fit into 500 pixels.
    expect(unit).toBeCloseTo(500 / 6, 1);
    for (const width of extent) expect(width).toBeCloseTo(unit, 1);
    await expect(latentPlot({ latents, variances: [[1, 1]] })).rejects.toThrow('Latents of 5×2 take as many variances');
    await expect(latentPlot({ latents, variances: latents.map(() => [1, -1]) })).rejects.toThrow('entry [0][1] is -1');
  });
});

describe('images of points', () => {
  const pixels = latents.map((_, i) => [0, i, 0.5, 1, Number.NaN, 4]);

  it('are drawn where none covers another, with frames in the colors of the labels', async () => {
    const near = [...latents, [0.01, 0.01]];
    const svg = await latentPlot({
      latents: near,
      labels: ['a', 'b', 'a', 'b', 'a', 'b'],
      observations: [...pixels, pixels[0]!],
      image: [2, 3],
    });
    const images = elements(parseSvg(svg), ({ name }) => name === 'image');
    expect(images).toHaveLength(5);
    expect(new Set(images.map(({ attributes }) => attributes['xlink:href'] ?? attributes.href)).size).toBe(5);
    expect(marks(parseSvg(svg), 'frames').map(({ attributes }) => attributes.stroke)).toEqual(
      [0, 1, 0, 1, 0].map(colorOf),
    );
    expect(marks(parseSvg(svg), 'points')).toHaveLength(6);
    const { decode } = await import('fast-png');
    const address = (images[1]!.attributes['xlink:href'] ?? images[1]!.attributes.href)!;
    const { width, height, data } = decode(Buffer.from(address.split(',')[1]!, 'base64'));
    expect([width, height]).toEqual([3, 2]);
    // From 0 to 4; what is missing is gray.
    expect([...data]).toEqual([0, 64, 32, 64, 128, 255]);
  });

  it('explain invalid input', async () => {
    await expect(latentPlot({ latents, image: [2, 3] })).rejects.toThrow('give these too');
    await expect(latentPlot({ latents, observations: pixels, image: [2, 4] })).rejects.toThrow(
      'Images of 2×4 have 8 pixels, but the observations have 6 columns.',
    );
    await expect(latentPlot({ latents, observations: pixels.slice(1), image: [2, 3] })).rejects.toThrow(
      '5 latent points, but 4 observations',
    );
  });

  it('are decoded on a grid, the largest second dimension on top', async () => {
    const asked: number[][] = [];
    const decode = (X: Matrix) => {
      asked.push(...X.toArrays());
      return { mean: Matrix.from(X.toArrays().map(([a, b]) => [a!, b!])) };
    };
    const svg = await decodedGrid(decode, latents, { image: [1, 2], resolution: 3, title: 'Decoded' });
    expect(asked).toEqual([2, 1, 0].flatMap((y) => [0, 2, 4].map((x) => [x, y])));
    const [image] = elements(parseSvg(svg), ({ name }) => name === 'image');
    const { decode: decodePng } = await import('fast-png');
    const grays = (element: SvgElement) => {
      const href = (element.attributes['xlink:href'] ?? element.attributes.href)!;
      const { width, height, data } = decodePng(Buffer.from(href.split(',')[1]!, 'base64'));
      expect([width, height]).toEqual([1200, 600]);
      return [10, 390, 990].map((x) => data[10 * width + x]).concat([10, 1190].map((x) => data[590 * width + x]));
    };
    // From 0 to 4: of each cell the left half is x, the right half y.
    expect(grays(image!)).toEqual([0, 128, 255, 0, 0]);
    // From 0 to 2, as what was fitted: what is predicted beyond is white.
    const observations = [
      [0, 2],
      [1, 1],
    ];
    const common = await decodedGrid(decode, latents, { image: [1, 2], resolution: 3, observations });
    expect(grays(elements(parseSvg(common), ({ name }) => name === 'image')[0]!)).toEqual([0, 255, 255, 0, 0]);
    expect(texts(parseSvg(svg))).toContain('Decoded');
    await expect(decodedGrid(decode, [[0], [1]], { image: [1, 2] })).rejects.toThrow('takes two latent dimensions');
    await expect(decodedGrid(decode, latents, { image: [1, 2], resolution: 1 })).rejects.toThrow(
      'from 2 to 1000, but 1',
    );
    await expect(decodedGrid(decode, latents, { image: [2, 2] })).rejects.toThrow('have 4 pixels');
    const noFunction = decodedGrid({ decode } as never, latents, { image: [1, 2] });
    await expect(noFunction).rejects.toMatchObject({ name: 'InvalidInputError', message: /decodedGrid.*prediction/ });
  });
});

describe('text of pictures', () => {
  it('contains no control characters, halves of characters or changes of direction', async () => {
    const bad = 'a\u0000\u0007\u001b[31m\u0085b\ud800c\u202edef\uffff';
    const svg = await latentPlot({ latents, labels: [bad, 'x', 'x', 'x', '<b>&'], title: bad });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
    expect(svg).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\ud800-\udfff\uffff]/);
    const written = texts(parseSvg(svg)).filter((text) => text.startsWith('a'));
    expect(written).toHaveLength(2);
    for (const text of written)
      expect('a\ufffd\ufffd\ufffd[31m\ufffdb\ufffdc\ufffddef\ufffd').toContain(text.replace('…', ''));
    const three = latents.map(([a, b]) => [a!, b!, 0]);
    expect(await latentPlot({ latents: three, title: bad })).not.toContain('\u0000');
  });
});

describe('svgToPng', () => {
  it('makes pixels of a picture, as many as requested', async () => {
    const { decode } = await import('fast-png');
    const svg = await latentPlot({ latents, labels: ['a', 'b', 'a', 'b', 'a'], axes: false, width: 200, height: 100 });
    const size = /width="(\d+)" height="(\d+)"/.exec(svg)!.slice(1).map(Number);
    const { width, height, data, channels } = decode(await svgToPng(svg, { scale: 3 }));
    expect([width, height]).toEqual(size.map((side) => 3 * side));
    // The middle of the first point.
    const [[x, y]] = marks(parseSvg(svg), 'points').map(position) as [[number, number]];
    const left = Number(/translate\(([\d.]+),/.exec(svg)![1]);
    const top = Number(/translate\([\d.]+,([\d.]+)\)/.exec(svg)![1]);
    const at = (Math.round(3 * (y + top)) * width + Math.round(3 * (x + left))) * channels;
    expect(
      `#${[...data.subarray(at, at + 3)].map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`,
    ).toBe(colorOf(0));
  });

  it('explains invalid input', async () => {
    await expect(svgToPng('<p/>')).rejects.toThrow('made of SVG text with a width and a height');
    const svg = '<svg width="100" height="50"></svg>';
    await expect(svgToPng(svg, { scale: 0 })).rejects.toThrow('Give a scale above 0 and up to 163.');
    await expect(svgToPng(svg, { scale: 1000 })).rejects.toThrow('would be 100000 pixels long');
    const cut = svgToPng('<svg width="100" height="50"><g>');
    await expect(cut).rejects.toThrow(InvalidInputError);
    await expect(cut).rejects.toThrow('This SVG text cannot be drawn');
    const elsewhere = svg.replace('></svg>', '><image href="/tmp/a.png" width="100" height="50"/></svg>');
    await expect(svgToPng(elsewhere)).rejects.toThrow('without references to other files');
  });
});
