import seedrandom from 'seedrandom/seedrandom.js';
import { log } from './elementary/index.ts';
import { checkGiven } from './options.ts';

/** A stream of random numbers that its seed determines. */
export interface Random {
  /** Uniform on [0, 1), 53 bits. */
  uniform(): number;
  /** Standard normal. */
  normal(): number;
  /** Uniform integer in 0 … below − 1. */
  integer(below: number): number;
}

/**
 * A stream of random numbers determined by its seed, the same on every machine. The library has no other source of randomness.
 *
 * @param seed - any integer
 * @example
 * ```ts
 * const random = seededRandom(1);
 * random.normal();
 * ```
 */
export function seededRandom(seed: number): Random {
  checkGiven(seed, 'seededRandom', 'a whole number as its seed', Number.isInteger);
  const next = seedrandom(keyOf(seed));
  let spare: number | undefined;
  const uniform = () => next();
  return {
    uniform,
    integer: (below) => Math.floor(uniform() * below),
    // Marsaglia's polar method: two normal variates from a point in the unit disc.
    normal() {
      if (spare !== undefined) {
        const kept = spare;
        spare = undefined;
        return kept;
      }
      for (;;) {
        const u = 2 * uniform() - 1;
        const v = 2 * uniform() - 1;
        const s = u * u + v * v;
        if (s > 0 && s < 1) {
          const radius = Math.sqrt((-2 * log(s)) / s);
          spare = v * radius;
          return u * radius;
        }
      }
    },
  };
}

/** 0 … N − 1 in a random order, by Fisher and Yates. */
export function shuffled(N: number, random: Random): Int32Array {
  const order = Int32Array.from({ length: N }, (_, i) => i);
  for (let i = N - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}

/**
 * The key of a seed. seedrandom repeats a key to a fixed width, so that 1, 11 and 111 would give the same stream: a key that repeats a shorter one
 * gets a suffix.
 */
function keyOf(seed: number): string {
  const key = String(seed);
  return `${key}${key}`.indexOf(key, 1) < key.length ? `${key}.` : key;
}
