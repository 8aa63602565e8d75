/** Text, with a note if it was not plain UTF-8. */
export interface DecodedText {
  readonly text: string;
  readonly note?: string;
}

/**
 * Decodes bytes as UTF-16 if a byte order mark or zero bytes in every other position say so, otherwise as UTF-8, or as Windows-1252, which includes
 * Latin-1, if they are not valid UTF-8.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const wide = utf16Order(bytes);
  if (wide !== undefined) {
    return { text: new TextDecoder(wide).decode(bytes), note: `The text is read as ${wide.toUpperCase()}.` };
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return {
      text: new TextDecoder('windows-1252').decode(bytes),
      note: 'The text is not valid UTF-8; it is read as Latin-1 (Windows-1252).',
    };
  }
}

function utf16Order(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  // Without a mark: tables of numbers are nearly all ASCII, whose upper bytes are zero.
  const pairs = Math.min(bytes.length >> 1, 100);
  let even = 0;
  let odd = 0;
  for (let k = 0; k < pairs; k++) {
    if (bytes[2 * k] === 0) even++;
    if (bytes[2 * k + 1] === 0) odd++;
  }
  if (pairs > 0 && odd > 0.8 * pairs && even === 0) return 'utf-16le';
  if (pairs > 0 && even > 0.8 * pairs && odd === 0) return 'utf-16be';
  return undefined;
}
