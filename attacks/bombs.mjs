// Small files that claim, or unpack to, gigabytes: a separate process reads each and must refuse it with a remedy, or read its actual content,
// within seconds and without the memory that it claims.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { columnFromArray, nullType, tableFromColumns, tableToIPC } from '@uwdata/flechette';
import { zipSync } from 'fflate';
import { childOf, lastJson, programOf } from './child.mjs';

/** Default limit on the size of a table, 1.2 GB, and the other memory of a process. */
const MOST_MEGABYTES = 1500;
const MOST_SECONDS = 30;

export async function attackBombs({ cases, report }) {
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-bombs-'));
  try {
    for (const [what, file, make, isBeyond] of bombs.slice(0, cases)) {
      const path = join(folder, file);
      writeFileSync(path, make());
      const child = await childOf([process.execPath, programOf('job.mjs'), 'table', path]);
      if (isBeyond && child.code !== 0) report.count('processes that V8 ended (see docs/project/reliability.md)');
      else judge(what, child, report);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function judge(what, child, report) {
  const found = lastJson(child);
  if (found === undefined) return report.fail(what, `ended by ${child.code} ${child.signal}: ${child.stderr}`);
  const { outcome, seconds, megabytes } = found;
  if (seconds > MOST_SECONDS) report.fail(what, `took ${seconds.toFixed(0)} s`);
  if (megabytes > MOST_MEGABYTES) report.fail(what, `took ${megabytes.toFixed(0)} MB`);
  if (outcome.error === undefined) return report.count('read');
  if (!outcome.isTyped) return report.fail(what, outcome.stack);
  if (outcome.system !== 'tooLarge') return report.count('refused as damaged or empty');
  if (!outcome.error.includes('`maxBytes`')) report.fail(what, `does not say what to do: ${outcome.error}`);
  report.count('refused by size');
}

/** An .npy file of this type and shape, with these bytes behind its header. */
function npy(descr, shape, content = Buffer.alloc(0)) {
  const header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape.join(', ')},), }\n`;
  const length = Buffer.alloc(2);
  length.writeUInt16LE(header.length);
  return Buffer.concat([Buffer.from('\x93NUMPY\x01\x00', 'latin1'), length, Buffer.from(header), content]);
}

/** Zeros, packed. */
let packedZeros;
const zeros = () => {
  packedZeros ??= gzipSync(Buffer.alloc(1.5e9), { level: 1 });
  return packedZeros;
};

/** An archive whose directory lists a wrong unpacked size. */
function archive(content, claimed) {
  const packed = Buffer.from(zipSync({ 'X.npy': content }, { level: 9 }));
  if (claimed === undefined) return packed;
  const directory = packed.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  packed.writeUInt32LE(claimed, 22);
  packed.writeUInt32LE(claimed, directory + 24);
  return packed;
}

/** Many entries of a directory that all are the same bytes. */
function overlapping(entries) {
  const packed = archive(npy('<f8', [1_000_000, 4], Buffer.alloc(32e6)));
  const directory = packed.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  const end = packed.indexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const all = Array.from({ length: entries }, (_, k) => {
    const entry = Buffer.from(packed.subarray(directory, end));
    entry.write(String.fromCharCode(65 + (k % 26)), 46);
    return entry;
  });
  const tail = Buffer.from(packed.subarray(end));
  tail.writeUInt16LE(entries, 8);
  tail.writeUInt16LE(entries, 10);
  return Buffer.concat([packed.subarray(0, directory), ...all, tail]);
}

/** Thrift's compact protocol, as far as Parquet takes it: fields are [number, type, value]. */
const varint = (value) => {
  const bytes = [];
  let rest = BigInt(value);
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
};
const zigzag = (value) => varint(BigInt(value) >= 0n ? BigInt(value) * 2n : -BigInt(value) * 2n - 1n);
const TYPES = { i32: 5, i64: 6, binary: 8, list: 9, struct: 12 };
function thrift(type, value) {
  if (type === 'i32' || type === 'i64') return zigzag(value);
  if (type === 'binary') return [...varint(value.length), ...Buffer.from(value)];
  if (type === 'list') {
    const [of, ...entries] = value;
    return [
      (Math.min(entries.length, 15) << 4) | TYPES[of],
      ...(entries.length < 15 ? [] : varint(entries.length)),
      ...entries.flatMap((entry) => thrift(of, entry)),
    ];
  }
  let last = 0;
  const fields = value.flatMap(([number, of, content]) => {
    const head = ((number - last) << 4) | TYPES[of];
    last = number;
    return [head, ...thrift(of, content)];
  });
  return [...fields, 0];
}

/** A Parquet file of columns of doubles, one page each: what its header, its page and its runs claim. */
function parquet({ rows = 10, inPage = rows, run = inPage, size, columns = 1, codec = 0 }) {
  const runs = [...varint(BigInt(run) * 2n), 1];
  const content = Buffer.concat([Buffer.from([runs.length, 0, 0, 0, ...runs]), Buffer.alloc(80)]);
  const page = Buffer.concat([
    Buffer.from(
      thrift('struct', [
        [1, 'i32', 0],
        [2, 'i32', size ?? content.length],
        [3, 'i32', content.length],
        [
          5,
          'struct',
          [
            [1, 'i32', inPage],
            [2, 'i32', 0],
            [3, 'i32', 3],
            [4, 'i32', 3],
          ],
        ],
      ]),
    ),
    content,
  ]);
  const names = Array.from({ length: columns }, (_, j) => `c${j}`);
  const chunk = (name) => [
    [2, 'i64', 4],
    [
      3,
      'struct',
      [
        [1, 'i32', 5],
        [2, 'list', ['i32', 0]],
        [3, 'list', ['binary', name]],
        [4, 'i32', codec],
        [5, 'i64', rows],
        [6, 'i64', page.length],
        [7, 'i64', page.length],
        [9, 'i64', 4],
      ],
    ],
  ];
  const footer = Buffer.from(
    thrift('struct', [
      [1, 'i32', 1],
      [
        2,
        'list',
        [
          'struct',
          [
            [4, 'binary', 'schema'],
            [5, 'i32', columns],
          ],
          ...names.map((name) => [
            [1, 'i32', 5],
            [3, 'i32', 1],
            [4, 'binary', name],
          ]),
        ],
      ],
      [3, 'i64', rows],
      [
        4,
        'list',
        [
          'struct',
          [
            [1, 'list', ['struct', ...names.map(chunk)]],
            [2, 'i64', page.length],
            [3, 'i64', rows],
          ],
        ],
      ],
    ]),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([Buffer.from('PAR1'), page, footer, length, Buffer.from('PAR1')]);
}

const nulls = (rows, columns = 1) =>
  Buffer.from(
    tableToIPC(
      tableFromColumns(
        Object.fromEntries(
          Array.from({ length: columns }, (_, j) => [`c${j}`, columnFromArray(new Array(rows).fill(null), nullType())]),
        ),
      ),
      { format: 'file' },
    ),
  );

/** A table with a false number of rows: the little-endian integers of the true number are replaced. */
function claiming(bytes, rows, claimed) {
  const copy = Buffer.from(bytes);
  const [old, fresh] = [rows, claimed].map((value) => {
    const long = Buffer.alloc(8);
    long.writeBigInt64LE(BigInt(value));
    return long;
  });
  for (let at = copy.indexOf(old); at >= 0; at = copy.indexOf(old, at + 8)) fresh.copy(copy, at);
  return copy;
}

const bombs = [
  ['.npy of 10⁹×100 doubles in 128 bytes', 'a.npy', () => npy('<f8', [1e9, 100])],
  ['.npy of 10⁹ texts without length', 'b.npy', () => npy('<U0', [1e9])],
  ['.npy of 10⁹×10 texts without length', 'c.npy', () => npy('|S0', [1e8, 10])],
  ['.npy of 10¹²×0 numbers', 'd.npy', () => npy('<f8', [1e12, 0])],
  ['.npy of 1×10⁷ columns', 'e.npy', () => npy('|u1', [1, 1e7], Buffer.alloc(1e7))],
  ['.npy with 4 GB of header', 'f.npy', () => Buffer.from('\x93NUMPY\x03\x00\xff\xff\xff\xff', 'latin1')],
  ['.npy of one text of 10⁹ characters', 'g.npy', () => npy('<U1000000000', [1])],
  ['.npz of 3 GB in 3 MB', 'a.npz', () => archive(npy('<f8', [1e8, 4], Buffer.alloc(3e8)), 3e9)],
  [
    '.npz that says 1 kB and unpacks to 300 MB',
    'b.npz',
    () => archive(npy('<f8', [37_500_000], Buffer.alloc(3e8)), 1024),
  ],
  ['.npz of 1000 entries that are the same bytes', 'c.npz', () => overlapping(1000)],
  [
    '.npz that says 1.1 GB and unpacks to 100 bytes',
    'd.npz',
    () => archive(npy('<f8', [2, 2], Buffer.alloc(32)), 1.1e9),
  ],
  ['.npz of 10⁹ texts without length', 'e.npz', () => archive(npy('<U0', [1e9]))],
  ['.npy.gz of 3 GB', 'h.npy.gz', zeros],
  ['.parquet of 10¹² rows', 'a.parquet', () => parquet({ rows: 1e12, inPage: 10 })],
  ['.parquet of 10⁸ rows in 300 bytes', 'b.parquet', () => parquet({ rows: 1e8, inPage: 10 })],
  ['.parquet whose page says 2·10⁹ values', 'c.parquet', () => parquet({ inPage: 2e9, run: 10 })],
  ['.parquet whose page is a run of 10⁹', 'd.parquet', () => parquet({ run: 1e9 }), true],
  ['.parquet whose page says 2 GB packed by Snappy', 'e.parquet', () => parquet({ codec: 1, size: 2e9 })],
  ['.parquet whose page says 2 GB packed by gzip', 'f.parquet', () => parquet({ codec: 2, size: 2e9 })],
  [
    '.parquet of 100 000 columns of 10⁶ rows that are the same bytes',
    'g.parquet',
    () => parquet({ rows: 1e6, inPage: 10, columns: 1e5 }),
  ],
  ['.parquet.gz of 3 GB', 'h.parquet.gz', zeros],
  ['.parquet as it should be', 'i.parquet', () => parquet({})],
  ['.arrow of 2·10⁸ rows of nothing', 'a.arrow', () => claiming(nulls(12_345), 12_345, 2e8)],
  ['.arrow of 10¹⁵ rows of nothing', 'b.arrow', () => claiming(nulls(12_345), 12_345, 1e15)],
  ['.arrow of 1000 columns of 10⁶ rows of nothing', 'c.arrow', () => claiming(nulls(12_345, 1000), 12_345, 1e6)],
];
