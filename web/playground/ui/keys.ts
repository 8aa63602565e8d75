/** True for keys that a form field handles. */
export const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest('input, select, textarea') !== null;
