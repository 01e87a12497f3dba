/** Numbers as people write them in forms; other text stays as it is, for the API to refuse. */

/** Groups of three: `1 500,00`. */
const withoutGroups = (text: string): string =>
  /^[-−+]?\d{1,3}(?:[ \u{A0}\u{202F}]\d{3})+(?:[.,]\d+)?$/u.test(text)
    ? text.replaceAll(/[ \u{A0}\u{202F}]/gu, '')
    : text;

/** An amount: `600`, `600,5` and `1 500,00` have two decimal places. */
export function typedAmount(text: string): string {
  const [, sign = '', integer, places = ''] =
    /^([-−+]?)(\d{1,15})(?:[.,](\d{1,2}))?$/.exec(withoutGroups(text.trim())) ?? [];
  if (integer === undefined) return text;
  return `${sign === '' || sign === '+' ? '' : '-'}${integer}.${places.padEnd(2, '0')}`;
}

/** A percentage: `2,5` and `2.5 %`. */
export const typedPercent = (text: string): string =>
  /^\d{1,3}(?:[.,]\d+)?\s*%?$/.test(text.trim())
    ? text.trim().replace(',', '.').replace(/\s*%$/, '')
    : text;
