import type { DefaultTheme } from 'vitepress/theme';

/** Options of the search: MiniSearch options for queries, and the indexed content of a page. */
export declare const search: DefaultTheme.LocalSearchOptions & {
  miniSearch: Required<NonNullable<DefaultTheme.LocalSearchOptions['miniSearch']>>;
};
