import { cos, sin } from '../../core/elementary/index.ts';

/**
 * Convolutions of a square grid with an even function of the distance between nodes, by fast Fourier transforms on a grid twice as wide, so that
 * nothing wraps around.
 */
export interface GridConvolution {
  /** Number of nodes per side, n. */
  readonly nodes: number;
  /** Values to convolve, n×n, replaced by the result. */
  readonly field: Float64Array;
  /**
   * Sets the function.
   *
   * @param kernel - its values at offsets of (i, j) nodes, (n + 1)×(n + 1) row by row
   * @param filter - divisor of its spectrum, one factor for each frequency of a dimension, n + 1 entries
   */
  prepare(kernel: Float64Array, filter: Float64Array): void;
  /** Convolves the field. */
  apply(): void;
}

/** @param nodes - a power of two from 4 */
export function gridConvolution(nodes: number): GridConvolution {
  const n = nodes;
  const size = 2 * n;
  const transform = fourierTransform(size);
  const { re, im } = transform;
  /** (n + 1)×(n + 1): the spectrum of an even function is real and even. */
  const spectrum = new Float64Array((n + 1) * (n + 1));
  const field = new Float64Array(n * n);
  /** The half spectra of rows, column by column; their distances are not powers of two, which would map them to the same cache lines. */
  const apart = n + 8;
  const realPart = new Float64Array((n + 1) * apart);
  const imaginaryPart = new Float64Array((n + 1) * apart);

  return {
    nodes,
    field,
    prepare(kernel, filter) {
      for (let i = 0; i <= n; i++) evenSpectrum(kernel, i * (n + 1), 1);
      for (let j = 0; j <= n; j++) evenSpectrum(spectrum, j, n + 1);
      // The inverse transforms are not divided by their size.
      for (let i = 0; i <= n; i++) {
        for (let j = 0; j <= n; j++) spectrum[i * (n + 1) + j]! /= filter[i]! * filter[j]! * size * size;
      }
    },
    apply() {
      rowsToSpectra();
      for (let j = 0; j <= n; j++) filterColumn(j);
      spectraToRows();
    },
  };

  /** The real spectrum of n + 1 values of an even sequence, from `source` to the same positions of the spectrum. */
  function evenSpectrum(source: Float64Array, start: number, stride: number): void {
    im.fill(0);
    for (let k = 0; k <= n; k++) re[k] = source[start + k * stride]!;
    for (let k = 1; k < n; k++) re[size - k] = re[k]!;
    transform.forward();
    for (let k = 0; k <= n; k++) spectrum[start + k * stride] = re[k]!;
  }

  /** Transforms two rows at a time, as the real and imaginary part of one. The rows beyond the field are 0. */
  function rowsToSpectra(): void {
    for (let i = 0; i < n; i += 2) {
      for (let j = 0; j < n; j++) {
        re[j] = field[i * n + j]!;
        im[j] = field[(i + 1) * n + j]!;
      }
      re.fill(0, n);
      im.fill(0, n);
      transform.forward();
      for (let k = 0; k <= n; k++) {
        const other = k === 0 ? 0 : size - k;
        const at = k * apart + i;
        realPart[at] = 0.5 * (re[k]! + re[other]!);
        imaginaryPart[at] = 0.5 * (im[k]! - im[other]!);
        realPart[at + 1] = 0.5 * (im[k]! + im[other]!);
        imaginaryPart[at + 1] = 0.5 * (re[other]! - re[k]!);
      }
    }
  }

  function filterColumn(j: number): void {
    const from = j * apart;
    for (let i = 0; i < n; i++) {
      re[i] = realPart[from + i]!;
      im[i] = imaginaryPart[from + i]!;
    }
    re.fill(0, n);
    im.fill(0, n);
    transform.forward();
    for (let i = 0; i < size; i++) {
      const factor = spectrum[(i <= n ? i : size - i) * (n + 1) + j]!;
      // Real and imaginary part change places: a forward transform of that is the inverse one.
      const real = re[i]! * factor;
      re[i] = im[i]! * factor;
      im[i] = real;
    }
    transform.forward();
    for (let i = 0; i < n; i++) {
      realPart[from + i] = im[i]!;
      imaginaryPart[from + i] = re[i]!;
    }
  }

  function spectraToRows(): void {
    for (let i = 0; i < n; i += 2) {
      for (let k = 0; k <= n; k++) {
        const at = k * apart + i;
        const a = realPart[at]!;
        const b = imaginaryPart[at]!;
        const c = realPart[at + 1]!;
        const d = imaginaryPart[at + 1]!;
        // (a + bi) + i·(c + di), with real and imaginary part in each other's place.
        im[k] = a - d;
        re[k] = b + c;
        if (k > 0 && k < n) {
          im[size - k] = a + d;
          re[size - k] = c - b;
        }
      }
      transform.forward();
      for (let j = 0; j < n; j++) {
        field[i * n + j] = im[j]!;
        field[(i + 1) * n + j] = re[j]!;
      }
    }
  }
}

interface FourierTransform {
  /** Data, transformed in place. */
  readonly re: Float64Array;
  readonly im: Float64Array;
  forward(): void;
}

/**
 * Fast Fourier transform of a fixed size in Stockham's form: two radix-2 steps at a time.
 *
 * @param size - a power of two from 8
 */
function fourierTransform(size: number): FourierTransform {
  const cosines = Float64Array.from({ length: size }, (_, k) => cos((2 * Math.PI * k) / size));
  const sines = Float64Array.from({ length: size }, (_, k) => -sin((2 * Math.PI * k) / size));
  const re = new Float64Array(size);
  const im = new Float64Array(size);
  const spareRe = new Float64Array(size);
  const spareIm = new Float64Array(size);
  return {
    re,
    im,
    forward() {
      let [fromRe, fromIm, toRe, toIm] = [re, im, spareRe, spareIm];
      let length = size;
      let stride = 1;
      while (length >= 4) {
        fourfold(fromRe, fromIm, toRe, toIm, cosines, sines, length, stride);
        [fromRe, fromIm, toRe, toIm] = [toRe, toIm, fromRe, fromIm];
        length >>= 2;
        stride <<= 2;
      }
      if (length === 2) {
        twofold(fromRe, fromIm, toRe, toIm, stride);
        [fromRe, fromIm] = [toRe, toIm];
      }
      if (fromRe === re) return;
      re.set(fromRe);
      im.set(fromIm);
    },
  };
}

/** One radix-4 step on sequences of `length` entries, `stride` of them interleaved. */
function fourfold(
  xRe: Float64Array,
  xIm: Float64Array,
  yRe: Float64Array,
  yIm: Float64Array,
  cosines: Float64Array,
  sines: Float64Array,
  length: number,
  stride: number,
): void {
  const quarter = length >> 2;
  const apart = quarter * stride;
  for (let p = 0; p < quarter; p++) {
    const t = p * stride;
    const w1r = cosines[t]!;
    const w1i = sines[t]!;
    const w2r = cosines[2 * t]!;
    const w2i = sines[2 * t]!;
    const w3r = cosines[3 * t]!;
    const w3i = sines[3 * t]!;
    let to = 4 * p * stride;
    for (let at = p * stride; at < (p + 1) * stride; at++, to++) {
      const ar = xRe[at]!;
      const ai = xIm[at]!;
      const br = xRe[at + apart]!;
      const bi = xIm[at + apart]!;
      const cr = xRe[at + 2 * apart]!;
      const ci = xIm[at + 2 * apart]!;
      const dr = xRe[at + 3 * apart]!;
      const di = xIm[at + 3 * apart]!;
      const sumR = ar + cr;
      const sumI = ai + ci;
      const lessR = ar - cr;
      const lessI = ai - ci;
      const otherR = br + dr;
      const otherI = bi + di;
      const turnR = bi - di;
      const turnI = dr - br;
      yRe[to] = sumR + otherR;
      yIm[to] = sumI + otherI;
      const pr = lessR + turnR;
      const pi = lessI + turnI;
      yRe[to + stride] = w1r * pr - w1i * pi;
      yIm[to + stride] = w1r * pi + w1i * pr;
      const qr = sumR - otherR;
      const qi = sumI - otherI;
      yRe[to + 2 * stride] = w2r * qr - w2i * qi;
      yIm[to + 2 * stride] = w2r * qi + w2i * qr;
      const rr = lessR - turnR;
      const ri = lessI - turnI;
      yRe[to + 3 * stride] = w3r * rr - w3i * ri;
      yIm[to + 3 * stride] = w3r * ri + w3i * rr;
    }
  }
}

/** The last step if the size is not a power of four. */
function twofold(xRe: Float64Array, xIm: Float64Array, yRe: Float64Array, yIm: Float64Array, stride: number): void {
  for (let at = 0; at < stride; at++) {
    yRe[at] = xRe[at]! + xRe[at + stride]!;
    yIm[at] = xIm[at]! + xIm[at + stride]!;
    yRe[at + stride] = xRe[at]! - xRe[at + stride]!;
    yIm[at + stride] = xIm[at]! - xIm[at + stride]!;
  }
}
