import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { NumericalError } from '../../../../src/core/errors.ts';
import { seededRandom } from '../../../../src/core/random.ts';
import { Float64Memory } from '../../../../src/engine/memory.ts';
import { doublesOf } from '../../../../src/engine/tensors/doubles.ts';
import { float64Backend, withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import type { Tensor } from '../../../../src/engine/tensors/tensorflow.ts';
import { drawn, tensorOf } from './backends.ts';

const PAGE = 65536;

describe('memory', () => {
  test('counts the bytes in use and their peak', () => {
    const memory = new Float64Memory();
    const first = memory.allocate(80);
    const second = memory.allocate(1000);
    expect([memory.liveBytes, memory.peakBytes, memory.liveBlocks]).toEqual([1080, 1080, 2]);
    memory.release(first, 80);
    expect([memory.liveBytes, memory.peakBytes, memory.liveBlocks]).toEqual([1000, 1080, 1]);
    memory.resetPeak();
    memory.release(second, 1000);
    expect([memory.liveBytes, memory.peakBytes, memory.liveBlocks]).toEqual([0, 1000, 0]);
  });

  test('reuses a freed block for any request of its size class', () => {
    const memory = new Float64Memory();
    const offset = memory.allocate(1000);
    memory.release(offset, 1000);
    expect(memory.allocate(1024)).toBe(offset);
    expect(memory.allocate(1024)).not.toBe(offset);
    const other = memory.allocate(2000);
    memory.release(other, 2000);
    expect(memory.allocate(1000)).not.toBe(other);
  });

  test('joins freed blocks of other sizes where nothing else is left, and leaves those in use as they are', () => {
    const memory = new Float64Memory({ maximumPages: 32 });
    const bytes = 16 * 1024;
    const small = Array.from({ length: 120 }, () => memory.allocate(bytes));
    for (const [i, offset] of small.entries()) memory.float64(offset, bytes / 8).fill(i);
    // All but every 40th.
    const kept = small.filter((_, i) => i % 40 === 39);
    for (const offset of small) if (!kept.includes(offset)) memory.release(offset, bytes);
    const large = [0, 1, 2].map(() => memory.allocate(32 * bytes));
    for (const offset of large) memory.float64(offset, (32 * bytes) / 8).fill(-1);
    for (const [k, offset] of kept.entries()) {
      expect(new Set(memory.float64(offset, bytes / 8))).toEqual(new Set([40 * k + 39]));
    }
    expect(() => memory.allocate(32 * bytes)).toThrow(/out of memory/);
  });

  test('blocks that are taken and freed in any order lie apart when the memory is used up', () => {
    const random = seededRandom(5);
    const memory = new Float64Memory({ maximumPages: 24 });
    let held: { offset: number; bytes: number }[] = [];
    let refused = 0;
    for (let step = 0; step < 3000; step++) {
      const bytes = 8 * (1 + Math.floor(2 ** (15 * random.uniform())));
      try {
        held.push({ offset: memory.allocate(bytes), bytes });
      } catch {
        refused++;
        held = held.filter(({ offset, bytes: own }) => {
          if (random.uniform() < 0.5) return true;
          memory.release(offset, own);
          return false;
        });
      }
      if (step % 50 > 0) continue;
      const sorted = [...held].sort((a, b) => a.offset - b.offset);
      sorted.slice(1).forEach(({ offset }, i) => {
        expect(offset).toBeGreaterThanOrEqual(sorted[i]!.offset + sorted[i]!.bytes);
        expect(offset % 16).toBe(0);
      });
      expect(sorted.at(-1)!.offset + sorted.at(-1)!.bytes).toBeLessThanOrEqual(24 * PAGE);
    }
    expect(refused).toBeGreaterThan(10);
    expect(memory.liveBytes).toBe(held.reduce((sum, { bytes }) => sum + bytes, 0));
  });

  test('blocks of every size are aligned, big enough and apart', () => {
    const memory = new Float64Memory();
    const sizes = Array.from({ length: 400 }, (_, i) => 1 + Math.floor(1.03 ** i));
    const blocks = sizes
      .map((bytes) => ({ bytes, offset: memory.allocate(bytes) }))
      .sort((a, b) => a.offset - b.offset);
    blocks.forEach(({ offset, bytes }, i) => {
      expect(offset % 16).toBe(0);
      const next = blocks[i + 1]?.offset ?? memory.reservedBytes;
      expect(next - offset).toBeGreaterThanOrEqual(bytes);
      // At most a quarter of a block is unused.
      if (i + 1 < blocks.length) expect(next - offset).toBeLessThanOrEqual(Math.max(64, 1.25 * bytes + 16));
    });
  });

  test('grows with the numbers kept, and reports when it may not', () => {
    const memory = new Float64Memory({ maximumPages: 32 });
    const offset = memory.allocate(800);
    memory.float64(offset, 100).fill(7);
    const reserved = memory.reservedBytes;
    const large = memory.allocate(reserved);
    expect(memory.reservedBytes).toBeGreaterThan(reserved);
    expect(memory.float64(offset, 100)).toEqual(new Float64Array(100).fill(7));
    expect(() => memory.allocate(32 * PAGE)).toThrow(NumericalError);
    expect(() => memory.allocate(32 * PAGE)).toThrow(
      /2\.0 MiB were requested, 1\.0 MiB are in use in 2 blocks, and .* of at most 2\.0 MiB/,
    );
    memory.release(large, reserved);
    expect(memory.allocate(reserved)).toBe(large);
  });

  test('moves the blocks in use, and copies none of the freed ones', () => {
    const memory = new Float64Memory();
    const blocks = [10, 300, 40_000, 10, 300, 9, 40_000, 1200].map((length, i) => {
      const offset = memory.allocate(8 * length);
      memory.float64(offset, length).fill(i + 1);
      return { offset, length, value: i + 1, isUsed: i % 3 !== 1 };
    });
    for (const { offset, length, isUsed } of blocks) if (!isUsed) memory.release(offset, 8 * length);
    for (const shared of [true, false]) {
      memory.move(shared, ({ buffer }) => {
        for (const { offset, length, value, isUsed } of blocks) {
          const copied = new Float64Array(buffer, offset, length);
          expect(copied.every((entry) => entry === (isUsed ? value : 0))).toBe(true);
        }
      });
    }
    for (const { offset, length, isUsed } of blocks) if (isUsed) memory.release(offset, 8 * length);
    memory.move(true, ({ buffer }) => expect(new Float64Array(buffer).every((entry) => entry === 0)).toBe(true));
  });

  test('a refused request leaves the counters alone', () => {
    const memory = new Float64Memory({ maximumPages: 16 });
    expect(() => memory.allocate(17 * PAGE)).toThrow(NumericalError);
    expect([memory.liveBytes, memory.liveBlocks]).toEqual([0, 0]);
  });

  test('a block is returned even when the work on it fails', () => {
    const memory = new Float64Memory();
    expect(memory.withBlock(64, (offset) => offset)).toBeGreaterThan(0);
    expect(() =>
      memory.withBlock(64, () => {
        throw new RangeError('inside');
      }),
    ).toThrow(RangeError);
    expect(memory.liveBlocks).toBe(0);
  });
});

describe('backend', () => {
  const live = () => float64Backend().memory64.liveBytes;

  test('counts eight bytes a float, four an integer, one a truth value', () => {
    const before = live();
    withFloat64((backend) => {
      tf.zeros([10, 10]);
      expect(live() - before).toBe(800);
      tf.zeros([10], 'int32');
      tf.zeros([10], 'bool');
      expect(live() - before).toBe(850);
      expect(backend.memory().numBytesFloat64).toBe(live());
    });
    expect(live()).toBe(before);
  });

  test('shares storage between shapes until the last of them is disposed', () => {
    withFloat64((backend) => {
      const before = live();
      const x = tensorOf(drawn([4, 3]));
      const views = [tf.reshape(x, [12]), tf.clone(x), tf.expandDims(x, 0)];
      expect(live() - before).toBe(96);
      expect(backend.refCount(x.dataId)).toBe(4);
      x.dispose();
      for (const view of views) expect([...doublesOf(view)]).toEqual(drawn([4, 3]).values);
      for (const view of views) view.dispose();
      expect(live()).toBe(before);
      expect(backend.refCount(x.dataId)).toBe(0);
    });
  });

  test('numbers survive the growth of the memory', () => {
    withFloat64((backend) => {
      const numbers = drawn([50]);
      const x = tensorOf(numbers);
      const reserved = backend.memory64.reservedBytes;
      while (backend.memory64.reservedBytes === reserved) tf.ones([256, 1024]);
      expect([...doublesOf(x)]).toEqual(numbers.values);
      expect([...doublesOf(tf.add(x, 1))]).toEqual(numbers.values.map((v) => v + 1));
    });
  });

  test('what dataSync hands out is a copy', () => {
    withFloat64(() => {
      const x = tensorOf(drawn([3]));
      x.dataSync().fill(9);
      expect([...doublesOf(x)]).toEqual(drawn([3]).values);
    });
  });

  test('a kernel that fails half-way gives back what it took', () => {
    withFloat64(() => {
      const x = tensorOf(drawn([3]));
      const before = live();
      expect(() => tf.gather(x, [5])).toThrow('Index 5');
      expect(live()).toBe(before);
    });
  });

  test('strings and complex numbers are refused', () => {
    expect(() => withFloat64(() => void tf.tensor(['a']))).toThrow(/not 'string'/);
    expect(() => withFloat64(() => void tf.complex(1, 2))).toThrow();
  });

  test('a thousand rounds of work leave no tensor and no byte', () => {
    const [tensors, bytes] = [tf.memory().numTensors, live()];
    for (let round = 0; round < 1000; round++) {
      withFloat64(() => {
        const x = tensorOf(drawn([5, 3]));
        const y: Tensor = tf.matMul(x, tf.transpose(x));
        tf.sum(tf.exp(tf.concat([y, tf.tile(y, [1, 2])], 1)), [0]);
      });
    }
    expect([tf.memory().numTensors, live()]).toEqual([tensors, bytes]);
  });
});
