import { describe, expect, it } from 'vitest';

const folder = new URL('../../bench/reproductions/', import.meta.url);

interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly timed: readonly string[];
}

/** A module of the reproductions, which is plain JavaScript. */
const { differences } = (await import(/* @vite-ignore */ new URL('differences.mjs', folder).href)) as {
  differences(stored: readonly Table[] | undefined, tables: readonly Table[]): string[];
};

const table = (row: readonly string[]): Table => ({
  title: 'Errors',
  head: ['model', 'error', 'status', 'CPU s'],
  rows: [row],
  timed: ['CPU s'],
});
const stored = [table(['GPLVM', '0.1769', 'converged', ''])];

describe('numbers of a reproduction beside those stored', () => {
  it('may differ by one unit of the last digit, and in seconds', () => {
    for (const error of ['0.1768', '0.1769', '0.1770']) {
      expect(differences(stored, [table(['GPLVM', error, 'converged', '12'])])).toEqual([]);
    }
    const signed = [table(['GPLVM', '−0.001', 'converged', ''])];
    expect(differences(signed, [table(['GPLVM', '+0.000', 'converged', ''])])).toEqual([]);
  });

  it('are named where they differ by more', () => {
    const found = differences(stored, [table(['GPLVM', '0.1767', 'converged', ''])]);
    expect(found).toEqual(['Errors, GPLVM, error: 0.1767, stored 0.1769']);
    expect(differences(stored, [table(['GPLVM', '0.177', 'converged', ''])])).toHaveLength(1);
    expect(differences(stored, [table(['GPLVM', '−0.1769', 'converged', ''])])).toHaveLength(1);
    expect(differences(stored, [table(['GPLVM', 'NaN', 'converged', ''])])).toHaveLength(1);
  });

  it('must have the same words, tables, columns and rows', () => {
    expect(differences(stored, [table(['GPLVM', '0.1769', 'failed', ''])])).toEqual([
      'Errors, GPLVM, status: failed, stored converged',
    ]);
    expect(differences(stored, [])).toEqual(["table 'Errors' is not there any more"]);
    expect(differences(stored, [{ ...stored[0]!, rows: [] }])).toEqual(["table 'Errors' has another shape"]);
    const other = { ...stored[0]!, head: ['model', 'rate', 'status', 'CPU s'] };
    expect(differences(stored, [other])).toEqual(["table 'Errors' has another shape"]);
    expect(differences(undefined, stored)).toEqual(['nothing is stored']);
  });
});
