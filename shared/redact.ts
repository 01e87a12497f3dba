const patterns: readonly [RegExp, string][] = [
  [/gw_[0-9A-Za-z]{8,}/g, 'gw_[redacted]'],
  [/whsec_[0-9A-Za-z+/=]{8,}/g, 'whsec_[redacted]'],
  // 10 to 19 digits, with the separators that people write, standing alone: a card or a phone number. A longer
  // run of hexadecimal (ids, hashes) or a number with a fraction is not one.
  [/(?<![0-9A-Za-z.-])\+?\d(?:[ -]?\d){9,18}(?![0-9A-Za-z.-])/g, '[number]'],
];

/** Masks whatever looks like a key, a webhook secret, a card or a phone number in a text that people will read. */
export function redactText(text: string): string {
  return patterns.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), text);
}
