export type Lab = readonly [L: number, a: number, b: number];

type Rgb = readonly [number, number, number];

/** Intensities of red, green and blue of a color '#rrggbb' of sRGB. */
const linearOf = (color: string): Rgb =>
  [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)) as [number, number, number];

/** Contrast of two colors, from 1 to 21, by WCAG 2. */
export function contrast(a: string, b: string): number {
  const luminances = [a, b].map((color) => {
    const [red, green, blue] = linearOf(color);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  });
  return Math.max(...luminances) / Math.min(...luminances);
}

const product = (matrix: readonly Rgb[], [x, y, z]: Rgb): Rgb =>
  matrix.map(([a, b, c]) => a * x + b * y + c * z) as [number, number, number];

/** Normal, protan, deutan and tritan sight: matrices of Machado, Oliveira & Fernandes 2009 at severity 1. */
export const SIGHTS: readonly (readonly Rgb[])[] = [
  [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
];

/** OKLab (Ottosson 2020) of a color as some sight sees it. */
export function oklabOf(color: string, sight: readonly Rgb[] = SIGHTS[0]!): Lab {
  const seen = product(sight, linearOf(color)).map((c) => Math.min(1, Math.max(0, c))) as unknown as Rgb;
  const cones = product(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    seen,
  ).map(Math.cbrt) as unknown as Rgb;
  return product(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones,
  );
}

/** CIELAB of a color '#rrggbb' of sRGB, white D65. */
export function labOf(color: string): Lab {
  const [r, g, b] = linearOf(color);
  const f = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const DEGREE = Math.PI / 180;

/** CIEDE2000, by Sharma, Wu & Dalal 2005. */
export function colorDifference([L1, a1, b1]: Lab, [L2, a2, b2]: Lab): number {
  const seventh = (C: number) => Math.sqrt(C ** 7 / (C ** 7 + 25 ** 7));
  const G = 0.5 * (1 - seventh((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2));
  const [A1, A2] = [(1 + G) * a1, (1 + G) * a2];
  const [C1, C2] = [Math.hypot(A1, b1), Math.hypot(A2, b2)];
  const hue = (a: number, b: number) => (a === 0 && b === 0 ? 0 : (Math.atan2(b, a) / DEGREE + 360) % 360);
  const [h1, h2] = [hue(A1, b1), hue(A2, b2)];
  const isGray = C1 * C2 === 0;
  let dh = isGray ? 0 : h2 - h1;
  if (dh > 180) dh -= 360;
  if (dh < -180) dh += 360;
  const dH = 2 * Math.sqrt(C1 * C2) * Math.sin((dh / 2) * DEGREE);
  const L = (L1 + L2) / 2;
  const C = (C1 + C2) / 2;
  let h = h1 + h2;
  if (!isGray) h = Math.abs(h1 - h2) <= 180 ? h / 2 : (h < 360 ? h + 360 : h - 360) / 2;
  const cosine = (degrees: number) => Math.cos(degrees * DEGREE);
  const T = 1 - 0.17 * cosine(h - 30) + 0.24 * cosine(2 * h) + 0.32 * cosine(3 * h + 6) - 0.2 * cosine(4 * h - 63);
  const turn = -Math.sin(60 * Math.exp(-(((h - 275) / 25) ** 2)) * DEGREE) * 2 * seventh(C);
  const l = (L2 - L1) / (1 + (0.015 * (L - 50) ** 2) / Math.sqrt(20 + (L - 50) ** 2));
  const c = (C2 - C1) / (1 + 0.045 * C);
  const t = dH / (1 + 0.015 * C * T);
  return Math.sqrt(l ** 2 + c ** 2 + t ** 2 + turn * c * t);
}
