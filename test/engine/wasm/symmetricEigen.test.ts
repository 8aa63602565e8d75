import { describe, expect, it } from 'vitest';
import { normals, onBoth } from './bothEngines.ts';
import { difference } from './difference.ts';

describe('symmetric eigenvectors', () => {
  /** λ and V of both engines agree, where eigenvalues are apart; V is orthogonal and A·V = V·diag(λ). */
  function check(n: number, a: Float64Array, separated = true) {
    const [wasm, typescript] = onBoth([a, new Float64Array(n)], (engine, [matrix, values]) =>
      engine.symmetricEigen(n, matrix!, values!),
    );
    expect([wasm.value, typescript.value]).toEqual([0, 0]);
    const [v, w] = wasm.blocks as [Float64Array, Float64Array];
    expect(difference(w, typescript.blocks[1]!)).toBeLessThan(1e-13);
    const norm = w.reduce((most, value) => Math.max(most, Math.abs(value)), Number.MIN_VALUE);
    if (separated) expect(difference(v, typescript.blocks[0]!)).toBeLessThan(1e-11);
    expect(w).toEqual(w.slice().sort());
    let residual = 0;
    let overlap = 0;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        let product = 0;
        let inner = 0;
        for (let k = 0; k < n; k++) {
          product += (a[Math.max(i, k) * n + Math.min(i, k)]! / norm) * v[k * n + j]!;
          inner += v[k * n + i]! * v[k * n + j]!;
        }
        residual = Math.max(residual, Math.abs(product - (w[j]! / norm) * v[i * n + j]!));
        overlap = Math.max(overlap, Math.abs(inner - (i === j ? 1 : 0)));
      }
    }
    // Denormal eigenvalues are rounded coarsely.
    expect(residual).toBeLessThan(Math.max(1e-13, Number.MIN_VALUE / norm));
    expect(overlap).toBeLessThan(1e-13);
    for (let j = 0; j < n; j++) {
      let largest = 0;
      for (let i = 0; i < n; i++) if (Math.abs(v[i * n + j]!) > Math.abs(largest)) largest = v[i * n + j]!;
      expect(largest).toBeGreaterThan(0);
    }
  }

  for (const n of [0, 1, 2, 3, 4, 5, 16, 31, 32, 33, 34, 64, 65, 100, 200]) {
    it(`random, order ${n}`, () => {
      const a = normals(n * n, 10);
      for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) a[i * n + j] = Number.NaN;
      check(n, a);
    });
  }

  it('repeated eigenvalues', () => {
    const n = 40;
    check(n, new Float64Array(n * n), false);
    check(
      n,
      Float64Array.from({ length: n * n }, () => 1),
      false,
    );
    check(
      n,
      Float64Array.from({ length: n * n }, (_, k) => (Math.floor(k / n) === k % n ? 3 : 0)),
      false,
    );
  });

  it('magnitudes whose squares leave the range of doubles', () => {
    for (const scale of [1e-300, 4e-320, 1e-40, 1e40, 1e300]) {
      const a = normals(36, 11).map((x) => x * scale);
      check(6, a, scale > 1e-310);
    }
    // Off-diagonal entries whose squares underflow beside a diagonal of ordinary size.
    const small = Float64Array.from({ length: 25 }, (_, k) => (k % 6 === 0 ? k : 1e-200 * (k % 5)));
    check(5, small);
    check(3, Float64Array.from([0, 0, 0, 1e-200, 0, 0, 1e-200, 1, 0]), false);
  });

  /** Solved by halves, whose eigenvalues are the same, nearly the same or of no effect on each other, in several ways. */
  for (const [kind, entry] of Object.entries<(i: number, j: number, random: number) => number>({
    'nothing to combine': (i, j) => (i === j ? 1 + i : 0),
    'rank one': () => 1,
    'rank two, with signs': (i, j) => (i % 3) - 1 + (i % 5) * (j % 5) + ((j % 3) - 1) * (i % 3),
    'a path': (i, j) => (i === j ? 2 : Math.abs(i - j) === 1 ? -1 : 0),
    'a ring, every value twice': (i, j) => (i === j ? 2 : [1, 149].includes(Math.abs(i - j)) ? -1 : 0),
    'Wilkinson, pairs that agree to all digits': (i, j) =>
      i === j ? Math.abs(i - 74.5) : Math.abs(i - j) === 1 ? 1 : 0,
    'glued, clusters': (i, j) =>
      i === j ? Math.abs((i % 21) - 10) : Math.abs(i - j) === 1 ? (Math.max(i, j) % 21 === 0 ? 1e-8 : 1) : 0,
    'a smooth covariance, most values rounding': (i, j) => Math.exp(-(((i - j) / 40) ** 2)),
    'graded over twenty orders': (i, j, random) => random * 10 ** ((-20 * (i + j)) / 150),
    tiny: (_i, _j, random) => random * 1e-200,
    huge: (_i, _j, random) => random * 1e200,
  })) {
    it(`order 150, ${kind}`, () => {
      const n = 150;
      const random = normals(n * n, 13);
      const a = Float64Array.from({ length: n * n }, (_, k) => entry(Math.floor(k / n), k % n, random[k]!));
      // The others have equal eigenvalues, or eigenvectors whose largest entries come in equal pairs, of which rounding chooses the sign.
      check(n, a, kind === 'tiny' || kind === 'huge');
    });
  }

  it('order 66, halves whose secular equation has steps that leave the bracket of its last root', () => {
    // The halves have 0 and one more eigenvalue each that matter, the two 2.3e-12 apart, and eigenvectors that end where the halves meet.
    const n = 66;
    const coupling = 0.0024946 / 2;
    const low = 8.104e-12;
    const a = Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 - k / (200 * n) : 0));
    const endHalf = (beside: number, end: number, high: number, z: number) => {
      const [s, c] = [z * Math.SQRT2, Math.sqrt(1 - 2 * z * z)];
      a[end * (n + 1)] = coupling + low * c * c + high * s * s;
      a[beside * (n + 1)] = low * s * s + high * c * c;
      a[beside * n + end] = (high - low) * c * s;
      a[end * n + beside] = (high - low) * c * s;
    };
    endHalf(31, 32, 0.00141334384028, 5.7293e-5);
    endHalf(34, 33, 0.00141334384258, 3.6235e-5);
    a[32 * n + 33] = coupling;
    a[33 * n + 32] = coupling;
    check(n, a, false);
  });

  it('an entry that is not finite is reported, not looped on', () => {
    for (const entry of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const a = normals(100, 12);
      a[53] = entry;
      const [wasm] = onBoth([a, new Float64Array(10)], (engine, [matrix, values]) =>
        engine.symmetricEigen(10, matrix!, values!),
      );
      expect(wasm.value).toBe(1);
    }
  });
});
