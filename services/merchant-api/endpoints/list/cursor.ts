import { z } from 'zod';
import { cursorTime, type OperationCursor } from '#projections/operations/query.ts';

/**
 * Where a page begins: after this operation. `asOf`: from the first page; it holds for all of them.
 */
type ListCursor = OperationCursor & { asOf: string };

const schema = z.tuple([cursorTime, z.guid(), cursorTime]);

export function encodeListCursor({ createdAt, operationId, asOf }: ListCursor): string {
  return Buffer.from(JSON.stringify([createdAt, operationId, asOf])).toString('base64url');
}

/** Undefined if the text is not a cursor of ours. */
export function decodeListCursor(text: string): ListCursor | undefined {
  try {
    const [createdAt, operationId, asOf] = schema.parse(
      JSON.parse(Buffer.from(text, 'base64url').toString('utf8')),
    );
    const cursor = { createdAt, operationId, asOf };
    return encodeListCursor(cursor) === text ? cursor : undefined;
  } catch {
    return undefined;
  }
}
