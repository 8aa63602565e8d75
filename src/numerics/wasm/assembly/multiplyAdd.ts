/**
 * x·y + z. In the build with fused multiply-add it is rounded once where the processor can, otherwise twice, as in the other build. The
 * sum stands on the right of the product, so that both builds differ in two instructions of the same length. @inline
 */
export function multiplyAdd(x: v128, y: v128, z: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f64x2.relaxed_madd(x, y, z);
  return f64x2.add(f64x2.mul(x, y), z);
}

/** The same in single precision. @inline */
export function multiplyAddSingle(x: v128, y: v128, z: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(x, y, z);
  return f32x4.add(f32x4.mul(x, y), z);
}
