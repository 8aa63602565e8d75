import { describe, expect, it } from 'vitest';
import { pipeFlow } from '../../../src/app/data/index.ts';
import { nearestNeighborError } from '../../../src/inference/scores/neighborScores.ts';

const water = [0.376, 0.206];
const oil = [0.23, 0.167];
const gas = [0.013, 0.01];
const radius = 5;
const [vertical, horizontal] = [
  [0, 0.4, 0.8],
  [-0.5, 0, 0.5],
];

/** Lengths of water, oil and gas along a ray, by stepping along it and asking at each point what flows there. */
function steppedLengths(label: string, [w, o, g]: number[], direction: string, offset: number): number[] {
  const half = Math.sqrt(1 - offset ** 2);
  const steps = 20_000;
  const lengths = [0, 0, 0];
  const areaBelow = (y: number) => 0.5 + (y * Math.sqrt(1 - y * y) + Math.asin(y)) / Math.PI;
  for (let s = 0; s < steps; s++) {
    const along = half * (((s + 0.5) / steps) * 2 - 1);
    const [x, y] = direction === 'vertical' ? [offset, along] : [along, offset];
    const step = (2 * half) / steps;
    if (label === 'homogeneous') {
      [w!, o!, g!].forEach((fraction, m) => {
        lengths[m]! += fraction * step;
      });
    } else {
      // Stratified fills the circle from below with water, then oil; annular fills it from the axis with gas, then oil.
      const area = label === 'stratified' ? areaBelow(y) : 1 - (x ** 2 + y ** 2);
      lengths[area < w! ? 0 : area < w! + o! ? 1 : 2]! += step;
    }
  }
  return lengths.map((length) => length * radius);
}

describe('pipeFlow', () => {
  it('gives the attenuation of the described beams', () => {
    const { observations, fractions, labels, labelNames } = pipeFlow({ points: 30, seed: 3, noise: 0 });
    expect(new Set(labels).size).toBe(3);
    labels.forEach((label, n) => {
      const rays = [
        ...vertical!.map((c) => ['vertical', c] as const),
        ...horizontal!.map((c) => ['horizontal', c] as const),
      ];
      rays.forEach(([direction, offset], beam) => {
        const [lw, lo, lg] = steppedLengths(labelNames[label]!, Array.from(fractions.row(n)), direction, offset);
        for (const energy of [0, 1]) {
          const expected = water[energy]! * lw! + oil[energy]! * lo! + gas[energy]! * lg!;
          // A step is 5e-4 cm long, and a ray crosses at most four boundaries.
          expect(Math.abs(observations.at(n, beam + 6 * energy) - expected)).toBeLessThan(4e-4);
        }
      });
    });
  });

  it('has noise of the stated size', () => {
    const noise = 0.01;
    // A first point is drawn before any noise, so that many seeds give many independent noises around a known value.
    let sum = 0;
    const seeds = 400;
    for (let seed = 0; seed < seeds; seed++) {
      const exact = pipeFlow({ points: 1, seed, noise: 0 }).observations.data;
      const noisy = pipeFlow({ points: 1, seed, noise }).observations.data;
      exact.forEach((a, j) => {
        sum += ((noisy[j]! - a) / (noise * Math.exp(a / 2))) ** 2;
      });
    }
    // The mean of 4800 squared standard normals has standard deviation √(2/4800) = 0.02.
    expect(Math.abs(sum / (seeds * 12) - 1)).toBeLessThan(0.08);
  });

  it('draws fractions from the simplex', () => {
    const { fractions } = pipeFlow({ points: 2000 });
    expect(fractions.data.every((fraction) => fraction >= 0 && fraction <= 1)).toBe(true);
    for (const row of fractions.toArrays()) expect(row[0]! + row[1]! + row[2]!).toBeCloseTo(1, 14);
    // Uniform on the simplex: each mean is 1/3, with standard deviation √(1/18/2000) = 0.005.
    for (const phase of [0, 1, 2]) {
      const mean = fractions.column(phase).reduce((sum, fraction) => sum + fraction / 2000, 0);
      expect(Math.abs(mean - 1 / 3)).toBeLessThan(0.02);
    }
  });

  it('is a function of its seed', () => {
    const first = pipeFlow({ points: 20, seed: 5 });
    expect(pipeFlow({ points: 20, seed: 5 })).toEqual(first);
    expect(pipeFlow({ points: 20, seed: 6 }).observations).not.toEqual(first.observations);
    expect(pipeFlow({ points: 40, seed: 5 }).observations.data.slice(0, 240)).toEqual(first.observations.data);
  });

  it('separates its three configurations in twelve dimensions by default', () => {
    const { observations, labels, labelNames, columnNames } = pipeFlow();
    expect([observations.rows, observations.columns]).toEqual([300, 12]);
    expect(columnNames).toHaveLength(12);
    expect(labelNames).toEqual(['stratified', 'homogeneous', 'annular']);
    expect([0, 1, 2].map((label) => labels.filter((l) => l === label).length)).toEqual([115, 93, 92]);
    expect(nearestNeighborError(observations, labels)).toBe(2 / 300);
  });

  it('explains invalid input', () => {
    expect(() => pipeFlow({ points: 0 })).toThrow('a whole number from 1, but 0 was given');
    expect(() => pipeFlow({ noise: -1 })).toThrow('a number from 0, but -1 was given');
  });
});
