import type { z } from 'zod';

/** A cursor is what orders the last row of a page. */
export const encodeCursor = (position: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

/** The cursor that an earlier page ended with; undefined if the text is not a valid one. */
export const cursorDecoder =
  <Cursor>(schema: z.ZodType<Cursor>) =>
  (text: string): Cursor | undefined => {
    try {
      return schema.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
    } catch {
      return undefined;
    }
  };
