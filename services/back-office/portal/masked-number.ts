import { maskCard, storedNumber } from '#shared/domain/methods/index.ts';

/** A card or phone number with its end, and a long one's beginning: others may see the screen. */
export function maskedNumber(method: string, number: string): string {
  const stored = storedNumber(method, number);
  return stored.length > 12
    ? maskCard(stored)
    : `${'*'.repeat(Math.max(0, stored.length - 4))}${stored.slice(-4)}`;
}
