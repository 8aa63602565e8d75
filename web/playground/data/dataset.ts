import type { Matrix } from 'latentfield';

/** How a row of the observations is shown. */
export type RowView =
  | { readonly kind: 'row' }
  | { readonly kind: 'curve' }
  | { readonly kind: 'image'; readonly height: number; readonly width: number }
  /** Columns are x1, y1, x2, y2, … of joints; bones join two of them. */
  | { readonly kind: 'figure'; readonly bones: readonly (readonly [number, number])[] };

/** What is fitted, and how it is shown. */
export interface Dataset {
  readonly name: string;
  /** N×D. */
  readonly observations: Matrix;
  readonly columns: readonly string[];
  readonly labels: readonly string[] | undefined;
  readonly ids: readonly string[] | undefined;
  readonly view: RowView;
  /** Sentences about how it was read. */
  readonly notes: readonly string[];
}

/** Columns from which a row is drawn as a curve. */
const CURVE = 12;

/** How rows of so many numbers are shown when nothing more is known of them: squares from 8 × 8 as images. */
export function rowView(columns: number): RowView {
  const side = Math.sqrt(columns);
  if (columns >= 64 && Number.isInteger(side)) return { kind: 'image', height: side, width: side };
  return { kind: columns >= CURVE ? 'curve' : 'row' };
}
