/** A position in the order of recording, opaque to clients. */
export const encodeCursor = (ordinal: string): string =>
  Buffer.from(`o${ordinal}`).toString('base64url');

/** Whether a text is a cursor of a page. */
export const isCursor = (text: string): boolean => decodeCursor(text) !== undefined;

export function decodeCursor(cursor: string): string | undefined {
  return /^o(\d{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
}
