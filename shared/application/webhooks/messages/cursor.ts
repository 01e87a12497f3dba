/** A position in the order of recording, opaque to clients. */
export const encodeMessageCursor = (ordinal: string): string =>
  Buffer.from(`o${ordinal}`).toString('base64url');

/** Whether a text is a cursor of a page. */
export const isCursor = (text: string): boolean => decodeMessageCursor(text) !== undefined;

export function decodeMessageCursor(cursor: string): string | undefined {
  return /^o(\d{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
}
