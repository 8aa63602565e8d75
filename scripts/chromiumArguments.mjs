/** Arguments of the Chromium of tests and checks. Containers have no namespaces for its sandbox; the pages are our own. */
export const CHROMIUM_ARGUMENTS = [
  '--no-sandbox',
  // Each of its windows would load a page for its address bar, which takes longer than a page of ours.
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup',
];
