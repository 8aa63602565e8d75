/** Text in a cell of a Markdown table: on one line, with nothing that a table or an HTML page would read as its own. */
export const cell = (text) =>
  text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;').replaceAll('{', '&#123;');

/** Code in a cell, as it is. */
export const codeInCell = (text) => text.replaceAll('|', '\\|');
