import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode } from 'fast-png';
import { describe, expect, it } from 'vitest';
import { writeTable } from '../../../src/app/io/index.ts';
import { elements, marks, parseSvg, texts } from '../plot/svg.ts';
import { latentfield, prepared } from './latentfield.ts';

const REST = ['--max-iterations', '2'];

/** What a page knows of its points. */
const pageData = (out: string) =>
  JSON.parse(
    /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(
      readFileSync(join(out, 'plot.html'), 'utf8'),
    )![1]!,
  );

describe('latentfield fit --plot', () => {
  it('writes the requested pictures, the page with ids, labels and rows in the units of the table', async () => {
    const { path, out, flow, observations } = await prepared();
    const data = join(path, 'named.csv');
    const ids = Array.from({ length: 30 }, (_, i) => `pipe-${i}`);
    const names = Array.from({ length: 12 }, (_, j) => `y${j}`);
    await writeTable(data, observations, names, { name: 'flow', values: flow }, { ids: { name: 'pipe', values: ids } });
    const args = ['fit', data, '--model', 'pca', '--labels', 'flow', '--standardize', '--plot', 'html,png, SVG'];
    const ran = await latentfield([...args, '--json', '--out', out]);
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(readdirSync(out).sort()).toEqual(
      ['latents.csv', 'fit.json', 'trace.csv', 'plot.svg', 'plot.png', 'plot.html'].sort(),
    );
    expect(JSON.parse(ran.stdout).files.slice(3)).toEqual(
      ['svg', 'png', 'html'].map((end) => join(out, `plot.${end}`)),
    );
    const svg = readFileSync(join(out, 'plot.svg'), 'utf8');
    const { width } = decode(readFileSync(join(out, 'plot.png')));
    expect(width).toBe(2 * Number(/width="(\d+)"/.exec(svg)![1]));
    const page = pageData(out);
    expect(page.ids).toEqual(ids);
    expect(page.legendTitle).toBe('flow');
    expect(page.columns).toEqual(names);
    expect(page.rows[3]).toEqual(Array.from(observations.row(3), (value) => Number(value.toPrecision(4))));
    expect(page.equalScales).toBe(true);
  });

  it('has no background where its points would need the variances of too many columns, and reports it', {
    tags: 'long',
  }, async () => {
    const { path, out } = await prepared();
    const data = join(path, 'wide.csv');
    const columns = Array.from({ length: 28_000 }, (_, j) => `y${j}`);
    const rows = [0, 1, 2, 3].map((i) => columns.map((_, j) => Math.sin(i * j + i)));
    writeFileSync(data, [columns, ...rows].join('\n'));
    const { exitCode, stderr } = await latentfield(['fit', data, '--model', 'gplvm', ...REST, '--out', out]);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('the picture has no background, which would take the variances of 28000 columns');
    expect(texts(parseSvg(readFileSync(join(out, 'plot.svg'), 'utf8'))).join()).not.toContain('precision');
  });

  it('keeps existing pictures, and writes only the requested ones', async () => {
    const { data, out } = await prepared();
    const args = ['fit', data, '--model', 'pca', '--labels', 'flow', '--out', out];
    await latentfield([...args, '--plot', 'html']);
    expect(existsSync(join(out, 'plot.svg'))).toBe(false);
    const again = await latentfield([...args, '--plot', 'html'], { force: false });
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain('already exists. Give --force');
    const wrong = await latentfield([...args, '--plot', 'pdf']);
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stderr).toContain('It must be some of svg, png, html');
  });

  it('colors by a column of numbers, continuously, or of text', async () => {
    const { data, out, observations } = await prepared();
    const args = ['fit', data, '--model', 'isomap', '--drop', 'flow', '--out', out, '--plot', 'svg,html'];
    const name = readFileSync(data, 'utf8').split(',')[2]!;
    expect((await latentfield([...args, '--color', name])).exitCode).toBe(0);
    expect(texts(parseSvg(readFileSync(join(out, 'plot.svg'), 'utf8')))).toContain(name);
    expect(pageData(out).values).toEqual(Array.from(observations.column(2), (value) => Number(value.toPrecision(6))));
    expect((await latentfield([...args, '--color', 'flow'])).exitCode).toBe(0);
    expect(pageData(out).kinds.map(({ name }: { name: string }) => name)).toEqual([
      'annular',
      'homogeneous',
      'stratified',
    ]);
    expect(pageData(out).legendTitle).toBe('flow');
  });

  it('draws three latent dimensions as three panels, and variances as ellipses', async () => {
    const { data, out } = await prepared();
    const ran = await latentfield(['fit', data, '--model', 'pca', '--dim', '3', '--labels', 'flow', '--out', out]);
    expect(ran.exitCode).toBe(0);
    const panels = parseSvg(readFileSync(join(out, 'plot.svg'), 'utf8')).children.filter(({ name }) => name === 'svg');
    expect(panels.map((panel) => marks(panel, 'points').length)).toEqual([30, 30, 30]);
    const args = ['fit', data, '--model', 'bayesianGplvm', '--inducing', '5', '--labels', 'flow', '--out', out];
    expect((await latentfield([...args, ...REST])).exitCode).toBe(0);
    expect(marks(parseSvg(readFileSync(join(out, 'plot.svg'), 'utf8')), 'ellipses')).toHaveLength(30);
  });
});

describe('latentfield fit --image', () => {
  it('draws points as images, and with --image-grid what the model predicts', { tags: 'long' }, async () => {
    const { data, out } = await prepared();
    const args = ['fit', data, '--model', 'gplvm', '--labels', 'flow', '--out', out, ...REST];
    const ran = await latentfield([...args, '--image', '3x4', '--image-grid', '--plot', 'svg,png,html']);
    expect(ran.exitCode).toBe(0);
    const images = (name: string) =>
      elements(parseSvg(readFileSync(join(out, name), 'utf8')), (e) => e.name === 'image');
    expect(images('plot.svg').length).toBeGreaterThan(5);
    expect(images('grid.svg')).toHaveLength(1);
    expect(decode(readFileSync(join(out, 'grid.png'))).width).toBeGreaterThan(900);
    expect(pageData(out).image.shape).toEqual([3, 4, 1]);
    // Pixels in colors.
    const colored = await latentfield([...args, '--image', '2x2x3', '--plot', 'html']);
    expect(colored.exitCode).toBe(0);
    expect(pageData(out).image.shape).toEqual([2, 2, 3]);
  });

  it('leaves constant pixels out of the fit, and draws them at their positions', { tags: 'long' }, async () => {
    const { path, out, observations } = await prepared();
    const images = join(path, 'images.npy');
    // Pixels 0 and 5 are background, and the last one is lit.
    const pixels = observations.toArrays().map((row) => [0, ...row.slice(0, 4), 0, ...row.slice(4), 2]);
    const header = `{'descr': '<f8', 'fortran_order': False, 'shape': (${pixels.length}, 15), }`.padEnd(117);
    const start = Buffer.concat([Buffer.from([0x93]), Buffer.from('NUMPY'), Buffer.from([1, 0, 118, 0])]);
    writeFileSync(
      images,
      Buffer.concat([start, Buffer.from(`${header}\n`), Buffer.from(Float64Array.from(pixels.flat()).buffer)]),
    );
    const given = ['--model', 'gplvm', '--out', out, '--image', '3x5', '--image-grid', '--plot', 'svg,html', ...REST];
    const ran = await latentfield(['fit', images, ...given]);
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stderr).toContain("left out: 'column0', 'column5': each is 0 in every row");
    const page = pageData(out);
    expect(page.image.shape).toEqual([3, 5, 1]);
    expect(page.rows[3]).toEqual(pixels[3]!.map((value) => Number(value.toPrecision(4))));
    const grid = elements(parseSvg(readFileSync(join(out, 'grid.svg'), 'utf8')), (e) => e.name === 'image');
    expect(grid).toHaveLength(1);

    const fitted = readFileSync(join(out, 'fit.json'), 'utf8');
    expect(JSON.parse(fitted).table.columns).toHaveLength(12);
    const places = join(path, 'places.csv');
    const placed = await latentfield(['project', out, images, '--out', places]);
    expect(placed).toMatchObject({ exitCode: 0 });
    expect(placed.stderr).toContain('30 points placed');
    expect(readFileSync(places, 'utf8').trim().split('\n')).toHaveLength(31);

    const chosen = await latentfield(['fit', images, ...given, '--columns', '0,1,2,3,4,5,6,7,8,9,10,11,12,13,14']);
    expect(chosen).toMatchObject({ exitCode: 0 });
    expect(pageData(out).rows[3]).toEqual(page.rows[3]);
  });

  it('reports invalid input before the fit', async () => {
    const { data, out } = await prepared();
    const args = ['fit', data, '--model', 'gplvm', '--labels', 'flow', '--out', out];
    const refused = async (given: string[], expected: string) => {
      const ran = await latentfield([...args, ...given]);
      expect(ran.exitCode).toBe(2);
      expect(ran.stderr).toContain(expected);
    };
    await refused(['--image', '5x5'], '--image 5x5 needs 25 columns, but 12 are fitted.');
    await refused(['--image', '28'], 'It must be height and width, such as 28x28');
    await refused(['--image', '2x2x2'], 'It must be height and width');
    await refused(['--image-grid'], '--image-grid draws images: give their height and width with --image HxW');
    expect(existsSync(join(out, 'fit.json'))).toBe(false);
    const none = await latentfield([
      'fit',
      data,
      '--model',
      'isomap',
      '--drop',
      'flow',
      '--out',
      out,
      '--image',
      '3x4',
      '--image-grid',
    ]);
    expect(none.exitCode).toBe(2);
    expect(none.stderr).toContain(
      'isomap predicts nothing at latent points, which --image-grid shows. Leave out --image-grid, or fit',
    );
    expect(existsSync(join(out, 'fit.json'))).toBe(false);
  });
});
