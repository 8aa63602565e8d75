/** atan at ½, 1, 3/2 and ∞, in two parts each. */
const HIGH = [0.4636476090008061, 0.7853981633974483, 0.982793723247329, 1.5707963267948966];
const LOW = [2.2698777452961687e-17, 3.061616997868383e-17, 1.3903311031230998e-17, 6.123233995736766e-17];
const PI_LOW = 1.2246467991473532e-16;

/** Coefficients of FDLIBM's s_atan.c. */
const ODD = [
  0.3333333333333293, 0.14285714272503466, 0.09090887133436507, 0.06661073137387531, 0.049768779946159324,
  0.016285820115365782,
];
const EVEN = [
  -0.19999999999876483, -0.11111110405462356, -0.0769187620504483, -0.058335701337905735, -0.036531572744216916,
];

/** atan x. Error below 1 unit in the last place. */
export function atan(x: number): number {
  const a = Math.abs(x);
  if (Number.isNaN(x) || a < 7.450580596923828e-9) return x;
  if (a < 0.4375) return x - x * series(x);
  // atan a = atan c + atan((a − c)/(1 + a·c)) for c = ½, 1, 3/2, ∞
  const at = a < 0.6875 ? 0 : a < 1.1875 ? 1 : a < 2.4375 ? 2 : 3;
  const t =
    at === 0 ? (2 * a - 1) / (2 + a) : at === 1 ? (a - 1) / (a + 1) : at === 2 ? (a - 1.5) / (1 + 1.5 * a) : -1 / a;
  return Math.sign(x) * (HIGH[at]! - (t * series(t) - LOW[at]! - t));
}

/** 1 − atan(x)/x */
function series(x: number): number {
  const z = x * x;
  const w = z * z;
  return z * polynomial(ODD, w) + w * polynomial(EVEN, w);
}

function polynomial(coefficients: readonly number[], w: number): number {
  let value = 0;
  for (let k = coefficients.length - 1; k >= 0; k--) value = coefficients[k]! + w * value;
  return value;
}

/** The angle of (x, y), −π … π. Error below 2 units in the last place. */
export function atan2(y: number, x: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  const toLeft = x < 0 || Object.is(x, -0);
  const sign = y < 0 || Object.is(y, -0) ? -1 : 1;
  const bothInfinite = Math.abs(x) === Number.POSITIVE_INFINITY && Math.abs(y) === Number.POSITIVE_INFINITY;
  const slope = y === 0 ? 0 : bothInfinite ? 1 : Math.abs(y / x);
  const angle = atan(slope);
  return sign * (toLeft ? Math.PI - (angle - PI_LOW) : angle);
}

/** asin x, NaN beyond ±1. Error below 3 units in the last place. */
export const asin = (x: number): number => (x === 0 ? x : atan2(x, Math.sqrt((1 - x) * (1 + x))));

/** acos x, NaN beyond ±1. Error below 3 units in the last place. */
export const acos = (x: number): number => atan2(Math.sqrt((1 - x) * (1 + x)), x);
