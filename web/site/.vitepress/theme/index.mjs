import { useRoute } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { h, nextTick, onMounted, watch } from 'vue';
import 'katex/dist/katex.min.css';
import picture from '../../../../docs/pipe-flow.svg';
import LiveExample from './LiveExample.mjs';
import './style.css';

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'home-hero-image': () =>
        h('img', {
          class: 'hero-map',
          src: picture,
          alt: 'A map of pipe flow: twelve columns in two latent dimensions, three regimes apart, over how certain the model is',
        }),
    }),
  setup() {
    // The first page has no element `main` of its own.
    const route = useRoute();
    const mark = async () => {
      await nextTick();
      const content = document.getElementById('VPContent');
      if (content?.querySelector('main') === null) content.setAttribute('role', 'main');
      else content?.removeAttribute('role');
    };
    onMounted(mark);
    watch(() => route.path, mark, { flush: 'post' });
  },
  enhanceApp({ app }) {
    app.component('LiveExample', LiveExample);
  },
};
