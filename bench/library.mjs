import { libraryIn } from '../scripts/modules.mjs';

/** All that the modules of the built library export. */
export default await libraryIn();
