import { readFileSync } from 'node:fs';
import asc from 'assemblyscript/asc';

const MICRO_KERNEL = new URL('../src/numerics/wasm/assembly/microKernel.ts', import.meta.url);

/** Twelve independent chains of multiplications and additions, which WebAssembly rounds apart, without any memory. */
const CHAINS = `
export { multiplyTile } from './microKernel';
export function chains(length: i32, factor: f64, term: f64): f64 {
  const x = f64x2.splat(factor), y = f64x2.splat(term);
  ${Array.from({ length: 12 }, (_, i) => `let c${i} = f64x2.splat(${i});`).join(' ')}
  do {
    ${Array.from({ length: 12 }, (_, i) => `c${i} = f64x2.add(y, f64x2.mul(x, c${i}));`).join(' ')}
  } while (--length);
  return ${Array.from({ length: 12 }, (_, i) => `f64x2.extract_lane(c${i}, 0)`).join(' + ')};
}`;

const DEPTH = 256;
const FLAGS = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--initialMemory', '1'];

/**
 * GFLOP/s that one thread reaches with multiplications and additions of 128-bit vectors: the faster of chains in registers and
 * the engine's micro-kernel on slivers in the first-level cache, where packing, edges and memory cost nothing.
 */
export async function peakRate() {
  let binary;
  const { error, stderr } = await asc.main(['peak.ts', '--outFile', 'peak.wasm', ...FLAGS], {
    readFile: (name) =>
      name === 'peak.ts' ? CHAINS : name === 'microKernel.ts' ? readFileSync(MICRO_KERNEL, 'utf8') : null,
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
  return Math.max(
    rate(400 * DEPTH * 32, tiles),
    rate(100_000 * 48, () => chains(100_000, 0.999, 0.1)),
  );
}

function rate(flops, run) {
  let least = Infinity;
  for (let round = 0; round < 200; round++) {
    const start = performance.now();
    run();
    least = Math.min(least, performance.now() - start);
  }
  return flops / least / 1e6;
}
