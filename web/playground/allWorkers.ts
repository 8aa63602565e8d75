// Both workers as one script, for the single-file page: each answers only its own requests.
import './page.worker.ts';
import './sampling.worker.ts';
