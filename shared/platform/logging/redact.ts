import { maskCards, plainDigits } from '#shared/domain/card-numbers.ts';

type Patterns = readonly [RegExp, string][];

const keys: Patterns = [
  [/gw_[0-9A-Za-z]{8,}/g, 'gw_[redacted]'],
  [/adm_[0-9A-Za-z_-]{8,}/g, 'adm_[redacted]'],
  [/mbr_[0-9A-Za-z]{8,}/g, 'mbr_[redacted]'],
  [/whsec_[0-9A-Za-z+/=]{8,}/g, 'whsec_[redacted]'],
];

const patterns: Patterns = [
  ...keys,
  [/\b(Bearer|Basic) +[\w.~+/=-]{8,}/gi, '$1 [redacted]'],
  // The password of a URL, such as a store's.
  [/(?<![\w+.-])([a-z][a-z0-9+.-]{1,31}:\/\/[^\s:/@]{0,256}):[^\s/@]{1,256}@/gi, '$1:[redacted]@'],
  [
    /(?<![\w.+-])[\w.+-]{1,64}(?:@|%40)(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![\w-])/gi,
    '[e-mail]',
  ],
  // A card or phone number: 10 to 19 digits with common separators, not within a longer hexadecimal
  // run (ids, hashes), a date with a time or a decimal fraction. Dots separate only after a plus or
  // between groups of four, because decimals have them too.
  [/(?<![\d.+-])\+\d(?:[\s.()/-]{0,3}\d){9,18}(?!\w|[.:-]\w)/g, '[number]'],
  [/(?<![\w.-])\d{4}\.\d{4}\.\d{4}\.\d{1,7}(?!\w|[.:-]\w)/g, '[number]'],
  [/(?<![\w.-])(?!\d{4}-\d\d-\d\d(?!\d))\d(?:[\s()/-]{0,3}\d){9,18}(?!\w|[.:-]\w)/g, '[number]'],
  // A mobile number right behind a word.
  [/(?<=[a-z]{2}_?)[78]9\d{9}(?!\w|[.:-]\w)/gi, '[number]'],
];

/**
 * Masks whatever looks like a key, a token, a webhook secret, a password, a card or phone number,
 * or an e-mail address in free text.
 */
export const redactText = (text: string): string =>
  maskCards(masked(plainDigits(text), patterns), '[number]');

/** Masks only the gateway's own keys, tokens and secrets, for identifiers. */
export const redactKeys = (text: string): string => masked(text, keys);

function masked(text: string, by: Patterns): string {
  return by.reduce(
    (redacted, [pattern, replacement]) => redacted.replace(pattern, replacement),
    text,
  );
}
