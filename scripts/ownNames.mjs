/** Plugin of rolldown whose namespaces have their own names only, also where a page has put a member on Object.prototype. */
export const ownNames = {
  name: 'own-names',
  renderChunk: (code) =>
    code.replaceAll(/for \((?:var|let|const) (\w+) in all\)/g, 'for (const $1 of Object.keys(all))'),
};
