import { withBase } from 'vitepress';
import { defineComponent, h, onMounted, onUnmounted, ref } from 'vue';

/** Page of the playground within a document: at once if `open`, when it is scrolled to if `seen`, otherwise behind a button. */
export default defineComponent({
  props: {
    page: String,
    name: String,
    words: { type: String, default: 'Run it here' },
    ...{ open: Boolean, seen: Boolean },
  },
  setup(props) {
    // Pages are written without it: a frame that scripts put in is not in the way of those who have none.
    const isShown = ref(false);
    const place = ref();
    let observer;
    onMounted(() => {
      isShown.value = props.open;
      if (!props.seen) return;
      observer = new IntersectionObserver((entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        isShown.value = true;
      });
      observer.observe(place.value);
    });
    onUnmounted(() => observer?.disconnect());
    const frame = () =>
      h('iframe', {
        class: ['live', { sliders: props.page.includes('kernels.html'), figure: props.seen }],
        src: withBase(`/${props.page}`),
        title: props.name,
      });
    const area = () => h('div', { ref: place, class: ['live', { figure: props.seen }] }, button());
    const button = () =>
      h('button', { class: 'live-button', type: 'button', onClick: () => (isShown.value = true) }, props.words);
    // A page that will be shown has its height already, so that nothing moves when it is.
    return () => (isShown.value ? frame() : props.open || props.seen ? area() : button());
  },
});
