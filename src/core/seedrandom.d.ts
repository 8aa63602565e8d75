// Its generator alone, without the six others that its entry point brings along.
declare module 'seedrandom/seedrandom.js' {
  export { default } from 'seedrandom';
}
