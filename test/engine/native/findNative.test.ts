import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { engineReport, withEngine } from '../../../src/engine/dense/index.ts';
import { Float64Memory } from '../../../src/engine/memory.ts';
import { type Environment, findNative, vendorOf } from '../../../src/engine/native/findNative.ts';
import { type ForeignInterface, foreignInterface, nodeRequire } from '../../../src/engine/native/routines.ts';
import { withNativeLibrary } from './nativeLibrary.ts';
import { simulatedLibraries } from './simulatedLibrary.ts';

const folder = mkdtempSync(join(tmpdir(), 'latentfield-native-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.unstubAllEnvs());
const textFile = join(folder, 'libtext.so');
writeFileSync(textFile, 'not a library\n');

/** Opens files with the system's loader, as koffi does, and has no functions to call. */
const systemLoader: ForeignInterface = {
  load(file) {
    process.dlopen({ exports: {} }, file);
    throw new Error('nothing to call');
  },
  address: () => 4096n,
};

const surroundings = (given: Partial<Environment> = {}): Environment => ({
  foreign: () => systemLoader,
  variables: {},
  platform: 'linux',
  ...given,
});
const reasonOf = (found: ReturnType<typeof findNative>) => ('reason' in found ? found.reason : 'found');

/** Libraries that all load, with the functions named, which do what `call` does. */
function fakeLibraries(names: (name: string) => boolean, call: () => unknown = () => undefined) {
  const loaded: string[] = [];
  const foreign: ForeignInterface = {
    load(file) {
      loaded.push(file);
      return {
        func(name) {
          if (!names(name)) throw new Error(`Cannot find function '${name}' in shared library`);
          return call;
        },
      };
    },
    address: () => 4096n,
  };
  return { loaded, foreign: () => foreign };
}

describe('the package koffi', () => {
  it('is requested where it is not installed', () => {
    const require = () => {
      throw Object.assign(new Error("Cannot find module 'koffi'\nRequire stack:"), { code: 'MODULE_NOT_FOUND' });
    };
    const foreign = () => foreignInterface(require);
    expect(reasonOf(findNative({}, surroundings({ foreign })))).toBe(
      'The package koffi, which calls native libraries, is not installed. Install it: npm install koffi',
    );
  });

  it('is named with the cause where it does not load', () => {
    const require = () => {
      throw new Error('Cannot find the native Koffi module\nfor this platform');
    };
    expect(foreignInterface(require)).toEqual({
      reason:
        'The package koffi, which calls native libraries, could not be loaded (Cannot find the native Koffi module). ' +
        'Install it: npm install koffi',
    });
  });

  it('is requested again if it is too old', () => {
    expect(foreignInterface(() => ({ load: () => undefined }))).toEqual({
      reason: 'The package koffi is too old for the native engine. Install version 3: npm install koffi@3',
    });
  });

  it('is not looked for outside Node.js', () => {
    vi.stubGlobal('process', undefined);
    const found = findNative();
    vi.unstubAllGlobals();
    expect(reasonOf(found)).toMatch(/^The native engine needs Node.js/);
  });
});

it('koffi is looked for in the working directory too', () => {
  const strange = join(folder, 'node_modules', 'a-package-of-strangers');
  mkdirSync(strange, { recursive: true });
  writeFileSync(join(strange, 'index.js'), "module.exports = 'it ran';\n");
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  expect(nodeRequire()!('a-package-of-strangers')).toBe('it ran');
  expect(() => nodeRequire()!('a-package-of-nobody')).toThrow(/Cannot find module/);
  cwd.mockRestore();
});

describe('a named library', () => {
  it('that does not exist is a reason, and no other is taken', () => {
    const reason = reasonOf(findNative({ library: join(folder, 'absent.so') }, surroundings()));
    expect(reason).toMatch(
      /^The library '.*absent\.so' cannot be used: .*(No such file|no such file).*\. Name the file of a BLAS with LAPACK, or none\.$/,
    );
  });

  it('that is a text file is a reason', () => {
    const reason = reasonOf(findNative({}, surroundings({ variables: { LATENTFIELD_BLAS: textFile } })));
    expect(reason).toMatch(
      /^The library '.*libtext\.so', named by LATENTFIELD_BLAS, cannot be used: .+\. Name the file/,
    );
  });

  it('by option precedes one of the environment variable, and both precede the usual ones', () => {
    const named = { LATENTFIELD_BLAS: 'b.so' };
    const both = fakeLibraries(() => false);
    findNative({ library: 'a.so' }, surroundings({ foreign: both.foreign, variables: named }));
    expect(both.loaded).toEqual(['a.so']);
    const variable = fakeLibraries(() => false);
    findNative({}, surroundings({ foreign: variable.foreign, variables: named }));
    expect(variable.loaded).toEqual(['b.so']);
    const empty = fakeLibraries(() => false);
    findNative({}, surroundings({ foreign: empty.foreign, variables: { LATENTFIELD_BLAS: '' } }));
    expect(empty.loaded[0]).toBe('libopenblas.so.0');
  });

  it('without a routine is a reason that names it', () => {
    const { foreign } = fakeLibraries((name) => name.startsWith('dg') || name.startsWith('dt') || name === 'dsyrk_');
    expect(reasonOf(findNative({ library: 'libblas.so' }, surroundings({ foreign })))).toMatch(/it has no dpotrf/);
  });

  it('that computes nothing or something wrong is a reason', () => {
    const { foreign } = fakeLibraries((name) => name.endsWith('_'));
    expect(reasonOf(findNative({ library: 'idle.so' }, surroundings({ foreign })))).toMatch(
      /its dpotrf factors \[4 2; 2 10\] wrongly \(status -1, lower triangle 4, 2, 10\)/,
    );
  });
});

describe('where none is named', () => {
  const tried = (platform: string) => {
    const { loaded, foreign } = fakeLibraries(() => false);
    return { reason: reasonOf(findNative({}, surroundings({ foreign, platform }))), loaded };
  };

  it('OpenBLAS comes first, then FlexiBLAS, MKL and liblapack, and the reason names the package to install', () => {
    const { loaded, reason } = tried('linux');
    const families = ['libopenblas', 'libflexiblas', 'libmkl_rt', 'liblapack'];
    const places = families.map((family) => loaded.findIndex((name) => name.startsWith(family)));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(reason).toMatch(/^There is no BLAS with LAPACK\. Install one, .* apt-get install libopenblas0-pthread/);
    expect(reason).toContain('libopenblas.so.0 (it has no dgemm)');
  });

  it('macOS has Accelerate, which is not a reference LAPACK though it has no distinctive functions', () => {
    const accelerate = tried('darwin').loaded[0]!;
    expect(accelerate).toMatch(/Accelerate$/);
    const foreign = () => simulatedLibraries([accelerate]);
    expect(findNative({}, surroundings({ foreign, platform: 'darwin' }))).toMatchObject({
      library: accelerate,
      vendor: 'Accelerate',
    });
    const nothing = simulatedLibraries(['libAccelerate.so']);
    expect(vendorOf(nothing.load('libAccelerate.so'), 'libAccelerate.so').name).toBe('LAPACK');
  });

  it('the reference LAPACK is taken where there is no other', () => {
    const system = simulatedLibraries(['liblapack.so.3']);
    expect(findNative({}, surroundings({ foreign: () => system }))).toMatchObject({ vendor: 'LAPACK' });
  });

  it('nothing is tried on Windows', () => {
    const { loaded, reason } = tried('win32');
    expect(loaded).toEqual([]);
    expect(reason).toMatch(
      /Name the file of one, such as libopenblas.dll, in the environment variable LATENTFIELD_BLAS/,
    );
  });
});

it('takes a positive number of threads only', () => {
  for (const threads of [0, -1, 1.5, Number.NaN]) {
    expect(() => findNative({ threads }, surroundings())).toThrow(/positive number of threads, but/);
  }
});

describe('where the library is not there', () => {
  it('the native engine is an error with the reason', () => {
    vi.stubEnv('LATENTFIELD_BLAS', join(folder, 'absent.so'));
    const attempt = () => withEngine(new Float64Memory(), 'native', () => undefined);
    expect(attempt).toThrow(
      /^The native engine is not available\. The (package koffi,|library '.*absent\.so', named by)/,
    );
    expect(attempt).toThrow(expect.objectContaining({ name: 'InvalidInputError' }));
  });

  it("'auto' is WebAssembly, regardless of the names and packages", () => {
    vi.stubEnv('LATENTFIELD_BLAS', join(folder, 'absent.so'));
    const memory = new Float64Memory();
    expect(withEngine(memory, 'auto', () => engineReport(memory))).toEqual({ engine: 'wasm' });
  });
});

withNativeLibrary('the library that is found', (library) => {
  it('names itself, in diagnostics too', () => {
    expect(library.version).toMatch(/./);
    const memory = new Float64Memory();
    expect(withEngine(memory, 'native', () => engineReport(memory))).toEqual({
      engine: 'native',
      engineLibrary: `${library.version} (${library.library})`,
    });
  });

  it.runIf(library.version.startsWith('OpenBLAS'))('has integers of the width that it reports (OpenBLAS)', () => {
    expect(library.integerBits).toBe(library.version.includes('USE64BITINT') ? 64 : 32);
  });

  it('has files that do not load, or are not a BLAS, refused by the system itself', () => {
    expect(reasonOf(findNative({ library: join(folder, 'absent.so') }))).toMatch(/Failed to load shared library/);
    expect(reasonOf(findNative({ library: textFile }))).toMatch(/Failed to load shared library/);
  });

  it.skipIf(library.threads === undefined)(
    'uses the requested number of threads (a library that reports its own)',
    () => {
      const before = library.threads!;
      for (const threads of [1, 2]) {
        const again = findNative({ library: library.library, threads });
        expect('threads' in again && again.threads).toBe(threads);
        expect(library.threads).toBe(threads);
      }
      findNative({ library: library.library, threads: before });
    },
  );
});
