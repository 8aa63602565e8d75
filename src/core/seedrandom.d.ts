// Only the default generator, without the six others that the package's entry point imports.
declare module 'seedrandom/seedrandom.js' {
  export { default } from 'seedrandom';
}
