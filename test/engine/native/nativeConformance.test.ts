import { engineConformance } from '../dense/engineConformance.ts';
import { withNativeLibrary } from './nativeLibrary.ts';

withNativeLibrary('conformance of the native engine', ({ engine }) => {
  engineConformance('native', engine);
});
