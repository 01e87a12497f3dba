import { hash } from 'node:crypto';
import { attemptKey, type AttemptRef } from '../connector.ts';

type Attempt = Pick<AttemptRef, 'operationId' | 'attempt'>;

/** Letters and digits that nobody takes for each other (Crockford's base32). */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const codeLength = 12;
const mark = 'GW';

/**
 * What a payer writes into the purpose of a transfer, short enough to be typed: a mark, 60 bits of the attempt's key,
 * and a character that tells it from other words.
 */
export function referenceOf({ operationId, attempt }: Attempt): string {
  const bits = hash('sha256', attemptKey(operationId, attempt), 'buffer').readBigUInt64BE();
  const code = Array.from(
    { length: codeLength },
    (_, place) => alphabet[Number((bits >> BigInt(5 * place)) & 31n)],
  );
  return `${mark}${code.join('')}${checkOf(code.join(''))}`;
}

/**
 * The reference that a purpose names, however it is written. A purpose names one, the first: two payments can't both be
 * paid by one transfer.
 */
export function referenceIn(purpose: string): string | undefined {
  const text = purpose
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
    const code = text.slice(at + mark.length, at + mark.length + codeLength);
    const check = text[at + mark.length + codeLength];
    if (check !== undefined && checkOf(code) === check) return `${mark}${code}${check}`;
  }
  return undefined;
}

/** Undefined where a character is none of the alphabet. */
function checkOf(code: string): string | undefined {
  const values = Array.from(code, (character) => alphabet.indexOf(character));
  if (values.length !== codeLength || values.includes(-1)) return undefined;
  // 31 is prime: whoever mistypes a character or swaps two gets another sum.
  return alphabet[values.reduce((sum, value, place) => sum + value * (place + 1), 0) % 31];
}

/** The purpose of a transfer that the gateway orders: by it the transfer is found again. */
export const purposeOf = ({ operationId, attempt }: Attempt): string => attemptKey(operationId, attempt);

/** Whose transfer a purpose says that it is. */
export function attemptIn(purpose: string): Attempt | undefined {
  const [, operationId, attempt] = /^([0-9a-f-]{36})\.([1-9]\d{0,5})$/.exec(purpose) ?? [];
  return operationId === undefined ? undefined : { operationId, attempt: Number(attempt) };
}
