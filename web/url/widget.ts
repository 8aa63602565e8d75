import { type DrawnMap, map } from './map.ts';

/** Interface of an anywidget host: https://anywidget.dev/en/afm. */
interface Host {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
  save_changes(): void;
}

const INPUTS = ['rows', 'labels', 'columns', 'model', 'options', 'seed'] as const;

/** Map of `rows` in a notebook: an anywidget that sets `latents`, `message` and `error` when its model is fitted. */
export default {
  render({ model: host, el }: { readonly model: Host; readonly el: HTMLElement }) {
    let shown: DrawnMap | undefined;
    let work = new AbortController();
    const draw = async () => {
      work.abort();
      const own = new AbortController();
      work = own;
      shown?.release();
      shown = undefined;
      const [rows, labels, columns, model, options, seed] = INPUTS.map((name) => host.get(name) ?? undefined);
      const given = { labels, columns, model, options, seed, signal: own.signal } as Parameters<typeof map>[2];
      try {
        const made = await map(el, rows as readonly (readonly number[])[], given);
        if (own.signal.aborted) return made.release();
        shown = made;
        host.set('latents', made.fit.latents.toArrays());
        host.set('message', made.fit.message);
        host.set('error', '');
      } catch (error) {
        if (own.signal.aborted) return;
        host.set('error', error instanceof Error ? error.message : String(error));
      }
      host.save_changes();
    };
    for (const name of INPUTS) host.on(`change:${name}`, draw);
    void draw();
    return () => {
      work.abort();
      shown?.release();
      for (const name of INPUTS) host.off(`change:${name}`, draw);
    };
  },
};
