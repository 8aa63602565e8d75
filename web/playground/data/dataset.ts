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
