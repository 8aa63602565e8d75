export { checkpointOf, resumedFrom } from './checkpoint.ts';
export { saving } from './checkpointFile.ts';
