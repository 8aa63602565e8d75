// In the gallery and on the kernels' page: a button after each link to the playground runs it in the page.
const KINDS = [
  {
    page: 'playground/index.html#',
    words: 'Run it here',
    height: '62rem',
    within: (hash) =>
      encodeURIComponent(JSON.stringify({ ...JSON.parse(decodeURIComponent(hash)), run: true, compact: true })),
  },
  { page: 'playground/kernels.html#', words: 'Sliders here', height: '40rem', within: (hash) => hash },
];

for (const link of document.querySelectorAll('.col-content a[href*="#"]')) {
  const kind = KINDS.find(({ page }) => link.getAttribute('href').includes(page));
  if (kind === undefined) continue;
  const [path, hash] = link.getAttribute('href').split('#');
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = kind.words;
  button.className = 'tsd-live';
  const block = link.closest('h1, h2, h3, h4, p') ?? link;
  button.addEventListener('click', () => {
    const frame = document.createElement('iframe');
    frame.src = `${path}#${kind.within(hash)}`;
    frame.title = link.textContent;
    frame.style.cssText = `width: 100%; height: ${kind.height}; border: 1px solid #8888; border-radius: 4px`;
    button.replaceWith(frame);
  });
  block.after(button);
}
