import { MODULES } from '../scripts/modules.mjs';

/** All that the package exports from its modules, under one name. */
export default Object.assign({}, ...(await Promise.all(MODULES.map(({ path }) => import(path)))));
