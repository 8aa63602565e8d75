import { useRoute } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { h, nextTick, onMounted, watch } from 'vue';
import 'katex/dist/katex.min.css';
import DropTable from './DropTable.mjs';
import LiveExample from './LiveExample.mjs';
import ReferenceNames from './ReferenceNames.mjs';
import RunCode from './RunCode.mjs';
import './style.css';

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'sidebar-nav-after': () => h(ReferenceNames) }),
  setup() {
    // The first page has no element `main`.
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
    app.component('DropTable', DropTable);
    app.component('RunCode', RunCode);
  },
};
