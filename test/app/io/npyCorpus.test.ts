import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseNumpy } from '../../../src/app/io/npy.ts';
import { InvalidInputError } from '../../../src/core/errors.ts';

interface Entry {
  readonly name: string;
  readonly bytes: string;
  readonly refused?: boolean;
  readonly shape: number[];
  readonly kind: string;
  /** Bytes behind the array, which NumPy leaves alone. */
  readonly rest: number;
  readonly values?: string[];
  readonly decimal?: string[];
}
const { corpus } = JSON.parse(readFileSync(new URL('../../reference/npy.json', import.meta.url), 'utf8')) as {
  corpus: Entry[];
};

const numberOf = (text: string) => (text === 'inf' ? Number.POSITIVE_INFINITY : Number(text));

/** Whole numbers that no double holds: an error here. */
const isBeyondDoubles = ({ kind, values = [] }: Entry) =>
  'iu'.includes(kind) && values.some((text) => BigInt(Number(text)) !== BigInt(text));

/** What is refused though NumPy reads it: bytes behind the array, which it leaves alone, and entries that are no numbers, text or dates. */
const isStricter = (entry: Entry) => entry.rest > 0 || !'biufUSM'.includes(entry.kind) || isBeyondDoubles(entry);

it('reads and refuses .npy files as NumPy does', () => {
  const read: string[] = [];
  const alsoRefused: string[] = [];
  for (const entry of corpus) {
    const parse = () => parseNumpy(Buffer.from(entry.bytes, 'base64'), entry.name);
    if (entry.refused || isStricter(entry)) {
      expect(parse, entry.name).toThrow(InvalidInputError);
      continue;
    }
    try {
      const { shape, numbers, text } = parse();
      read.push(entry.name);
      expect(shape, entry.name).toEqual(entry.shape);
      if (entry.kind === 'U') expect(text, entry.name).toEqual(entry.values);
      else if (entry.kind === 'M') expect(text, entry.name).toEqual(['2020-01-01']);
      else if (entry.decimal) expect(Array.from(numbers!), entry.name).toEqual(entry.decimal.map(numberOf));
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      alsoRefused.push(entry.name);
    }
  }
  expect(corpus).toHaveLength(375);
  expect(read.length).toBeGreaterThan(35);
  // Python allows comments among the blanks of the header.
  expect(alsoRefused).toEqual(['damaged 113', 'damaged 162', 'damaged 225']);
});
