/** The built package under its own name, by its published entry points. */
export declare const entries: { readonly find: RegExp; readonly replacement: string }[];
