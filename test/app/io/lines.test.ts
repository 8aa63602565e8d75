import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rectangular, splitRows } from '../../../src/app/io/delimited.ts';
import { tableText } from '../../../src/app/io/textLines.ts';

/** The rows of a text below its comments. */
function rowsOf(text: string) {
  const below = tableText(text, 0, 't.csv');
  return rectangular(splitRows(below.text, ',', 't.csv', below.offset), 't.csv');
}

const ENDINGS = ['\n', '\r\n', '\r'] as const;
const ending = fc.constantFrom(...ENDINGS);

/** A cell as it is written, and how many lines end in it. */
const cell = fc.oneof(
  fc.constantFrom('1', '"2"', ' é ').map((text) => ({ text, ends: 0 })),
  // Another kind of ending may not follow at once, as \r and \n are one when they meet.
  fc.array(ending, { maxLength: 3 }).map((ends) => ({ text: `"a${ends.join('b')}"`, ends: ends.length })),
);
const row = fc.record({
  blank: fc.boolean(),
  cells: fc.tuple(cell, cell),
  end: ending,
});

describe('lines of a table', () => {
  it('are counted for all line ends, within quotes too', () => {
    const rows = fc.array(row, { minLength: 1, maxLength: 6 });
    const table = fc.tuple(fc.constantFrom('', '\uFEFF'), ending, fc.nat(3), rows);
    fc.assert(
      fc.property(table, ([mark, other, comments, rows]) => {
        let text = mark + `# note${other}`.repeat(comments);
        let line = comments + 1;
        const expected = rows.map(({ blank, cells, end }) => {
          if (blank) {
            text += ` ${other}`;
            line++;
          }
          text += cells.map((given) => given.text).join(',');
          text += end;
          const begins = line;
          line += cells[0].ends + cells[1].ends + 1;
          return begins;
        });
        expect(rowsOf(text).map((found) => found.line)).toEqual(expected);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it.each([
    ['a,b\r\n1,"x\r\ny"\r\n2,"z"w\n', /continues behind its closing quote in line 4/],
    [
      'a,b\r\n1,"x\r\ny"\r\n2,"z\r\n3,4\r\n',
      /a quote that opens below line 3 is not closed\. Close it, or remove it\.$/,
    ],
    ['"a,b\n1,2\n', /a quote that opens in the first row is not closed\. Close it, or remove it\.$/],
    ['a,b\r\n1,"x\r\ny"\r2,3,4\n', /line 1 has 2 cells, but line 4 has 3/],
  ])('are named in messages about %j', (text, message) => {
    expect(() => rowsOf(text)).toThrow(message);
  });
});
