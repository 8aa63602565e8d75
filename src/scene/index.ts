export { pictureOf } from './layout.ts';
export type { Group, Image, Part, Path, Picture, Text } from './picture.ts';
export { extents, mixed, PALETTES, ticksOf } from './scales.ts';
export type * from './scene.ts';
export { insidePolygon, markPath, SHAPES, shapePath } from './shapes.ts';
export { escaped, printable, sceneSvg } from './svg.ts';
