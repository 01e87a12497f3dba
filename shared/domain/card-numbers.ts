/** How cards of today begin: Mir and Mastercard with 22 to 27, the others with 3 to 6. Dates and clocks begin otherwise. */
const beginning = /^(?:2[2-7]|[3-6])/;

/** 13 to 19 digits that begin as a card's number does and pass its check (Luhn). */
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
 * Digits and separators as people type them in one alphabet: full-width and other decimal digits become ASCII, every dash a
 * hyphen and every blank a space; what is invisible goes.
 */
export function plainDigits(text: string): string {
  // oxlint-disable-next-line no-control-regex -- most texts are ASCII, and cost one look
  if (!/[^\x00-\x7f]/.test(text)) return text;
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\p{Pd}/gu, '-')
    .replaceAll(/\p{Zs}/gu, ' ')
    .replaceAll(/[^\P{Nd}0-9]/gu, valueOf);
}

/** Decimal digits stand in runs of ten, from 0 to 9. */
function valueOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (zero > code - 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}

const uuid = String.raw`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`;
/** 13 to 19 digits with these between them, whatever word stands right before. UUIDs are passed over whole. */
const runs = (separators: string) =>
  new RegExp(`${uuid}|(?<!\\d)\\d(?:[${separators}]{0,3}\\d){12,18}(?![0-9A-Za-z]|[.:-]\\w)`, 'gi');

// A dot separates in ids alone: in a text it may be a fraction's.
const inTexts = runs(String.raw`\s()/_\-`);
const inIds = runs(String.raw`\s()/_.\-`);

/** A text without what are card numbers in it, whatever stands between their digits. */
export function maskCards(text: string, mask: string): string {
  return text.replace(inTexts, (run) => (isRunOfCard(run) ? mask : run));
}

/** Whether an identifier holds what looks like a card number. One of sixteen digits does by chance in one of ten. */
export function holdsCardNumber(id: string): boolean {
  if (!mayHoldOne(id)) return false;
  for (const [run] of plainDigits(id).matchAll(inIds)) if (isRunOfCard(run)) return true;
  return false;
}

/** What has letters is a UUID: the digits between them are not one number. */
function isRunOfCard(run: string): boolean {
  return !/[a-z]/i.test(run) && isCardNumber(run.replaceAll(/\D/g, ''));
}

/** Walks a text once: most have no such run, and the expression costs fifty times as much. */
function mayHoldOne(text: string): boolean {
  let [digits, gap] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // Another alphabet's digits may be there, and what is invisible.
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
