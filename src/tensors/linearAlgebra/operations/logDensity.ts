const LOG_2PI = Math.log(2 * Math.PI);

/** −½·(D·n·log 2π + D·log|K| + tr(YᵀK⁻¹Y)), from log|K| and the trace. */
export function logDensity(n: number, columns: number, logDeterminant: number, quadratic: number): number {
  return -0.5 * (columns * n * LOG_2PI + columns * logDeterminant + quadratic);
}
