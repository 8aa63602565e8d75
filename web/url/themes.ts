import type { MapTheme } from 'latentfield/plot';
import type { ThemeName } from '../playground/drawing/colors.ts';

const FONTS = {
  font: 'Inter, "Helvetica Neue", Arial, "Liberation Sans", system-ui, sans-serif',
  serif: '"Iowan Old Style", "Palatino Linotype", Palatino, P052, "Book Antiqua", Georgia, serif',
};

/** Colors of the explorer's map, for pages without its style sheet. */
export const THEMES: Readonly<Record<ThemeName, MapTheme>> = {
  light: {
    ...{ certain: '#fdfcf9', mid: '#d9dcdb', vague: '#aab4ba' },
    ...{ contour: 'rgba(23, 34, 44, 0.2)', hatch: 'rgba(23, 34, 44, 0.16)', halo: '#fdfcf9' },
    ...{ ink: '#17222c', faintInk: '#46535f', panel: '#fdfcf9', line: '#7d8484', accent: '#0b5a66', ...FONTS },
  },
  dark: {
    ...{ certain: '#222e38', mid: '#161f27', vague: '#0b1117' },
    ...{ contour: 'rgba(236, 240, 240, 0.17)', hatch: 'rgba(236, 240, 240, 0.085)', halo: '#0e151c' },
    ...{ ink: '#ecf0f0', faintInk: '#b3bec7', panel: '#131c25', line: '#6d7b88', accent: '#6cd0cd', ...FONTS },
  },
};
