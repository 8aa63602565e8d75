/** Builds of one library by the systems that name it so; the first that loads is taken. */
const LINUX = [
  'libopenblas.so.0',
  'libopenblasp.so.0',
  'libopenblas.so.3',
  'libopenblas.so',
  'libflexiblas.so.3',
  'libmkl_rt.so.2',
  'libmkl_rt.so',
  // Brings libblas with it.
  'liblapack.so.3',
];

const MACOS = [
  '/System/Library/Frameworks/Accelerate.framework/Accelerate',
  '/opt/homebrew/opt/openblas/lib/libopenblas.dylib',
  '/usr/local/opt/openblas/lib/libopenblas.dylib',
];

/** Files in which BLAS and LAPACK are looked for when none is named, best first; none on Windows. */
export function libraryNames(platform: string): readonly string[] {
  if (platform === 'win32') return [];
  return platform === 'darwin' ? MACOS : LINUX;
}
