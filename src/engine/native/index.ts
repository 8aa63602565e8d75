export { findNative, type NativeLibrary, type NativeOptions } from './findNative.ts';
export type { Reason } from './routines.ts';
