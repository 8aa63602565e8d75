/** Text in a cell of a Markdown table: on one line, and without characters that are part of a table or of HTML. */
export const cell = (text) =>
  text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;').replaceAll('{', '&#123;');

/** Code in a cell, as it is. */
export const codeInCell = (text) => text.replaceAll('|', '\\|');
