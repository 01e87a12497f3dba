import { sourceFromBytes, verifyStatement } from '#clients/typescript/statement/verify.ts';

type Files = { statement: unknown; previous?: unknown; keys: unknown };

/** The result of a merchant's verifier on these files, as they are served. @throws NotProved */
export function verify({ statement, previous, keys }: Files): string {
  const source = (value: unknown) => sourceFromBytes(Buffer.from(JSON.stringify(value)));
  return verifyStatement({
    statement: source(statement),
    ...(previous !== undefined && { previous: source(previous) }),
    keys: source(keys),
  });
}
