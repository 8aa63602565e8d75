import { useRoute, withBase } from 'vitepress';
import { computed, defineComponent, h, onMounted, ref, watch } from 'vue';

/** Names that the import path of a page of the reference exports, below the list of import paths. */
export default defineComponent({
  setup() {
    const route = useRoute();
    const all = ref();
    const current = computed(() => {
      const page = /\/reference\/(.+)$/.exec(route.path)?.[1] ?? '';
      const path = Object.keys(all.value ?? {})
        .filter((each) => page.startsWith(`${each}/`))
        .sort((a, b) => b.length - a.length)[0];
      return path === undefined ? undefined : { path, page: page.replace(/\.html$/, '') };
    });
    const load = async () => {
      if (all.value !== undefined || !/\/reference\//.test(route.path)) return;
      const response = await fetch(withBase('/reference/names.json')).catch(() => undefined);
      if (response?.ok) all.value = await response.json();
    };
    onMounted(load);
    watch(() => route.path, load);
    return () => {
      if (current.value === undefined) return undefined;
      const { path, page } = current.value;
      const links = all.value[path].map((file) => {
        const at = `${path}/${file}`;
        return h('li', [
          h(
            'a',
            { href: withBase(`/reference/${at}.html`), ...(at === page && { 'aria-current': 'page' }) },
            file.split('/').at(-1),
          ),
        ]);
      });
      return h('section', { class: 'reference-names', 'aria-label': `Names of ${path}` }, [
        h('h2', path),
        h('ul', links),
      ]);
    };
  },
});
