import { withBase } from 'vitepress';
import { defineComponent, h, onMounted, onUnmounted } from 'vue';

/** Maximum number of characters of a table that is passed to the playground, which a tab can keep. */
const MOST = 2e6;

/** Button that opens the playground. A text that is dropped anywhere on the page is passed to it, in this tab only. */
export default defineComponent({
  setup() {
    const playground = (hash) => withBase(`/playground/index.html${hash}`);
    const over = (event) => event.preventDefault();
    const dropped = async (event) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file === undefined) return;
      try {
        if (!/\.(csv|tsv|tab|txt)$/i.test(file.name) || file.size > MOST)
          throw new Error('not a text that a tab keeps');
        sessionStorage.setItem('latentfield table', JSON.stringify({ name: file.name, csv: await file.text() }));
        location.assign(playground(''));
      } catch {
        // The playground itself takes other files, and larger ones.
        location.assign(playground('#new'));
      }
    };
    onMounted(() => {
      addEventListener('dragover', over);
      addEventListener('drop', dropped);
    });
    onUnmounted(() => {
      removeEventListener('dragover', over);
      removeEventListener('drop', dropped);
    });
    return () => h('a', { class: 'drop-table', href: playground('#new'), target: '_self' }, 'Drop your table');
  },
});
