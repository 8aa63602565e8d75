import { readFileSync } from 'node:fs';
import asc from 'assemblyscript/asc';

const KERNELS = new URL('../src/engine/wasm/assembly/', import.meta.url);
const OURS = ['microKernel.ts', 'vectors.ts'];

/** Twelve independent chains of multiplications and additions without any memory. */
const CHAINS = `
import { multiplyAdd } from './vectors';
export { multiplyTile } from './microKernel';
export function chains(length: i32, factor: f64, term: f64): f64 {
  const x = f64x2.splat(factor), y = f64x2.splat(term);
  ${Array.from({ length: 12 }, (_, i) => `let c${i} = f64x2.splat(${i});`).join(' ')}
  do {
    ${Array.from({ length: 12 }, (_, i) => `c${i} = multiplyAdd(x, c${i}, y);`).join(' ')}
  } while (--length);
  return ${Array.from({ length: 12 }, (_, i) => `f64x2.extract_lane(c${i}, 0)`).join(' + ')};
}`;

const DEPTH = 256;
const FLAGS = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--initialMemory', '1'];

/**
 * Multiplications and additions of 128-bit vectors on one thread, as chains in registers and as the engine's micro-kernel on slivers in the
 * first-level cache, where packing, edges and memory cost nothing.
 *
 * @returns work as `run`, of as many `flops`
 */
export async function peakWork() {
  let binary;
  const { error, stderr } = await asc.main(['peak.ts', '--outFile', 'peak.wasm', ...FLAGS], {
    readFile: (name) =>
      name === 'peak.ts' ? CHAINS : OURS.includes(name) ? readFileSync(new URL(name, KERNELS), 'utf8') : null,
    writeFile: (name, contents) => {
      if (name === 'peak.wasm') binary = contents;
    },
    listFiles: () => [],
  });
  if (error) throw new Error(`${error.message}\n${stderr.toString()}`);
  const { instance } = await WebAssembly.instantiate(binary, {});
  const { chains, multiplyTile } = instance.exports;
  const tiles = () => {
    for (let i = 0; i < 400; i++) multiplyTile(DEPTH, 2048, 16384, 1024, 32, 0);
  };
  return [
    { flops: 400 * DEPTH * 32, run: tiles },
    { flops: 100_000 * 48, run: () => chains(100_000, 0.999, 0.1) },
  ];
}

/** GFLOP/s of the faster of these, in the fastest of 200 runs: to compare with the fastest of several runs. */
export async function peakRate() {
  return Math.max(...(await peakWork()).map(rate));
}

function rate({ flops, run }) {
  let least = Infinity;
  for (let round = 0; round < 200; round++) {
    const start = performance.now();
    run();
    least = Math.min(least, performance.now() - start);
  }
  return flops / least / 1e6;
}
