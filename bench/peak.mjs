import asc from 'assemblyscript/asc';

/**
 * Eight sums of products from the first-level cache: what a micro-kernel could do if packing, edges and the other caches cost
 * nothing. Multiplication and addition are separate, because WebAssembly's rounding is.
 */
const SOURCE = `
export function run(a: usize, b: usize, depth: i32): f64 {
  let c0 = f64x2.splat(0), c1 = c0, c2 = c0, c3 = c0, c4 = c0, c5 = c0, c6 = c0, c7 = c0;
  do {
    const b0 = v128.load(b), b1 = v128.load(b, 16);
    let x = v128.load_splat<f64>(a);
    c0 = f64x2.add(c0, f64x2.mul(x, b0)); c1 = f64x2.add(c1, f64x2.mul(x, b1));
    x = v128.load_splat<f64>(a, 8);
    c2 = f64x2.add(c2, f64x2.mul(x, b0)); c3 = f64x2.add(c3, f64x2.mul(x, b1));
    x = v128.load_splat<f64>(a, 16);
    c4 = f64x2.add(c4, f64x2.mul(x, b0)); c5 = f64x2.add(c5, f64x2.mul(x, b1));
    x = v128.load_splat<f64>(a, 24);
    c6 = f64x2.add(c6, f64x2.mul(x, b0)); c7 = f64x2.add(c7, f64x2.mul(x, b1));
    a += 32; b += 32;
  } while (--depth);
  const s = f64x2.add(f64x2.add(f64x2.add(c0, c1), f64x2.add(c2, c3)), f64x2.add(f64x2.add(c4, c5), f64x2.add(c6, c7)));
  return f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1);
}`;

const DEPTH = 512;

/** GFLOP/s that one thread reaches with multiplications and additions of 128-bit vectors, fastest of many runs. */
export async function peakRate() {
  let binary;
  const options = [
    'peak.ts',
    '--outFile',
    'peak.wasm',
    '-O3',
    '--noAssert',
    '--runtime',
    'stub',
    '--enable',
    'simd',
    '--initialMemory',
    '1',
  ];
  const { error, stderr } = await asc.main(options, {
    readFile: (name) => (name === 'peak.ts' ? SOURCE : null),
    writeFile: (name, contents) => {
      if (name === 'peak.wasm') binary = contents;
    },
    listFiles: () => [],
  });
  if (error) throw new Error(`${error.message}\n${stderr.toString()}`);
  const { instance } = await WebAssembly.instantiate(binary, {});
  const { run } = instance.exports;
  let rate = 0;
  for (let round = 0; round < 100; round++) {
    const start = performance.now();
    for (let i = 0; i < 200; i++) run(2048, 2048 + 32 * DEPTH, DEPTH);
    rate = Math.max(rate, (200 * DEPTH * 32) / (performance.now() - start) / 1e6);
  }
  return rate;
}
