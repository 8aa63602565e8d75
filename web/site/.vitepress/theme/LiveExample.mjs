import { withBase } from 'vitepress';
import { defineComponent, h, onMounted, ref } from 'vue';

/** Page of the playground within a document: at once if `open`, otherwise behind a button. */
export default defineComponent({
  props: { page: String, name: String, words: { type: String, default: 'Run it here' }, open: Boolean },
  setup(props) {
    // Pages are written without it: a frame that scripts put in is not in the way of those who have none.
    const isShown = ref(false);
    onMounted(() => {
      isShown.value = props.open;
    });
    const frame = () =>
      h('iframe', {
        class: ['live', { sliders: props.page.includes('kernels.html') }],
        src: withBase(`/${props.page}`),
        title: props.name,
      });
    const button = () =>
      h('button', { class: 'live-button', type: 'button', onClick: () => (isShown.value = true) }, props.words);
    return () => (isShown.value ? frame() : button());
  },
});
