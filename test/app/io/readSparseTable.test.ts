import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { normalizeCounts, parseTable, readSparseTable, readTable } from 'latentfield/io';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './folder.ts';

/** 3 features of 4 barcodes. */
const text = '%%MatrixMarket matrix coordinate integer general\n3 4 5\n1 1 4\n3 1 1\n2 2 3\n1 3 2\n3 4 7\n';
const cells = [
  [4, 0, 1],
  [0, 3, 0],
  [2, 0, 0],
  [0, 0, 7],
];

function cellRanger(options: { features?: string; barcodes?: string; zipped?: boolean } = {}) {
  const { path } = temporaryFolder();
  const folder = join(path, 'filtered_feature_bc_matrix');
  mkdirSync(folder);
  const { features = 'E1\tGene A\tGene Expression\nE2\tGene B\tGene Expression\nE3\tGene A\tGene Expression\n' } =
    options;
  const put = (name: string, content: string) =>
    writeFileSync(join(folder, options.zipped ? `${name}.gz` : name), options.zipped ? gzipSync(content) : content);
  put('matrix.mtx', text);
  put('barcodes.tsv', options.barcodes ?? 'AA-1\nAC-1\nAG-1\nAT-1\n');
  put('features.tsv', features);
  return folder;
}

describe('readSparseTable', () => {
  it.each([false, true])('reads a folder of Cell Ranger, gzipped: %s', async (zipped) => {
    const folder = cellRanger({ zipped });
    const table = await readSparseTable(folder);
    expect(table.observations.toDense().toArrays()).toEqual(cells);
    expect(table).toMatchObject({ columns: ['Gene A', 'Gene B', 'Gene A.1'], ids: ['AA-1', 'AC-1', 'AG-1', 'AT-1'] });
    const dense = await readTable(folder);
    expect(dense.observations.toArrays()).toEqual(cells);
    expect(dense).toMatchObject({ columns: table.columns, ids: table.ids, idColumn: 'barcode', isNamed: true });
  });

  it('normalizes as dense tables are', async () => {
    const options = { rowSums: 'median', log1p: true } as const;
    const { observations, counts, notes } = await readSparseTable(cellRanger(), options);
    const dense = normalizeCounts(cells, options);
    expect(counts).toEqual(dense.counts);
    expect(observations.toDense()).toEqual(dense.observations);
    expect(notes.at(-1)).toMatch(/sum to 4, entries are log/);
  });

  it('reads a Matrix Market file by rows, or by columns on request', async () => {
    const { write } = temporaryFolder();
    const file = write('counts.mtx.gz', gzipSync(text));
    expect((await readSparseTable(file, { points: 'columns' })).observations.toDense().toArrays()).toEqual(cells);
    const own = await readSparseTable(file);
    expect(own.observations.rows).toBe(3);
    expect((await readTable(file)).observations).toEqual(own.observations.toDense());
    expect((await parseTable(new TextEncoder().encode(text), 'counts.mtx')).observations).toEqual(
      own.observations.toDense(),
    );
  });

  it('reports which file is missing, does not fit or is not a matrix', async () => {
    await expect(readSparseTable(cellRanger({ barcodes: 'AA-1\n' }))).rejects.toThrow(
      /has 1 names, but its matrix has 4 columns/,
    );
    const { path, write } = temporaryFolder();
    await expect(readSparseTable(path)).rejects.toThrow(/has no matrix\.mtx, also gzipped/);
    await expect(readTable(path)).rejects.toThrow(/has no matrix\.mtx/);
    await expect(readSparseTable(write('a.csv', 'a,b\n1,2\n'))).rejects.toThrow(/not a Matrix Market file/);
    await expect(readSparseTable(write('b.mtx', text), { maxBytes: 10 })).rejects.toThrow(/more than 10 bytes/);
    const negative = write('c.mtx', text.replace('2 2 3', '2 2 -3'));
    await expect(readSparseTable(negative, { log1p: true })).rejects.toThrow(/point index 1, column index 1 is -3/);
  });

  it('refuses a file that announces more rows than fit into memory, and more entries with zeros than are allowed', async () => {
    const { write } = temporaryFolder();
    const bomb = write('bomb.mtx', '%%MatrixMarket matrix coordinate real general\n2000000000 2 1\n1 1 1\n');
    await expect(readSparseTable(bomb)).rejects.toMatchObject({ code: 'tooLarge' });
    for (const sizes of ['0 2 0', '2 0 0']) {
      const none = write('none.mtx', `%%MatrixMarket matrix coordinate real general\n${sizes}\n`);
      await expect(readSparseTable(none)).rejects.toThrow(/must contain the numbers of rows, columns and entries/);
    }
    const row = write('row.mtx', '%%MatrixMarket matrix coordinate real general\n1 2 1\n1 2 3\n');
    expect((await readSparseTable(row)).observations.rows).toBe(1);
    const wide = write('wide.mtx', '%%MatrixMarket matrix coordinate real general\n20000 20000 1\n1 1 1\n');
    expect((await readSparseTable(wide)).observations.columns).toBe(20000);
    await expect(readTable(wide)).rejects.toThrow(/20000×20000 entries.*readSparseTable/);
  });

  it('reports that features are of several kinds', async () => {
    const features = 'E1\tA\tGene Expression\nE2\tB\tAntibody Capture\nE3\tC\tGene Expression\n';
    expect((await readSparseTable(cellRanger({ features }))).notes).toEqual([
      'The columns are features of 2 kinds: Gene Expression, Antibody Capture.',
    ]);
  });
});
