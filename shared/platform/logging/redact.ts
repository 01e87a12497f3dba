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
  // 10 to 19 digits, with the separators that people write, standing alone: a card or a phone
  // number. A longer run of hexadecimal (ids, hashes), a date with a time or a number with a
  // fraction is not one. Dots separate only after a plus or between fours, for they are in decimals
  // too.
  [/(?<![\d.+-])\+\d(?:[\s.()/-]{0,3}\d){9,18}(?!\w|[.:-]\w)/g, '[number]'],
  [/(?<![\w.-])\d{4}\.\d{4}\.\d{4}\.\d{1,7}(?!\w|[.:-]\w)/g, '[number]'],
  [/(?<![\w.-])(?!\d{4}-\d\d-\d\d(?!\d))\d(?:[\s()/-]{0,3}\d){9,18}(?!\w|[.:-]\w)/g, '[number]'],
  // A mobile number right behind a word.
  [/(?<=[a-z]{2}_?)[78]9\d{9}(?!\w|[.:-]\w)/gi, '[number]'],
];

/**
 * Masks whatever looks like a key, a token, a webhook secret, a password, a card or a phone number
 * or an e-mail address in a text for people.
 */
export const redactText = (text: string): string =>
  maskCards(masked(plainDigits(text), patterns), '[number]');

/** Masks the gateway's own keys, tokens and secrets alone, in what is otherwise an identifier. */
export const redactKeys = (text: string): string => masked(text, keys);

function masked(text: string, by: Patterns): string {
  return by.reduce(
    (redacted, [pattern, replacement]) => redacted.replace(pattern, replacement),
    text,
  );
}
