import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';
import type { Float64Memory } from '../../../src/engine/memory.ts';
import type { RadialOperations, RadialProfile } from '../../../src/engine/operations/covariances.ts';
import { radialOperations, typescriptSquaredDistances } from '../../../src/engine/typescript/covariances.ts';
import { kernelsOn } from '../../../src/engine/wasm/instance.ts';
import { wasmRadialOperations } from '../../../src/engine/wasm/wasmEngine.ts';
import { maternProfiles } from '../../../src/kernels/matern.ts';
import { rbfProfile } from '../../../src/kernels/rbf.ts';
import { thinPlate } from '../../../src/kernels/thinPlateSpline.ts';
import { difference } from './difference.ts';
import { spoiledMemory } from './spoiledMemory.ts';

const engines: Record<string, (memory: Float64Memory) => RadialOperations> = {
  wasm: (memory) => wasmRadialOperations(memory, kernelsOn(memory)),
  typescript: (memory) => radialOperations(memory, typescriptSquaredDistances(memory)),
};
const profiles: RadialProfile[] = [
  ...[1, 2, 3, 4].map((q) => thinPlate(q, 'corrected').profile),
  ...Object.values(maternProfiles),
  rbfProfile,
];
const SIZES = [0, 1, 2, 3, 31, 32, 33, 64, 65, 97, 300];
/** Profiles that are compared at 300 points by `npm test` too. */
const OF_300 = ['thinPlate3', 'matern32', 'rbf'];
const VARIANCE = 1.7;

function normals(length: number, seed: number, scale = 1): Float64Array {
  const { normal } = seededRandom(seed);
  return Float64Array.from({ length }, () => scale * normal());
}

interface Results {
  readonly K: Float64Array;
  readonly pulls: readonly Float64Array[];
  readonly slope: number;
}

/** Covariance of points in q dimensions, and its gradient contracted with weights of no symmetry. */
function results(engine: string, profile: RadialProfile, a: Float64Array, b?: Float64Array, q = 2): Results {
  const memory = spoiledMemory();
  const operations = engines[engine]!(memory);
  const [n, m] = [a.length / q, (b ?? a).length / q];
  const place = (values: Float64Array) => {
    const offset = memory.allocate(8 * Math.max(1, values.length));
    memory.float64(offset, values.length).set(values);
    return offset;
  };
  const [A, B, G] = [place(a), place(b ?? a), place(normals(n * m, 3))];
  const [K, dA, dB] = [place(new Float64Array(n * m)), place(a.slice()), place((b ?? a).slice())];
  const live = memory.liveBytes;
  let slope: number;
  if (b === undefined) {
    operations.radialGram(n, q, A, profile, VARIANCE, K);
    slope = operations.radialGramGradient(n, q, A, profile, VARIANCE, K, G, dA);
  } else {
    operations.radialCross(n, m, q, A, B, profile, VARIANCE, K);
    slope = operations.radialCrossGradient(n, m, q, A, B, profile, VARIANCE, K, G, dA, dB);
  }
  expect(memory.liveBytes).toBe(live);
  const pulls = [memory.float64(dA, n * q).slice(), ...(b ? [memory.float64(dB, m * q).slice()] : [])];
  return { K: memory.float64(K, n * m).slice(), pulls, slope };
}

function expectAgreement(profile: RadialProfile, a: Float64Array, b?: Float64Array, q = 2): void {
  const [wasm, typescript] = [results('wasm', profile, a, b, q), results('typescript', profile, a, b, q)];
  expect(difference(wasm.K, typescript.K)).toBeLessThan(1e-13);
  typescript.pulls.forEach((pull, i) => {
    expect(difference(wasm.pulls[i]!, pull)).toBeLessThan(1e-13);
  });
  const largest = Math.max(...typescript.K.map(Math.abs), 0) / VARIANCE;
  // A sum of n·m terms of either sign.
  expect(difference([wasm.slope], [typescript.slope], largest * Math.sqrt(typescript.K.length))).toBeLessThan(1e-13);
}

describe.each(profiles.map((profile) => [profile.name, profile] as const))('%s', (name, profile) => {
  const expectAgreementOf = (n: number, q: number) => {
    expectAgreement(profile, normals(n * q, 1), undefined, q);
    for (const m of [0, 1, 40]) expectAgreement(profile, normals(n * q, 1), normals(m * q, 2), q);
  };

  for (const n of SIZES)
    it(`of ${n} points and its gradient agree with the TypeScript version`, {
      tags: n === 300 && !OF_300.includes(name) ? 'long' : [],
    }, () => {
      for (const q of n < 300 ? [1, 2, 5] : [2]) expectAgreementOf(n, q);
    });

  it('of 300 points in one and in five dimensions agree too', { tags: 'long' }, () => {
    for (const q of [1, 5]) expectAgreementOf(300, q);
  });

  it('does so for coincident points and points of any scale', () => {
    for (const scale of [1e-8, 1e8]) expectAgreement(profile, normals(70, 4, scale), undefined);
    const twice = Float64Array.of(...normals(40, 5), ...normals(40, 5), ...normals(30, 6));
    expectAgreement(profile, twice);
    expectAgreement(profile, twice, normals(40, 5));
    expectAgreement(profile, new Float64Array(80));
    expectAgreement(profile, Float64Array.of(...normals(20, 7, 1e-8), ...normals(20, 8, 1e8)));
  });

  it.each(Object.keys(engines))('is variance·f(0) among points without columns, %s', (engine) => {
    const [n, m] = [5, 7];
    const memory = spoiledMemory();
    const operations = engines[engine]!(memory);
    const allocate = (length: number) => memory.allocate(8 * length);
    const [points, k, g] = [allocate(1), allocate(n * m), allocate(n * m)];
    const weights = normals(n * m, 3);
    memory.float64(g, n * m).set(weights);
    const atZero = new Float64Array(1);
    profile.value(atZero);
    const value = VARIANCE * atZero[0]!;
    const total = (count: number) => weights.subarray(0, count).reduce((sum, weight) => sum + weight * atZero[0]!, 0);

    operations.radialGram(n, 0, points, profile, VARIANCE, k);
    expect(memory.float64(k, n * n).slice()).toEqual(new Float64Array(n * n).fill(value));
    const ofGram = operations.radialGramGradient(n, 0, points, profile, VARIANCE, k, g, points);
    expect(difference([ofGram], [total(n * n)])).toBeLessThan(1e-13);

    operations.radialCross(n, m, 0, points, points, profile, VARIANCE, k);
    expect(memory.float64(k, n * m).slice()).toEqual(new Float64Array(n * m).fill(value));
    const ofCross = operations.radialCrossGradient(n, m, 0, points, points, profile, VARIANCE, k, g, points, points);
    expect(difference([ofCross], [total(n * m)])).toBeLessThan(1e-13);
  });

  it('passes on values that are not numbers', () => {
    const a = normals(20, 9);
    a[6] = Number.NaN;
    const [wasm, typescript] = [results('wasm', profile, a), results('typescript', profile, a)];
    expect(Array.from(wasm.K, Number.isNaN)).toEqual(Array.from(typescript.K, Number.isNaN));
    expect(wasm.K.some(Number.isNaN)).toBe(true);
  });

  it('is exactly symmetric', () => {
    const { K } = results('wasm', profile, normals(2 * 67, 10));
    for (let i = 0; i < 67; i++) for (let j = 0; j < i; j++) expect(K[i * 67 + j]).toBe(K[j * 67 + i]);
  });

  it('keeps all digits of near points far from the origin', () => {
    const gap = 2 ** -20;
    const s = Float64Array.of(gap ** 2);
    profile.value(s);
    const { K } = results('wasm', profile, Float64Array.of(1e8, 1e8, 1e8 + gap, 1e8));
    expect(difference([K[1]!], [VARIANCE * s[0]!])).toBeLessThan(1e-15);
  });

  it('has the limits of differences as its gradient', () => {
    const [a, b] = [normals(14, 11), normals(10, 12)];
    const G = { gram: normals(49, 3), cross: normals(35, 3) };
    const objective = (form: 'gram' | 'cross', left: Float64Array, right: Float64Array) =>
      results('wasm', profile, left, form === 'cross' ? right : undefined).K.reduce(
        (sum, entry, i) => sum + entry * G[form][i]!,
        0,
      );
    const step = 1e-5;
    const moved = (x: Float64Array, p: number, by: number) => x.map((entry, i) => (i === p ? entry + by : entry));
    const limit = (f: (by: number) => number) => (f(step) - f(-step)) / (2 * step);
    for (const form of ['gram', 'cross'] as const) {
      const { pulls, slope } = results('wasm', profile, a, form === 'cross' ? b : undefined);
      pulls[0]!.forEach((pull, p) => {
        expect(pull).toBeCloseTo(
          limit((by) => objective(form, moved(a, p, by), b)),
          6,
        );
      });
      pulls[1]?.forEach((pull, p) => {
        expect(pull).toBeCloseTo(
          limit((by) => objective(form, a, moved(b, p, by))),
          6,
        );
      });
      expect(slope).toBeCloseTo(objective(form, a, b) / VARIANCE, 10);
    }
  });
});

it('the profiles of the library are compiled', () => {
  expect(profiles.filter(({ compiled }) => compiled === undefined)).toEqual([]);
});

it('a profile that is not compiled runs as it is written', () => {
  const cauchy: RadialProfile = {
    name: 'cauchy',
    value: (s) => {
      for (let i = 0; i < s.length; i++) s[i] = 1 / (1 + s[i]!);
    },
    slope: (s) => {
      for (let i = 0; i < s.length; i++) s[i] = -1 / (1 + s[i]!) ** 2;
    },
  };
  const [a, b] = [normals(20, 1), normals(12, 2)];
  expect(results('wasm', cauchy, a)).toEqual(results('typescript', cauchy, a));
  expect(results('wasm', cauchy, a, b)).toEqual(results('typescript', cauchy, a, b));
});

it('writes down the same covariance as one of a set and as one between two equal sets', () => {
  const memory = spoiledMemory();
  const operations = wasmRadialOperations(memory, kernelsOn(memory));
  const [n, q] = [70, 2];
  const [x, cross, gram] = [n * q, n * n, n * n].map((length) => memory.allocate(8 * length)) as [
    number,
    number,
    number,
  ];
  memory.float64(x, n * q).set(normals(n * q, 1));
  operations.radialCross(n, n, q, x, x, profiles[1]!, VARIANCE, cross);
  operations.radialGram(n, q, x, profiles[1]!, VARIANCE, gram);
  expect(difference(memory.float64(cross, n * n), memory.float64(gram, n * n))).toBeLessThan(1e-15);
});
