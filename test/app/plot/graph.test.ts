import { describe, expect, it } from 'vitest';
import { adjacencyPlot, latentPlot, pictureGrid, precisionGrid } from '../../../src/app/plot/index.ts';
import { InvalidInputError } from '../../../src/core/errors.ts';
import type { Graph } from '../../../src/engine/graph/graph.ts';
import { marks, parseSvg, position, texts } from './svg.ts';

const latents = [
  [0, 0],
  [1, 0],
  [1, 2],
  [0, 2],
  [0.5, 1],
];

const graphOf = (...edges: [i: number, j: number, weight: number][]): Graph => ({
  size: 5,
  sources: Int32Array.from(edges, ([i]) => i),
  targets: Int32Array.from(edges, ([, j]) => j),
  weights: Float64Array.from(edges, ([, , weight]) => weight),
});

/** The straight lines of a drawn path, as 'x1,y1 x2,y2'. */
const linesOf = (path: string) =>
  path
    .split('M')
    .slice(1)
    .map((line) => line.replace('L', ' '));

describe('latentPlot of a graph', () => {
  it('draws every edge of positive weight between its points, the more opaque the more edges weigh no more', async () => {
    const graph = graphOf([0, 1, 1e-9], [0, 3, 2], [1, 2, 0], [1, 4, 2], [2, 3, 1e6]);
    const root = parseSvg(await latentPlot({ latents, graph, width: 200, height: 300 }));
    const points = marks(root, 'points').map(position);
    const between = (i: number, j: number) => `${points[i]!.join(',')} ${points[j]!.join(',')}`;
    const edges = marks(root, 'edges').map(({ attributes }) => ({
      opacity: Number(attributes['stroke-opacity'] ?? 1),
      lines: linesOf(attributes.d!),
    }));
    // One of the four edges weighs no more than the first, three no more than the next two.
    expect(edges).toEqual([
      { opacity: 0.25, lines: [between(0, 1)] },
      { opacity: 0.75, lines: [between(0, 3), between(1, 4)] },
      { opacity: 1, lines: [between(2, 3)] },
    ]);
  });

  it('draws the edges below the points, all of them opaque where they weigh the same', async () => {
    const svg = await latentPlot({ latents, graph: graphOf([0, 1, 7], [2, 4, 7]) });
    expect(marks(parseSvg(svg), 'edges').map(({ attributes }) => attributes['stroke-opacity'] ?? '1')).toEqual(['1']);
    expect(svg.indexOf('class="edges"')).toBeGreaterThan(0);
    expect(svg.indexOf('class="edges"')).toBeLessThan(svg.indexOf('class="points"'));
    expect(marks(parseSvg(await latentPlot({ latents, graph: graphOf() })), 'edges')).toHaveLength(0);
  });

  it('has equal units per pixel on both axes on request, and no axes where they are turned off', async () => {
    const options = { latents, equalScales: true, axes: false, width: 200, height: 300 };
    const root = parseSvg(await latentPlot(options));
    const [first, across, , up] = marks(root, 'points').map(position);
    // Up is the longer way: 2 units over the 300 pixels without 16 at each end.
    expect(first![1] - up![1]).toBeCloseTo(268, 1);
    expect(across![0] - first![0]).toBeCloseTo(134, 1);
    expect(first![0] + across![0]).toBeCloseTo(200, 1);
    expect(texts(root)).toEqual([]);
  });

  it('explains invalid input', async () => {
    const precision = precisionGrid(
      (X) => ({ variance: X }),
      [
        [1, 1],
        [2, 2],
      ],
    );
    await expect(latentPlot({ latents, precision, equalScales: true })).rejects.toThrow('or leave out equalScales');
    await expect(latentPlot({ latents: latents.slice(1), graph: graphOf() })).rejects.toThrow(
      'There are 4 latent points, but the graph has 5.',
    );
    await expect(latentPlot({ latents, graph: graphOf([1, 0, 1]) })).rejects.toThrow(InvalidInputError);
  });
});

describe('adjacencyPlot', () => {
  it('draws both entries of every edge of positive weight, and counts them', async () => {
    const graph = graphOf([0, 1, 1e-9], [1, 2, 0], [2, 4, 3]);
    const root = parseSvg(await adjacencyPlot(graph, { title: 'W', size: 100 }));
    const [path] = marks(root, 'entries');
    // Entries are 20 pixels wide: row 0, column 1 is at (20, 0).
    const square = (x: number, y: number) => `M${x},${y}h20v20h-20Z`;
    expect(path!.attributes.d).toBe(square(20, 0) + square(0, 20) + square(80, 40) + square(40, 80));
    expect(texts(root)).toContain('4 of 5² are not 0: 16.0 %');
    expect(texts(root)).toContain('W');
  });

  it('explains invalid input', async () => {
    await expect(adjacencyPlot({} as Graph)).rejects.toThrow('adjacencyPlot takes a graph');
  });
});

describe('pictureGrid', () => {
  const rectangle = (width: number, height: number) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><g/></svg>`;

  it('puts pictures into rows as high and columns as wide as they need', () => {
    const grid = parseSvg(pictureGrid([rectangle(100, 50), rectangle(60, 80), rectangle(40, 30)], { columns: 2 }));
    expect([grid.attributes.width, grid.attributes.height]).toEqual(['160', '110']);
    const inner = grid.children.filter(({ name }) => name === 'svg');
    expect(inner.map(({ attributes }) => [attributes.x, attributes.y])).toEqual([
      ['0', '0'],
      ['100', '0'],
      ['30', '80'],
    ]);
  });

  it('has a title above them, and contains whole pictures', async () => {
    const pictures = await Promise.all(
      [1, 2].map((scale) => latentPlot({ latents: latents.map(([a, b]) => [scale * a!, b!]) })),
    );
    const svg = pictureGrid(pictures, { title: 'A < B & C' });
    const root = parseSvg(svg);
    expect(texts(root)).toContain('A &lt; B &amp; C');
    const inner = root.children.filter(({ name }) => name === 'svg');
    expect(inner.map(({ attributes }) => attributes.y)).toEqual(['30', '30']);
    expect(inner.map((picture) => marks(picture, 'points').length)).toEqual([5, 5]);
  });

  it('explains invalid input', () => {
    expect(() => pictureGrid([])).toThrow('takes at least one, but none was given');
    expect(() => pictureGrid([rectangle(1, 1)], { columns: 0 })).toThrow('number of columns, but 0 was given');
    expect(() => pictureGrid([rectangle(1, 1), '<p/>'])).toThrow('Picture 1 of a grid must be SVG text');
  });
});
