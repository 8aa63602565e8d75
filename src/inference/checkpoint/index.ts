export { checkpointOf } from './checkpoint.ts';
export { resumedFrom } from './resumedFrom.ts';
export { saving } from './saving.ts';
