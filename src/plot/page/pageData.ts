/** What a page of a plot knows: plain data, as JSON in it. */
export interface PageData {
  readonly title: string;
  /** One list of N coordinates a latent dimension. */
  readonly latents: readonly (readonly number[])[];
  /** Two standard deviations, likewise. */
  readonly reach?: readonly (readonly number[])[];
  readonly ids: readonly string[];
  /** The kind of each point; empty without labels. */
  readonly kindOf: readonly number[];
  /** `path` is the shape of its marks as the path of an SVG, of the area of a circle of radius 1. */
  readonly kinds: readonly { readonly name: string; readonly colour: string; readonly path: string }[];
  /** The number of each point, null where there is none; empty without numbers. */
  readonly values: readonly (number | null)[];
  /** The colour of each point; empty where kinds say it. */
  readonly colours: readonly string[];
  /** Smallest and largest number, and colours between them. */
  readonly scale?: { readonly range: readonly [number, number]; readonly stops: readonly string[] };
  readonly legendTitle: string;
  /** The names of the columns of the rows. */
  readonly columns: readonly string[];
  /** N rows; null where missing. */
  readonly rows: readonly (readonly (number | null)[])[];
  /** Height, width and channels of the images that rows are, and what is black and white. */
  readonly image?: { readonly shape: readonly number[]; readonly range: readonly [number, number] };
  readonly equalScales: boolean;
  readonly primary: string;
}
