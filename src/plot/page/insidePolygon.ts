/**
 * Whether a point lies inside a closed line, by the even-odd rule. Its text becomes part of a page: it uses nothing of this module.
 *
 * @param polygon - corners x₁, y₁, x₂, y₂, …
 */
export function insidePolygon(x: number, y: number, polygon: readonly number[]): boolean {
  let inside = false;
  for (let i = 0, j = polygon.length - 2; i < polygon.length; j = i, i += 2) {
    const [x1, y1, x2, y2] = [polygon[i]!, polygon[i + 1]!, polygon[j]!, polygon[j + 1]!];
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside;
  }
  return inside;
}
