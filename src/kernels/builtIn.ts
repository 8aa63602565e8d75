// Every built-in kernel, under its name in texts and saved fits: one line here makes a kernel public and known to both.
export { bias, white } from './constant.ts';
export { linear, mlp, polynomial } from './inputProducts.ts';
export { matern12, matern32, matern52, rationalQuadratic } from './matern.ts';
export { cosine, periodic } from './periodic.ts';
export { rbf } from './rbf.ts';
export { thinPlateSpline } from './thinPlateSpline.ts';
