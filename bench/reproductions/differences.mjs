/**
 * Where the tables of one reproduction differ from those stored, in words. Numbers may differ by one unit of their last printed digit, which is what
 * rounding may do on another machine; text must be the same. Columns of seconds are not compared.
 */
export function differences(stored, tables) {
  if (stored === undefined) return ['nothing is stored'];
  const found = [];
  for (const { title } of stored) {
    if (!tables.some((table) => table.title === title)) found.push(`table '${title}' is not there any more`);
  }
  for (const { title, head, rows, timed } of tables) {
    const other = stored.find((table) => table.title === title);
    if (other === undefined || other.rows.length !== rows.length || other.head.join() !== head.join()) {
      found.push(`table '${title}' has another shape`);
      continue;
    }
    rows.forEach((row, r) => {
      row.forEach((text, c) => {
        if (timed.includes(head[c]) || isSame(text, other.rows[r][c])) return;
        found.push(`${title}, ${row[0]}, ${head[c]}: ${text}, stored ${other.rows[r][c]}`);
      });
    });
  }
  return found;
}

const NUMBER = /^([-−+]?)(\d+)(?:\.(\d+))?$/;

/** Whether two printed cells are the same text, or numbers with as many digits that are one unit of the last apart. */
export function isSame(text, stored) {
  if (text === stored) return true;
  const [a, b] = [NUMBER.exec(text), NUMBER.exec(stored)];
  if (a === null || b === null || (a[3] ?? '').length !== (b[3] ?? '').length) return false;
  // In units of the last digit, so that whole numbers are compared.
  const units = ([, sign, whole, decimals = '']) => (sign === '-' || sign === '−' ? -1 : 1) * Number(whole + decimals);
  return Math.abs(units(a) - units(b)) <= 1;
}
