/**
 * Offers the pairs of point i with all points j > i to the heaps of both, in single precision: halves_i + (halves_j − products_j). A heap
 * holds `kept` distances and the points at them, the largest on top, which `worst` repeats. Up to `n`, a multiple of four, there may be
 * points that are infinitely far, with a `worst` of −∞.
 */
export function offerPairs(
  i: i32,
  n: i32,
  products: usize,
  halves: usize,
  worst: usize,
  distances: usize,
  points: usize,
  kept: i32,
): void {
  const half = load<f32>(place(halves, i));
  const halfOfAll = f32x4.splat(half);
  let own = load<f32>(place(worst, i));
  let j = (i + 1) & ~3;
  for (let before = j; before <= i; before++) store<f32>(place(products, before), -Infinity);
  for (; j < n; j += 4) {
    const sums = f32x4.add(halfOfAll, f32x4.sub(v128.load(place(halves, j)), v128.load(place(products, j))));
    const isNear = v128.or(f32x4.lt(sums, f32x4.splat(own)), f32x4.lt(sums, v128.load(place(worst, j))));
    for (let near = i32x4.bitmask(isNear); near != 0; near &= near - 1) {
      const other = j + ctz(near);
      const distance = half + (load<f32>(place(halves, other)) - load<f32>(place(products, other)));
      if (distance < own) own = replaceTop(distances, points, i * kept, kept, distance, other);
      if (distance < load<f32>(place(worst, other))) {
        store<f32>(place(worst, other), replaceTop(distances, points, other * kept, kept, distance, i));
      }
    }
  }
  store<f32>(place(worst, i), own);
}

/** Puts an entry in the place of the largest of a heap, and returns which is the largest then. */
function replaceTop(distances: usize, points: usize, start: i32, count: i32, distance: f32, point: i32): f32 {
  const values: usize = place(distances, start);
  const names: usize = place(points, start);
  let top = 0;
  for (let child = 1; child < count; child = 2 * top + 1) {
    if (child + 1 < count && load<f32>(place(values, child + 1)) > load<f32>(place(values, child))) child++;
    if (load<f32>(place(values, child)) <= distance) break;
    store<f32>(place(values, top), load<f32>(place(values, child)));
    store<i32>(place(names, top), load<i32>(place(names, child)));
    top = child;
  }
  store<f32>(place(values, top), distance);
  store<i32>(place(names, top), point);
  return load<f32>(values);
}

/** Where entry i of numbers of four bytes is. @inline */
function place(start: usize, i: i32): usize {
  return start + (i << 2);
}

/**
 * squares_p ← ‖x_i − x_j‖² for the `count` points j of a list, by direct differences of doubles added in the order of the coordinates; up to
 * three numbers more are written, so that four sums always hide the latency of each other's additions.
 */
export function listedSquares(i: i32, columns: i32, x: usize, list: usize, count: i32, squares: usize): void {
  const bytes = columns << 3;
  const own: usize = x + i * bytes;
  for (let p = 0; p < count; p += 4) {
    const x0: usize = x + load<i32>(place(list, p)) * bytes;
    const x1: usize = x + load<i32>(place(list, min(p + 1, count - 1))) * bytes;
    const x2: usize = x + load<i32>(place(list, min(p + 2, count - 1))) * bytes;
    const x3: usize = x + load<i32>(place(list, min(p + 3, count - 1))) * bytes;
    let s0 = 0.0;
    let s1 = 0.0;
    let s2 = 0.0;
    let s3 = 0.0;
    for (let d = 0; d < bytes; d += 8) {
      const value = load<f64>(own + d);
      const d0 = value - load<f64>(x0 + d);
      const d1 = value - load<f64>(x1 + d);
      const d2 = value - load<f64>(x2 + d);
      const d3 = value - load<f64>(x3 + d);
      s0 += d0 * d0;
      s1 += d1 * d1;
      s2 += d2 * d2;
      s3 += d3 * d3;
    }
    store<f64>(squares, s0);
    store<f64>(squares, s1, 8);
    store<f64>(squares, s2, 16);
    store<f64>(squares, s3, 24);
    squares += 32;
  }
}
