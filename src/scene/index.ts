export { extents } from './extents.ts';
export { pictureOf } from './layout.ts';
export { mixed, PALETTES } from './palette.ts';
export type { Group, Image, Part, Path, Picture, Text } from './picture.ts';
export type * from './scene.ts';
export { insidePolygon, markPath, SHAPES, shapePath } from './shapes.ts';
export { escaped, printable, sceneSvg } from './svg.ts';
export { ticksOf } from './ticks.ts';
