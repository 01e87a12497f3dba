const patterns: readonly [RegExp, string][] = [
  [/gw_[0-9A-Za-z]{8,}/g, 'gw_[redacted]'],
  [/adm_[0-9A-Za-z_-]{8,}/g, 'adm_[redacted]'],
  [/whsec_[0-9A-Za-z+/=]{8,}/g, 'whsec_[redacted]'],
  // 10 to 19 digits, with the separators that people write, standing alone: a card or a phone number. A longer
  // run of hexadecimal (ids, hashes), a date with a time or a number with a fraction is not one. Dots separate only
  // after a plus or between fours, for they are in decimals too.
  [/(?<![\w.+-])\+\d(?:[ .()-]{0,3}\d){9,18}(?!\w|[.:-]\w)/g, '[number]'],
  [/(?<![\w.-])\d{4}\.\d{4}\.\d{4}\.\d{1,7}(?!\w|[.:-]\w)/g, '[number]'],
  [/(?<![\w.-])(?!\d{4}-\d\d-\d\d(?!\d))\d(?:[ ()-]{0,3}\d){9,18}(?!\w|[.:-]\w)/g, '[number]'],
];

/** Masks whatever looks like a key, a token, a webhook secret, a card or a phone number in a text for people. */
export function redactText(text: string): string {
  return patterns.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), text);
}
