import { invalidRequest } from './validate.ts';

/** A cursor that no page has given. */
export function invalidCursor() {
  return invalidRequest([
    {
      pointer: '/cursor',
      code: 'field_invalid',
      detail: 'not a next_cursor of an earlier page',
    },
  ]);
}

/** What a request's cursor stands for, if it has one. @throws Problem invalid_request */
export function readCursor<Cursor>(
  text: string | undefined,
  decode: (text: string) => Cursor | undefined,
): Cursor | undefined {
  if (text === undefined) return undefined;
  const cursor = decode(text);
  if (cursor === undefined) throw invalidCursor();
  return cursor;
}

/** Decodes the cursor of a list that is read from one stream: a revision. */
export const decodeRevision = (text: string): number | undefined =>
  /^\d{1,9}$/.test(text) ? Number(text) : undefined;
