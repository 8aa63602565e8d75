/** The look of a page of a plot, in light and dark. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif; }
* { box-sizing: border-box; }
body { margin: 0; height: 100vh; display: flex; flex-direction: column; background: Canvas; color: CanvasText; }
header { display: flex; flex-wrap: wrap; gap: 0.4rem 0.8rem; align-items: center; padding: 0.5rem 0.8rem; }
h1 { font-size: 1rem; margin: 0 auto 0 0; }
h2 { font-size: 0.85rem; margin: 0 0 0.3rem; font-weight: 600; }
main { position: relative; flex: 1; min-height: 0; display: flex; }
canvas { touch-action: none; }
#canvas { flex: 1; min-width: 0; width: 100%; height: 100%; background: #ffffff; cursor: crosshair; }
aside { width: 13rem; overflow: auto; padding: 0.5rem 0.8rem; }
aside button { display: flex; gap: 0.5rem; align-items: center; width: 100%; border: 0; background: none; color: inherit; font: inherit; text-align: left; padding: 0.1rem 0; cursor: pointer; overflow-wrap: anywhere; }
aside button[aria-pressed='false'] { opacity: 0.35; }
button[aria-pressed='true']#lasso { outline: 2px solid #4c78a8; }
aside svg { flex: none; width: 1.2rem; height: 1.2rem; padding: 1px; border-radius: 3px; background: #ffffff; }
.numbers { display: flex; gap: 0.4rem; align-items: center; font-size: 0.8rem; }
.numbers div { flex: 1; height: 0.8rem; border-radius: 2px; }
#chosen { width: 100%; height: 12rem; margin-top: 0.8rem; font: 12px monospace; }
#hint { position: absolute; pointer-events: none; max-width: 20rem; padding: 0.4rem 0.6rem; background: #ffffffee; color: #222222; border: 1px solid #bbbbbb; border-radius: 4px; font-size: 12px; overflow-wrap: anywhere; }
#hint .id { font-weight: 600; }
#hint .latent, #hint .value { color: #555555; }
#hint canvas { display: block; margin-top: 0.3rem; image-rendering: pixelated; }
footer { padding: 0.3rem 0.8rem; font-size: 0.8rem; opacity: 0.7; }
@media (max-width: 40rem) { main { flex-direction: column; } aside { width: auto; max-height: 30vh; } }
`;
