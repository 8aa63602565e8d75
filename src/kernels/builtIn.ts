// Every built-in kernel, under its name in texts and saved fits: one line here makes a kernel public and known to both.
export { bias } from './bias.ts';
export { cosine } from './cosine.ts';
export { linear } from './linear.ts';
export { matern12, matern32, matern52 } from './matern.ts';
export { mlp } from './mlp.ts';
export { periodic } from './periodic.ts';
export { polynomial } from './polynomial.ts';
export { rationalQuadratic } from './rationalQuadratic.ts';
export { rbf } from './rbf.ts';
export { thinPlateSpline } from './thinPlateSpline.ts';
export { white } from './white.ts';
