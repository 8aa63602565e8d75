import type { DefaultTheme } from 'vitepress/theme';

/** The options of the search: those of MiniSearch with which pages look things up, and what is indexed of a page. */
export declare const search: DefaultTheme.LocalSearchOptions & {
  miniSearch: Required<NonNullable<DefaultTheme.LocalSearchOptions['miniSearch']>>;
};
