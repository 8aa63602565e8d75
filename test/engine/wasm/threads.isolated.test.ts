import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { NumericalError } from '../../../src/core/errors.ts';
import { Matrix } from '../../../src/core/matrix.ts';
import { completed } from '../../../src/core/progressiveWork.ts';
import { expectationsInBlocks } from '../../../src/engine/dense/activeEngine.ts';
import { withEngine } from '../../../src/engine/dense/index.ts';
import { type Float64Memory, sharedMemory } from '../../../src/engine/memory.ts';
import { nearestNeighbors } from '../../../src/engine/neighbors/index.ts';
import { scaledPoints, singleCandidates, type VisitMeasured } from '../../../src/engine/neighbors/nearest.ts';
import { columnMeans } from '../../../src/engine/neighbors/pointProducts.ts';
import type { Kept } from '../../../src/engine/operations/covariances.ts';
import type { LinearAlgebraEngine } from '../../../src/engine/operations/linearAlgebra.ts';
import { SINGLE_PRODUCTS } from '../../../src/engine/wasm/engineModule.ts';
import { kernelsOn, RECORD_BYTES, writeRecord } from '../../../src/engine/wasm/instance.ts';
import { FAILED, JOINED, ROUND, startTeam, type Threads } from '../../../src/engine/wasm/team.ts';
import { wasmEngine, wasmFusedOperations } from '../../../src/engine/wasm/wasmEngine.ts';
import { expectationsOn } from '../../../src/engine/wasm/wasmExpectations.ts';
import { maternProfiles } from '../../../src/kernels/matern.ts';
import { rbfProfile } from '../../../src/kernels/rbf.ts';
import { thinPlate } from '../../../src/kernels/thinPlateSpline.ts';
import { normals } from './bothEngines.ts';
import { spoiledMemory } from './spoiledMemory.ts';

/** Words of a team's block that the library does not read: see assembly/team.ts. */
const [OPEN, TASK] = [64, 384];

/** Sizes that leave one row, an odd row, or whole groups of rows to the last part, and some too small to be shared. */
const SIZES = [0, 1, 2, 33, 97, 137, 190, 257, 300, 385];

const memories = { alone: spoiledMemory(), two: spoiledMemory(), three: spoiledMemory() };
const teams: Partial<Record<keyof typeof memories, Threads>> = {};
const engines = new Map<Float64Memory, LinearAlgebraEngine>();
for (const memory of Object.values(memories)) engines.set(memory, wasmEngine(memory));

beforeAll(async () => {
  teams.two = await startTeam(memories.two, 2);
  teams.three = await startTeam(memories.three, 3);
});
afterAll(async () => {
  for (const team of Object.values(teams)) await team.dispose();
});

/** What `work` returns and leaves in blocks, by one, two and three threads. */
function byThreads<T>(
  blocks: readonly Float64Array[],
  work: (memory: Float64Memory, offsets: number[], engine: LinearAlgebraEngine) => T,
) {
  return Object.entries(memories).map(([name, memory]) => {
    const offsets = blocks.map((block) => memory.allocate(8 * Math.max(1, block.length)));
    blocks.forEach((block, i) => {
      memory.float64(offsets[i]!, block.length).set(block);
    });
    const live = memory.liveBytes;
    const run = () => work(memory, offsets, engines.get(memory)!);
    const team = teams[name as keyof typeof memories];
    const value = team === undefined ? run() : team.run(run);
    expect(memory.liveBytes).toBe(live);
    const left = blocks.map((block, i) => memory.float64(offsets[i]!, block.length).slice());
    offsets.forEach((offset, i) => {
      memory.release(offset, 8 * Math.max(1, blocks[i]!.length));
    });
    return { value, left };
  });
}

/** All bits, so that 0 is not −0 and NaN is NaN. */
const bits = (numbers: Float64Array) => new BigUint64Array(numbers.buffer, numbers.byteOffset, numbers.length);

function expectSameBits<T>(results: readonly { value: T; left: readonly Float64Array[] }[]): void {
  const [alone, ...shared] = results;
  for (const { value, left } of shared) {
    expect(value).toEqual(alone!.value);
    left.forEach((block, i) => {
      const [ours, theirs] = [bits(block), bits(alone!.left[i]!)];
      expect(ours.findIndex((word, p) => word !== theirs[p])).toBe(-1);
    });
  }
}

/** Lower triangle of [[4, 2], [2, 10]]. */
function smallMatrix(memory: Float64Memory): number {
  const offset = memory.allocate(8 * 4);
  memory.float64(offset, 4).set([4, 0, 2, 10]);
  return offset;
}

/** The engine works on the memory: it factors `smallMatrix`. */
function expectFactor(memory: Float64Memory, engine: LinearAlgebraEngine, offset: number): void {
  expect(engine.cholesky(2, offset)).toBe(-1);
  expect(Array.from(memory.float64(offset, 4))).toEqual([2, 0, 1, 3]);
}

/** A team of two, and the words of its block. */
async function watchedTeam() {
  const memory = spoiledMemory();
  const allocated: number[] = [];
  const { allocate } = memory;
  memory.allocate = (bytes) => {
    allocated.push(allocate(bytes));
    return allocated.at(-1)!;
  };
  const team = await startTeam(memory, 2);
  memory.allocate = allocate;
  const block = Math.ceil(allocated[0]! / 64) * 64;
  return { memory, team, word: (offset: number) => memory.int32(block + offset, 1) };
}

async function expectAnotherTeam(memory: Float64Memory): Promise<void> {
  const other = await startTeam(memory, 2);
  expect(other.count).toBe(2);
  await other.dispose();
  expect(memory.isShared).toBe(false);
}

/** AAᵀ/n + ridge·I by rank-one steps of a smooth family: cheap to form, definite for a positive ridge. */
function definite(n: number, ridge: number, width = 30): Float64Array {
  return Float64Array.from({ length: n * n }, (_, p) => {
    const gap = (Math.floor(p / n) - (p % n)) / width;
    return Math.exp(-0.5 * gap * gap) + (gap === 0 ? ridge : 0);
  });
}

const rows = (offset: number, columns: number) => ({ offset, rowStride: columns, columnStride: 1 });
const columns = (offset: number, count: number) => ({ offset, rowStride: 1, columnStride: count });

describe('threads share the work bit for bit', () => {
  it('are there', () => {
    expect([teams.two!.count, teams.two!.reason, teams.three!.count]).toEqual([2, undefined, 3]);
    expect([memories.alone.isShared, memories.two.isShared]).toEqual([false, true]);
  });

  it('in products in single precision', () => {
    const [n, columns, first, groups] = [360, 130, 64, 8];
    const numbers = Float32Array.from(normals(n * columns, 5));
    const blocks = [new Float64Array(numbers.buffer), new Float64Array(4 * groups * n)];
    const results = byThreads(blocks, (memory, [points, products]) => {
      const given = { first, groups, n, columns, layer: 64, packed: points!, c: products! };
      memory.withBlock(RECORD_BYTES, (record) => {
        kernelsOn(memory).singleProducts(writeRecord(memory, SINGLE_PRODUCTS, record, given));
      });
    });
    expectSameBits(results);
    const products = new Float32Array(results[0]!.left[1]!.buffer);
    expect(products.every((entry, p) => (entry !== 0) === p % n < n - first)).toBe(true);
  });

  it('the nearest of points in many dimensions', () => {
    const points = new Matrix(normals(523 * 300, 6), 523, 300);
    const scaled = scaledPoints(points, columnMeans(points))!;
    const results = byThreads([], (memory) => {
      const found: unknown[] = [];
      const visit: VisitMeasured = (i, rows, squares, others) => found.push([i, rows.slice(), squares.slice(), others]);
      completed(singleCandidates(scaled, memory, kernelsOn(memory), 7, visit));
      return found;
    });
    expectSameBits(results);
    expect(results[0]!.value).toHaveLength(523);
  });

  it('neighbors, for any caller that searches on threads', async () => {
    const points = new Matrix(normals(523 * 300, 7), 523, 300);
    const search = () => withEngine(sharedMemory(), 'wasm', () => nearestNeighbors(points, 5));
    const alone = search();
    for (const count of [2, 3]) {
      const team = await startTeam(sharedMemory(), count);
      expect(team.count).toBe(count);
      expect(team.run(search)).toEqual(alone);
      await team.dispose();
    }
  });

  for (const [m, n, k] of [
    [300, 300, 300],
    [257, 130, 97],
    [98, 385, 300],
    [12, 500, 400],
    [600, 3, 300],
    [1, 700, 700],
    [700, 1, 700],
    [0, 300, 300],
    [300, 300, 0],
  ] as const) {
    it(`products of ${m}×${k} and ${k}×${n}, by rows and by columns`, () => {
      for (const [alpha, beta] of [
        [1, 0],
        [-0.7, 1.5],
      ] as const) {
        const blocks = [normals(m * k, 1), normals(k * n, 2), normals(m * n, 3)];
        expectSameBits(
          byThreads(blocks, (_, [a, b, c], engine) =>
            engine.gemm(m, n, k, alpha, rows(a!, k), columns(b!, k), beta, rows(c!, n)),
          ),
        );
        expectSameBits(
          byThreads(blocks, (_, [a, b, c], engine) =>
            engine.gemm(m, n, k, alpha, columns(a!, m), rows(b!, n), beta, columns(c!, m)),
          ),
        );
      }
    });
  }

  for (const n of SIZES) {
    it(`symmetric products, factors, inverses and solutions of order ${n}`, { tags: n === 300 ? 'long' : [] }, () => {
      const k = 70;
      expectSameBits(
        byThreads([normals(n * k, 4), normals(n * n, 5)], (_, [a, c], engine) =>
          engine.syrk(n, k, 0.9, rows(a!, k), -2, c!),
        ),
      );
      const factored = byThreads([definite(n, 0.1)], (_, [a], engine) => engine.cholesky(n, a!));
      expect(factored[0]!.value).toBe(-1);
      expectSameBits(factored);
      const factor = factored[0]!.left[0]!;
      expectSameBits(byThreads([factor], (_, [l], engine) => engine.choleskyInverse(n, l!)));
      for (const m of [1, 12, 129, 300]) {
        for (const transpose of [false, true]) {
          for (const operation of ['triangularSolve', 'triangularMultiply'] as const) {
            expectSameBits(
              byThreads([factor, normals(n * m, 6)], (_, [l, b], engine) => engine[operation](n, m, l!, b!, transpose)),
            );
          }
        }
      }
    });
  }

  it('the upper triangle of a symmetric matrix from its lower one', () => {
    const n = 600;
    const numbers = Float64Array.from({ length: n * n }, (_, p) => p);
    const symmetric = numbers.map((p) => {
      const [i, j] = [Math.floor(p / n), p % n];
      return Math.max(i, j) * n + Math.min(i, j);
    });
    for (const { left } of byThreads([numbers], (_, [a], engine) => engine.mirrorLower(n, a!))) {
      expect(left[0]!.findIndex((entry, p) => entry !== symmetric[p])).toBe(-1);
    }
  });

  it('factors of ill-conditioned matrices, and of those that are not positive definite', () => {
    for (const n of [120, 300]) {
      expectSameBits(byThreads([definite(n, 1e-13, 20)], (_, [a], engine) => engine.cholesky(n, a!)));
      for (const failing of [0, 97, n - 1]) {
        for (const spoil of [-3, 0, Number.NaN]) {
          const a = definite(n, 0.5);
          a[failing * (n + 1)] = spoil;
          const results = byThreads([a], (_, [offset], engine) => engine.cholesky(n, offset!));
          expect(results.map(({ value }) => value)).toEqual([failing, failing, failing]);
          expectSameBits(results);
        }
      }
    }
  });

  it('eigenvectors', () => {
    const n = 260;
    expectSameBits(
      byThreads([definite(n, 0.1, 3), normals(n, 7)], (_, [a, w], engine) => engine.symmetricEigen(n, a!, w!)),
    );
  });

  for (const n of SIZES) {
    it(`the fused operations of a Gaussian process of ${n} points`, () => {
      const q = 3;
      const parameters = { variance: 1.3, lengthscales: [0.6, 0.9, 1.2], bias: 0.2, noise: 0.05 };
      const blocks = [n * q, n * n, n * n, n * q].map((length, i) => normals(length, 8 + i));
      expectSameBits(
        byThreads(blocks, (memory, [x, k, g, dx]) => {
          const fused = wasmFusedOperations(memory);
          fused.radialSum(n, q, x!, rbfProfile, parameters, k!);
          return fused.radialSumGradient(n, q, x!, rbfProfile, parameters, k!, g!, dx!);
        }),
      );
      for (const profile of [maternProfiles.matern32, thinPlate(q, 'corrected').profile]) {
        expectSameBits(
          byThreads(blocks, (memory, [x, k, g, dx]) => {
            const fused = wasmFusedOperations(memory);
            fused.radialGram(n, q, x!, profile, 1.3, k!);
            return fused.radialGramGradient(n, q, x!, profile, 1.3, k!, g!, dx!);
          }),
        );
      }
    });
  }
});

describe('threads share expectations over points bit for bit', () => {
  // Too few points to be cut, some that are cut unevenly, and inducing inputs that do not fill tiles.
  for (const [n, m, q, sums] of [
    [100, 30, 4, 1],
    [301, 50, 10, 1],
    [515, 21, 3, 2],
  ] as const) {
    it(`of ${n} points and ${m} inducing inputs in ${q} dimensions, ${sums} sums, with their gradient`, () => {
      const positive = (count: number, seed: number) => normals(count, seed).map((entry) => 0.1 + entry * entry);
      const weights = sums === 1 ? [] : [positive(n * sums, 4)];
      const blocks = [normals(n * q, 1), positive(n * q, 2), normals(m * q, 3), normals(sums * m * m, 5), ...weights];
      const results = new Float64Array(sums * m * m + 2 * n * q + m * q);
      expectSameBits(
        byThreads([...blocks, results], (memory, offsets) => {
          const operations = expectationsOn(memory);
          const [mean, variance, inducing, g] = offsets as [number, number, number, number];
          const target = offsets.at(-1)!;
          const points = { n, m, q, mean, variance, inducing, lengthscales: new Float64Array(q).fill(1.2) };
          const omega = sums === 1 ? { sums } : { sums, offset: offsets[4]! };
          const slopes = target + 8 * sums * m * m;
          const into = { mean: slopes, variance: slopes + 8 * n * q, inducing: slopes + 16 * n * q };
          operations.expectedRbfProducts(points, omega, target);
          const { total, lengthscales } = operations.expectedRbfProductsGradient(points, omega, g, into);
          return [total, ...lengthscales];
        }),
      );
    });
  }

  it('and have the same gradient whether exponentials are kept for it or not', () => {
    const memory = memories.alone;
    const operations = expectationsInBlocks(memory, expectationsOn(memory));
    // More points than are summed at once.
    const [n, m, q] = [1100, 10, 2];
    const T = operations.keptOfPoint(m);
    const lengths = [n * q, n * q, m * q, m * m, m * m, n * T, n * q, n * q, m * q];
    const offsets = lengths.map((length) => memory.allocate(8 * length));
    const [mean, variance, inducing, g, target, kept, ...slopes] = offsets as [
      ...[number, number, number, number, number, number],
      ...number[],
    ];
    for (const [k, offset] of [mean, variance, inducing, g].entries()) {
      memory.float64(offset, lengths[k]!).set(normals(lengths[k]!, k + 1).map(Math.abs));
    }
    const points = { n, m, q, mean, variance, inducing, lengthscales: Float64Array.of(0.7, 1.4) };
    const into = { mean: slopes[0]!, variance: slopes[1]!, inducing: slopes[2]! };
    const gradient = (place?: Kept) => {
      const shared = operations.expectedRbfProductsGradient(points, { sums: 1 }, g, into, place);
      return [shared, ...slopes.map((offset, k) => memory.float64(offset, lengths[6 + k]!).slice())];
    };
    // Of all points, of those of the first block, and of those of the second in part.
    for (const keptPoints of [n, 600, 1050]) {
      memory.float64(kept, n * T).fill(Number.NaN);
      const some = { points: keptPoints, offset: kept };
      operations.expectedRbfProducts(points, { sums: 1 }, target, some);
      expect(gradient(some)).toEqual(gradient());
    }
    expect(T).toBe(6 * 16);
    // What is kept is what the gradient takes.
    memory.float64(kept, n * T).fill(0);
    expect(gradient({ points: n, offset: kept })[1]).toEqual(new Float64Array(n * q).fill(-0));
    offsets.forEach((offset, k) => {
      memory.release(offset, 8 * lengths[k]!);
    });
  });
});

describe('a team', () => {
  it('keeps offsets and contents when the memory moves, detaches old views, and lets the memory grow', async () => {
    const memory = spoiledMemory();
    const engine = wasmEngine(memory);
    const offset = memory.allocate(8 * 4);
    memory.float64(offset, 4).set([4, 0, 2, 10]);
    const view = memory.float64(offset, 4);
    const team = await startTeam(memory, 2);
    expect(view.length).toBe(0);
    expect(Array.from(memory.float64(offset, 4))).toEqual([4, 0, 2, 10]);
    expect(memory.float64(offset, 4).slice().buffer).toBeInstanceOf(ArrayBuffer);
    const before = memory.reservedBytes;
    const large = memory.allocate(2 * before);
    expect(memory.reservedBytes).toBeGreaterThan(2 * before);
    const n = 300;
    memory.float64(large, n * n).set(definite(n, 1));
    // By then the threads must see what the memory has grown to.
    team.run(() => {
      expect(engine.cholesky(2, offset)).toBe(-1);
      expect(engine.cholesky(n, large)).toBe(-1);
    });
    expect(Array.from(memory.float64(offset, 4))).toEqual([2, 0, 1, 3]);
    await team.dispose();
    expect(memory.isShared).toBe(false);
    expect(Array.from(memory.float64(offset, 4))).toEqual([2, 0, 1, 3]);
    expect(engine.cholesky(1, offset)).toBe(-1);
    expect(memory.float64(offset, 1)[0]).toBe(Math.sqrt(2));
  });

  it('gives everything back when it is disposed, and is the calling thread alone then', async () => {
    const memory = spoiledMemory();
    const engine = wasmEngine(memory);
    const n = 200;
    const [a, c] = [memory.allocate(8 * n * n), memory.allocate(8 * n * n)];
    memory.float64(a, n * n).set(normals(n * n, 1));
    const multiply = () => {
      engine.gemm(n, n, n, 1, rows(a, n), columns(a, n), 0, rows(c, n));
      return memory.float64(c, n * n).slice();
    };
    const alone = multiply();
    const live = memory.liveBytes;
    const [first, second] = [await startTeam(memory, 2), await startTeam(memory, 2)];
    // One in the other: the inner one leads, then the outer one again.
    first.run(() => {
      expect(second.run(multiply)).toEqual(alone);
      expect(multiply()).toEqual(alone);
    });
    expect(() =>
      first.run(() => {
        throw new RangeError('mine');
      }),
    ).toThrow('mine');
    await first.dispose();
    expect(memory.isShared).toBe(true);
    expect(second.run(multiply)).toEqual(alone);
    await Promise.all([first.dispose(), second.dispose()]);
    expect(memory.isShared).toBe(false);
    expect(memory.liveBytes).toBe(live);
    expect([first.count, first.reason]).toEqual([1, 'The threads have been disposed.']);
    expect(first.run(multiply)).toEqual(alone);
    expect(multiply()).toEqual(alone);
  });

  it('is woken by operations of a million multiplications or more; a triangle has half as many', async () => {
    const { memory, team, word } = await watchedTeam();
    const engine = wasmEngine(memory);
    const n = 340;
    const [a, b, c] = [0, 1, 2].map(() => memory.allocate(8 * n * n)) as [number, number, number];
    const tasks = (work: () => void) => {
      for (const offset of [a, b, c]) memory.float64(offset, n * n).fill(0.5);
      for (let i = 0; i < n; i++) memory.float64(a, n * n)[i * n + i] = n;
      const before = Atomics.load(word(ROUND), 0);
      team.run(work);
      return Atomics.load(word(ROUND), 0) - before;
    };
    const product = (m: number) => () => engine.gemm(m, m, m, 1, rows(a, m), rows(b, m), 0, rows(c, m));
    const symmetric = (m: number) => () => engine.syrk(m, m, 1, rows(a, m), 0, c);
    const solve = (m: number) => () => engine.triangularSolve(240, m, a, b, false);
    for (const [work, count] of [
      [product(99), 0],
      [product(101), 1],
      [symmetric(125), 0],
      [symmetric(127), 1],
      [solve(34), 0],
      [solve(36), 1],
      // Its halves, but not theirs: the solution and the product of order 170.
      [() => engine.cholesky(n, a), 2],
    ] as const) {
      expect(tasks(work)).toBe(count);
    }
    // An entry costs three: those of order 500 are too few.
    const large = memory.allocate(8 * 600 * 600);
    memory.float64(large, 600 * 600).fill(1);
    expect([500, 600].map((order) => tasks(() => engine.mirrorLower(order, large)))).toEqual([0, 1]);
    await team.dispose();
  });

  it('reports, typed, when one of its threads fails', async () => {
    const { memory, team, word } = await watchedTeam();
    const engine = wasmEngine(memory);
    const n = 200;
    const a = memory.allocate(8 * n * n);
    // A task of one part, to be performed by a function that is not in the table: the thread that takes it traps.
    Atomics.store(word(TASK), 0, 0x7fffffff);
    Atomics.store(word(TASK + 4), 0, 1);
    Atomics.store(word(OPEN), 0, 1);
    Atomics.add(word(ROUND), 0, 1);
    Atomics.notify(word(ROUND), 0);
    await vi.waitFor(() => expect(Atomics.load(word(FAILED), 0)).toBe(1));
    await vi.waitFor(() => expect(Atomics.load(word(JOINED), 0)).toBe(0));
    const attempt = () => team.run(() => engine.gemm(n, n, n, 1, rows(a, n), rows(a, n), 0, rows(a, n)));
    expect(attempt).toThrow(expect.objectContaining({ name: 'LatentFieldError' }));
    expect(attempt).toThrow(/thread of the WebAssembly engine failed/);
    await team.dispose();
  });

  it('is the calling thread alone where memory cannot be shared, and gives the reason', async () => {
    const memory = spoiledMemory();
    vi.stubGlobal('SharedArrayBuffer', undefined);
    try {
      const team = await startTeam(memory, 2);
      expect(team.count).toBe(1);
      expect(team.reason).toMatch(/cross-origin isolated.*Cross-Origin-Opener-Policy/);
      expect(team.run(() => 7)).toBe(7);
      await team.dispose();
      expect(memory.isShared).toBe(false);
    } finally {
      vi.unstubAllGlobals();
    }
    expect(await startTeam(memory, 1)).toMatchObject({ count: 1, reason: undefined });
    expect(memory.isShared).toBe(false);
  });

  it('is the calling thread alone where the memory cannot be reserved', async () => {
    const memory = spoiledMemory();
    const Memory = refusing(new RangeError('could not allocate memory'));
    const team = await withWebAssembly({ Memory }, () => startTeam(memory, 2));
    expect([team.count, team.reason]).toEqual([
      1,
      'The memory cannot be shared among threads: could not allocate memory.',
    ]);
    expect(memory.isShared).toBe(false);
  });

  it('leaves memory and kernels as they were where the kernels cannot be put on shared memory', async () => {
    const memory = spoiledMemory();
    const engine = wasmEngine(memory);
    const offset = smallMatrix(memory);
    const Instance = refusing(new WebAssembly.LinkError('no room for an instance'));
    const team = await withWebAssembly({ Instance }, () => startTeam(memory, 2));
    expect([team.count, team.reason]).toEqual([
      1,
      'The memory cannot be shared among threads: no room for an instance.',
    ]);
    expect(memory.isShared).toBe(false);
    expectFactor(memory, engine, offset);
    await expectAnotherTeam(memory);
  });

  it('leaves the memory shared, and working, where it cannot be had back', async () => {
    const memory = spoiledMemory();
    const engine = wasmEngine(memory);
    const team = await startTeam(memory, 2);
    const Instance = refusing(new WebAssembly.LinkError('no room for an instance'));
    await withWebAssembly({ Instance }, () => team.dispose());
    expect(memory.isShared).toBe(true);
    expectFactor(memory, engine, smallMatrix(memory));
    await expectAnotherTeam(memory);
  });

  it('is the calling thread alone where the memory is full, and gives back what it shared', async () => {
    const memory = spoiledMemory();
    const { allocate } = memory;
    memory.allocate = () => {
      throw new NumericalError('The float64 backend is out of memory: much was requested.');
    };
    const team = await startTeam(memory, 2);
    memory.allocate = allocate;
    expect([team.count, team.reason]).toEqual([
      1,
      'There is no memory for the block that threads share: The float64 backend is out of memory: much was requested.',
    ]);
    expect(memory.isShared).toBe(false);
    const other = await startTeam(memory, 2);
    expect(other.count).toBe(2);
    await other.dispose();
    expect([memory.isShared, memory.liveBytes]).toEqual([false, 0]);
  });

  it('is the calling thread alone where the threaded kernels cannot be compiled, and reports that', async () => {
    vi.resetModules();
    const anew = await import('../../../src/engine/wasm/team.ts');
    const memory = spoiledMemory();
    const compile = () => Promise.reject(new WebAssembly.CompileError('atomics are not supported'));
    const team = await withWebAssembly({ compile }, () => anew.startTeam(memory, 2));
    expect([team.count, team.reason]).toEqual([
      1,
      'The kernels that threads run could not be loaded: atomics are not supported.',
    ]);
    expect([memory.isShared, memory.liveBytes]).toEqual([false, 0]);
  });
});

/** A constructor that only throws. */
function refusing(error: Error) {
  return class {
    constructor() {
      throw error;
    }
  };
}

/** Runs `work` where some of WebAssembly is something else. */
async function withWebAssembly<T>(parts: object, work: () => Promise<T>): Promise<T> {
  const all = Object.getOwnPropertyNames(WebAssembly).map((name) => [name, Reflect.get(WebAssembly, name)]);
  vi.stubGlobal('WebAssembly', { ...Object.fromEntries(all), ...parts });
  try {
    return await work();
  } finally {
    vi.unstubAllGlobals();
  }
}
