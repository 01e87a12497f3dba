import { NotProved, sourceFromBytes, verifyStatement } from '../statement/verify.ts';
import type { Files } from './files/index.ts';

const sourceFrom = (content: string | Uint8Array) => sourceFromBytes(Buffer.from(content));

/** What the TypeScript verifier says of files; anything else that it throws is its fault. */
export function verdictOn({ statement, previous, keys }: Omit<Files, 'name' | 'line'>): string {
  try {
    return verifyStatement({
      statement: sourceFrom(statement),
      keys: sourceFrom(keys),
      ...(previous !== undefined && { previous: sourceFrom(previous) }),
    });
  } catch (error) {
    if (error instanceof NotProved) return `not proved: ${error.message}`;
    throw error;
  }
}
