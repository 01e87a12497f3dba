/**
 * The leading digits of cards: Mir and Mastercard 22 to 27, the others 3 to 6; those of dates and
 * times differ.
 */
const beginning = /^(?:2[2-7]|[3-6])/;

/** 13 to 19 digits that begin like a card number and pass its check (Luhn). */
export function isCardNumber(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19 || !beginning.test(digits)) return false;
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - at) - 48;
    const counted = at % 2 === 1 ? digit * 2 : digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}

/**
 * Digits and separators in one alphabet: full-width and other decimal digits become ASCII, every
 * dash a hyphen and every blank a space; invisible characters are removed.
 */
export function plainDigits(text: string): string {
  // oxlint-disable-next-line no-control-regex -- most texts are ASCII, and cost one test
  if (!/[^\x00-\x7f]/.test(text)) return text;
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\p{Pd}/gu, '-')
    .replaceAll(/\p{Zs}/gu, ' ')
    .replaceAll(/[^\P{Nd}0-9]/gu, digitValue);
}

/** Unicode has decimal digits in runs of ten, from 0 to 9. */
function digitValue(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (zero > code - 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}

const uuid = String.raw`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`;
/** 13 to 19 digits with these between them, also right after a word. UUIDs are skipped whole. */
const runs = (separators: string) =>
  new RegExp(`${uuid}|(?<!\\d)\\d(?:[${separators}]{0,3}\\d){12,18}(?![0-9A-Za-z]|[.:-]\\w)`, 'gi');

// A dot is a separator only in ids: in a text it may be a decimal point.
const inTexts = runs(String.raw`\s()/_\-`);
const inIds = runs(String.raw`\s()/_.\-`);

/** The text without the card numbers in it, whatever separates their digits. */
export function maskCards(text: string, mask: string): string {
  return text.replace(inTexts, (run) => (isRunOfCard(run) ? mask : run));
}

/**
 * Whether an identifier contains a possible card number. Of ids with sixteen digits one in ten does
 * by chance.
 */
export function holdsCardNumber(id: string): boolean {
  if (!mayHoldOne(id)) return false;
  for (const [run] of plainDigits(id).matchAll(inIds)) if (isRunOfCard(run)) return true;
  return false;
}

/** A match with letters is a UUID: the digits in it are not one number. */
function isRunOfCard(run: string): boolean {
  return !/[a-z]/i.test(run) && isCardNumber(run.replaceAll(/\D/g, ''));
}

/**
 * A quick first pass: most texts have no such run, and the regular expression is fifty times
 * slower.
 */
function mayHoldOne(text: string): boolean {
  let [digits, gap] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // Digits of another alphabet, or invisible characters.
    if (code > 127) return true;
    if (code >= 48 && code <= 57) {
      digits += 1;
      gap = 0;
      if (digits === 13) return true;
    } else {
      gap += 1;
      const isLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
      if (isLetter || gap > 3) digits = 0;
    }
  }
  return false;
}
