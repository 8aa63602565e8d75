import { readFileSync } from 'node:fs';

const { name, exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const paths = Object.keys(exports).filter((path) => exports[path].browser !== undefined);

/** All that the package exports from its modules, under one name. */
export default Object.assign({}, ...(await Promise.all(paths.map((path) => import(name + path.slice(1))))));
