import { withBase } from 'vitepress';
import { defineComponent, h, onUnmounted, ref } from 'vue';

/** Button that runs a program in a worker of this page, and its output. */
export default defineComponent({
  props: { code: String },
  setup(props) {
    const lines = ref([]);
    const state = ref('');
    const problem = ref('');
    let worker;
    const stop = (to) => {
      worker?.terminate();
      worker = undefined;
      state.value = to;
    };
    const run = () => {
      lines.value = [];
      problem.value = '';
      state.value = 'running';
      worker = new Worker(withBase('/run/run.js'), { type: 'module' });
      worker.onmessage = ({ data }) => {
        if (data.line !== undefined) lines.value = [...lines.value, data.line];
        else {
          problem.value = data.error ?? '';
          stop('ended');
        }
      };
      worker.onerror = (event) => {
        problem.value = event.message ?? 'The library could not be loaded.';
        stop('ended');
      };
      worker.postMessage(props.code);
    };
    onUnmounted(() => stop(''));
    const output = () => (lines.value.length === 0 && state.value === 'ended' ? 'No output.' : lines.value.join('\n'));
    return () =>
      h('div', { class: 'run-code' }, [
        state.value === 'running'
          ? h('button', { class: 'live-button', type: 'button', onClick: () => stop('stopped') }, 'Stop')
          : h('button', { class: 'live-button', type: 'button', onClick: run }, 'Run'),
        h('span', { role: 'status' }, { running: 'Running …', stopped: 'Stopped.' }[state.value] ?? ''),
        state.value === '' || (state.value === 'running' && lines.value.length === 0)
          ? undefined
          : h('pre', { 'aria-label': 'Output', tabindex: 0 }, output()),
        problem.value === '' ? undefined : h('p', { role: 'alert' }, problem.value),
      ]);
  },
});
