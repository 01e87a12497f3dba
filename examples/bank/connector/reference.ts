import { hash } from 'node:crypto';
import { attemptKey, type AttemptRef } from '#shared/application/providers/connector.ts';

type Attempt = Pick<AttemptRef, 'operationId' | 'attempt'>;

/** Letters and digits that are not mistaken for each other (Crockford's base32). */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const codeLength = 12;
const mark = 'GW';

/**
 * What a payer writes into the purpose of a transfer, short enough to be typed: a mark, 60 bits of
 * the attempt's key, and a character that distinguishes it from other words.
 */
export function computeReference({ operationId, attempt }: Attempt): string {
  const bits = hash('sha256', attemptKey(operationId, attempt), 'buffer').readBigUInt64BE();
  const code = Array.from(
    { length: codeLength },
    (_, place) => alphabet[Number((bits >> BigInt(5 * place)) & 31n)],
  );
  return `${mark}${code.join('')}${computeCheckCharacter(code.join(''))}`;
}

/**
 * The reference in a purpose, however it is written. Only one counts, because a transfer can't pay
 * for two payments: the first that begins a word. If none does, words ran together, and the last
 * one counts, because a chance match begins before it.
 */
export function referenceIn(purpose: string): string | undefined {
  const { text, begins } = normalizePurpose(purpose);
  let last: string | undefined;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
    const code = text.slice(at + mark.length, at + mark.length + codeLength);
    const check = text[at + mark.length + codeLength];
    if (check === undefined || computeCheckCharacter(code) !== check) continue;
    last = `${mark}${code}${check}`;
    if (begins.has(at)) return last;
  }
  return last;
}

/**
 * The Latin letters and digits of a text, as the alphabet has them, and which of them begin a word.
 */
function normalizePurpose(purpose: string): { text: string; begins: ReadonlySet<number> } {
  const begins = new Set<number>();
  let text = '';
  let inWord = false;
  for (const character of purpose) {
    const letters = character.toUpperCase().replaceAll(/[^0-9A-Z]/g, '');
    if (letters !== '' && !inWord) begins.add(text.length);
    text += letters.replaceAll('O', '0').replaceAll(/[IL]/g, '1');
    inWord = /[\p{L}\p{N}]/u.test(character);
  }
  return { text, begins };
}

/** Undefined for a character outside the alphabet. */
function computeCheckCharacter(code: string): string | undefined {
  const values = Array.from(code, (character) => alphabet.indexOf(character));
  if (values.length !== codeLength || values.includes(-1)) return undefined;
  // 31 is prime: a mistyped character, or two swapped ones, give another sum, unless 0 and Z.
  return alphabet[values.reduce((sum, value, place) => sum + value * (place + 1), 0) % 31];
}

/** The purpose of a transfer that the gateway orders, by which it is found again. */
export const toTransferPurpose = ({ operationId, attempt }: Attempt): string =>
  attemptKey(operationId, attempt);

/** The attempt that a purpose names. */
export function attemptIn(purpose: string): Attempt | undefined {
  const [, operationId, attempt] = /^([0-9a-f-]{36})\.([1-9]\d{0,5})$/.exec(purpose) ?? [];
  return operationId === undefined ? undefined : { operationId, attempt: Number(attempt) };
}
