import { lstatSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { readTable, writeAtomically } from '../../src/app/io/index.ts';
import { parseNumpy } from '../../src/app/io/npy.ts';
import { latentPlot, precisionGrid, svgToPng } from '../../src/app/plot/index.ts';
import { checksum } from '../../src/core/saved.ts';
import { Float64Memory } from '../../src/engine/memory.ts';
import {
  alle,
  defineModel,
  fit,
  gplvm,
  InvalidInputError,
  LatentFieldError,
  lbfgs,
  loadFit,
  Matrix,
  meu,
  minimize,
  mpme,
  NumericalError,
  OptimizationError,
} from '../../src/index.ts';
import { parseKernel } from '../../src/kernels/index.ts';
import { latentfield } from '../app/cli/latentfield.ts';
import { temporaryFolder } from '../app/io/folder.ts';
import { reference } from '../reference.ts';

const Y = Array.from({ length: 20 }, (_, i) => [Math.sin(i / 3), Math.cos(i / 3), i / 20]);

describe('point 1, results that are not finite', () => {
  it('alle of rounded points is an error, not converged with NaN', async () => {
    const rounded = alle([[3], [1], [4], [2], [2], [1]], { latentDim: 1, neighbors: 2 });
    await expect(fit(rounded)).rejects.toThrow(InvalidInputError);
  });

  it('a model whose latents are NaN has failed', async () => {
    const broken = defineModel({
      name: 'broken',
      solve: () => ({
        latents: Matrix.from([[1], [Number.NaN]]),
        eigenvalues: Float64Array.of(1),
        objective: 1,
        terms: { trace: 1 },
        message: 'Closed form.',
      }),
    });
    expect((await fit(broken(undefined))).status).toBe('failed');
  });

  it('a point of the fit that meu places has the density of a point mass, +Infinity, and a point next to it a finite one', async () => {
    const result = await fit(meu(Y, { neighbors: 4 }));
    const beside = Y[3]!.map((entry) => entry + 1e-3);
    const { latents, logDensity } = await result.project([Y[3]!, beside]);
    expect(latents.row(0)).toEqual(result.latents.row(3));
    expect(logDensity[0]).toBe(Number.POSITIVE_INFINITY);
    expect(logDensity[1]).toBeGreaterThan(0);
    expect(logDensity[1]).toBeLessThan(100);
  });
});

describe('point 2, damaged files of fits', () => {
  type Json = Record<string, Record<string, unknown>>;
  const rowsOf = ({ model }: Json) => model!.observations as number[][];
  /** What was damaged by hand, and where an error says it is. */
  const damages: [string, RegExp, (saved: Json) => void][] = [
    ['an observation spliced out', /observations/, (saved) => rowsOf(saved)[2]!.splice(0, 1)],
    ['a row spliced out', /latents|observations/, (saved) => rowsOf(saved).splice(2, 1)],
    ['a noise removed', /mapping\.noise/, ({ values }) => delete values!['mapping.noise']],
    [
      'a negative variance',
      /mapping\.kernel\.rbf\.variance/,
      ({ values }) => Object.assign(values!, { 'mapping.kernel.rbf.variance': -1 }),
    ],
    [
      'a kernel 20 000 deep',
      /nested more than/,
      ({ model }) => {
        for (let k = 0; k < 20_000; k++) model!.kernel = { add: [model!.kernel] };
      },
    ],
  ];
  /** The checksums of what there is now: damage that nobody could tell by them. */
  const summedAnew = (json: Json) => {
    const sums = json.checksums!;
    for (const place of Object.keys(sums)) {
      const [part, ...path] = place.split('.');
      const value = path.length === 0 ? json[part!] : json[part!]![path.join('.')];
      if (value === undefined) delete sums[place];
      else sums[place] = checksum(value);
    }
  };

  describe.each(['as it was saved', 'with new checksums'])('%s', (form) => {
    it.each(damages)('%s: an error that names the position', (what, place, damage) => {
      const { fit: json } = reference<{ fit: Json }>('../saved/version2/gplvm.json');
      expect(() => loadFit(json)).not.toThrow();
      damage(json);
      if (form === 'with new checksums' && !what.includes('deep')) summedAnew(json);
      expect(() => loadFit(json)).toThrow(InvalidInputError);
      expect(() => loadFit(json)).toThrow(place);
    });
  });

  it('a lost entry of the means of bayesianGplvm is an error that names the position', () => {
    const { fit: json } = reference<{ fit: { values: Record<string, number[][]> } }>(
      '../saved/version2/bayesianGplvm.json',
    );
    json.values['latents.mean']![3]!.pop();
    expect(() => loadFit(json)).toThrow(InvalidInputError);
    expect(() => loadFit(json)).toThrow(/latents\.mean/);
  });

  it('the command line ends with 2 and a sentence', async () => {
    const { path, write } = temporaryFolder();
    const { fit: json } = reference<{ fit: Json }>('../saved/version2/gplvm.json');
    delete json.values!['mapping.noise'];
    write('fit.json', JSON.stringify(json));
    const { exitCode, stderr } = await latentfield(['info', path]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: .*mapping\.noise.*\n$/);
  });

  it('the text of a kernel 20 000 deep is an error', () => {
    expect(() => parseKernel(`${'('.repeat(20_000)}rbf${')'.repeat(20_000)}`)).toThrow(InvalidInputError);
  });
});

describe('point 3, functions that give promises', () => {
  it('a failing onProgress fails the fit, a promise of false stops it, a checkpoint that hangs does not outlast maxSeconds', async () => {
    const endless = { tolerance: 0, relativeDecrease: 0, maxIterations: 1e6 };
    const model = gplvm(Y, { latentDim: 1 });
    const failing = async () => {
      throw new RangeError('mine');
    };
    await expect(fit(model, { onProgress: failing })).rejects.toThrow(OptimizationError);
    const stopped = await fit(model, { ...endless, onProgress: async () => false });
    expect(stopped.status).toBe('stopped');
    const hanging = () => new Promise<void>(() => undefined);
    const late = await fit(model, { ...endless, maxSeconds: 0.1, checkpoint: hanging });
    expect(late.message).toMatch(/^Stopped by the limit of maxSeconds = 0\.1/);
  });
});

describe('point 4, sizes beyond the limits', () => {
  it('mpme of 20 000 points is refused before anything is allocated, with models that would work', () => {
    const many = new Matrix(
      Float64Array.from({ length: 40_000 }, (_, i) => Math.sin(i)),
      20_000,
      2,
    );
    const before = process.memoryUsage().arrayBuffers;
    const refused = () => mpme(many).assemble(0);
    expect(refused).toThrow(InvalidInputError);
    expect(refused).toThrow(/20000 have 199990000 pairs.*Take neighbors: 20/);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1e7);
  });

  it('WebAssembly that can reserve no memory is an error that reports it', () => {
    const none = vi.spyOn(WebAssembly, 'Memory').mockImplementation(function refuse() {
      throw new RangeError('WebAssembly.Memory(): could not allocate memory');
    } as never);
    try {
      expect(() => new Float64Memory()).toThrow(NumericalError);
      expect(() => new Float64Memory()).toThrow(/WebAssembly can reserve no memory in this process/);
    } finally {
      none.mockRestore();
    }
  });
});

describe('point 6, .npy', () => {
  const bytesOf = (header: string, entries = 16, version = [1, 0]) => {
    const text = Buffer.from(`${header.padEnd(117)}\n`, 'latin1');
    const start = Buffer.from([0x93, ...Buffer.from('NUMPY'), ...version, text.length % 256, text.length >> 8]);
    return Buffer.concat([start, text, Buffer.alloc(entries)]);
  };
  const header = (shape: string, descr = '<f8') =>
    `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape}), }`;

  it('reads what these are made from', () => {
    expect(parseNumpy(bytesOf(header('2, 1')), 'a.npy')).toMatchObject({ shape: [2, 1] });
  });

  it.each<[string, Buffer]>([
    ['a negative shape', bytesOf(header('-1, 2'))],
    ['two negative lengths, whose product fits', bytesOf(header('-2, -1'))],
    ['a shape that overflows', bytesOf(header('4294967296, 4294967296'))],
    ['a shape beyond 2^53', bytesOf(header('9007199254740993, 1'))],
    ['a header that is a call', bytesOf(header('__import__("os").getpid(), 1'))],
    ['a header that is a list', bytesOf("['descr', '<f8']")],
    ['a header with a key twice less', bytesOf("{'descr': '<f8', 'shape': (2, 1), }")],
    ['an unknown version', bytesOf(header('2, 1'), 16, [9, 0])],
    ['bytes behind the array', bytesOf(header('2, 1'), 24)],
    ['bytes that are missing', bytesOf(header('2, 1'), 8)],
    ['objects', bytesOf(header('2, 1', '|O'))],
  ])('%s: an error', (_, bytes) => {
    expect(() => parseNumpy(bytes, 'a.npy')).toThrow(InvalidInputError);
  });

  it('a whole number beyond 2^53 that no double is: an error that names it', () => {
    const bytes = bytesOf(header('2, 1', '<i8'));
    bytes.writeBigInt64LE(2n ** 53n + 1n, bytes.length - 8);
    expect(() => parseNumpy(bytes, 'a.npy')).toThrow(/entry 1 is 9007199254740993/);
    bytes.writeBigInt64LE(2n ** 60n, bytes.length - 8);
    expect(parseNumpy(bytes, 'a.npy').numbers![1]).toBe(2 ** 60);
  });

  it('three dimensions are not flattened in silence', async () => {
    const file = temporaryFolder().write('a.npy', bytesOf(header('1, 2, 1')));
    await expect(readTable(file)).rejects.toThrow(/has 3 dimensions, shape \(1, 2, 1\)\. Reshape it to N×D/);
  });
});

describe('point 7, what is written', () => {
  it('replaces a link and not what it leads to, and leaves no temporary file', async () => {
    const { path, write } = temporaryFolder();
    const victim = write('victim', 'mine');
    const link = join(path, 'state.json');
    symlinkSync(victim, link);
    await writeAtomically(link, 'new');
    expect([readFileSync(victim, 'utf8'), readFileSync(link, 'utf8'), lstatSync(link).isSymbolicLink()]).toEqual([
      'mine',
      'new',
      false,
    ]);
    rmSync(link);
    symlinkSync(victim, link);
    await fit(gplvm(Y, { latentDim: 1 }), { maxIterations: 1, checkpoint: link });
    expect([readFileSync(victim, 'utf8'), lstatSync(link).isSymbolicLink()]).toEqual(['mine', false]);
    expect(readdirSync(path).sort()).toEqual(['state.json', 'victim']);
  });

  it('pictures contain no control characters, and their sizes are bounded', async () => {
    const latents = Matrix.from(Y.map(([a, b]) => [a!, b!]));
    const svg = await latentPlot({ latents, title: 'a\u0000b\u0007c\u202ed' });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(svg).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u202e]/);
    await expect(latentPlot({ latents, width: 1e6 })).rejects.toThrow(InvalidInputError);
    const grid = () => precisionGrid(() => ({ variance: latents }), latents, { resolution: 1e6 });
    expect(grid).toThrow(InvalidInputError);
    await expect(svgToPng(svg, { scale: 1e6 })).rejects.toThrow(LatentFieldError);
  });
});

describe('point 8, numbers and objects at the edge', () => {
  it('−0 survives JSON', async () => {
    const init = Matrix.from(Y.map((_, i) => [i === 0 ? -0 : i]));
    const result = await fit(gplvm(Y, { latentDim: 1, init }), { maxIterations: 0 });
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(Object.is(again.latents.data[0], result.latents.data[0])).toBe(true);
    expect(again.predict!([[0.5]])).toEqual(result.predict([[0.5]]));
  });

  it('an objective without a bound has failed', () => {
    const { status } = minimize((x) => ({ value: -Math.exp(x[0]!), gradient: [-Math.exp(x[0]!)] }), [1], lbfgs());
    expect(status).toBe('failed');
  });
});

it('docs/project/reliability.md names tests that exist', () => {
  const page = readFileSync(new URL('../../docs/project/reliability.md', import.meta.url), 'utf8');
  const named = [...page.matchAll(/(test\/[\w/.]+\.test\.ts): ‘([^’]+)’/g)];
  expect(named.length).toBeGreaterThan(20);
  for (const [, file, name] of named) {
    expect(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'), file).toContain(name);
  }
});
