/**
 * What a cell's format shows of its number: the number itself, an amount with so many decimals, or
 * something else than is stored.
 */
export type NumberFormat =
  | { kind: 'plain' | 'amount'; decimals: number }
  | { kind: 'date' | 'scientific' | 'other' };

/** General and text show each decimal that is stored. */
export const generalFormat: NumberFormat = { kind: 'plain', decimals: Number.POSITIVE_INFINITY };
const whole: NumberFormat = { kind: 'plain', decimals: 0 };
const amount = (decimals: number): NumberFormat => ({ kind: 'amount', decimals });
const date: NumberFormat = { kind: 'date' };
const scientific: NumberFormat = { kind: 'scientific' };
const other: NumberFormat = { kind: 'other' };

/** Formats that a workbook may use without declaring them (ECMA-376, 18.8.30). */
const builtIn: readonly [format: NumberFormat, first: number, last: number][] = [
  [generalFormat, 0, 0],
  [whole, 1, 1],
  [amount(2), 2, 2],
  [amount(0), 3, 3],
  [amount(2), 4, 4],
  [amount(0), 5, 6],
  [amount(2), 7, 8],
  [scientific, 11, 11],
  [date, 14, 22],
  [date, 27, 36],
  [amount(0), 37, 38],
  [amount(2), 39, 40],
  [amount(0), 41, 42],
  [amount(2), 43, 44],
  [date, 45, 47],
  [scientific, 48, 48],
  [generalFormat, 49, 49],
  [date, 50, 58],
];

/** Spreadsheets write no longer ones. */
const longestCode = 255;

/** `code`: as the workbook declares it, if it does. */
export function readFormat(id: number, code: string | undefined): NumberFormat {
  if (code !== undefined) return code.length > longestCode ? other : readCode(code);
  return builtIn.find(([, first, last]) => first <= id && id <= last)?.[0] ?? other;
}

/** Texts, colours and currencies, spaces as wide as a character, and fill characters. */
const literals = /"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/gs;

function readCode(code: string): NumberFormat {
  if (/^(?:general|@)$/i.test(code)) return generalFormat;
  if (code === '0') return whole;
  if (/\[(?:h+|m+|s+)\]/i.test(code)) return date;
  const bare = code.replaceAll(literals, '');
  if (/e[+-]/i.test(bare)) return scientific;
  if (/[dmyhs]/i.test(bare)) return date;
  // A literal digit would be shown as one of the number; a comma at the end divides by thousands.
  const found = [...code.matchAll(literals)];
  const shown = found.map(([literal]) => literal).join('');
  const hidesDigits = /["\\][^"]*[\d%]/.test(shown) || /,(?![#0?])/.test(bare);
  const hasConditions = /\[[<>=]/.test(shown);
  const hasOwnPoint = found.some(({ 0: literal, index }) => {
    const around = [code[index - 1], code[index + literal.length]];
    return /^["\\].*[.,]/s.test(literal) && around.every((each = '') => /[#0?]/.test(each));
  });
  const sections = bare.split(';');
  const isAmount = sections.every((part) =>
    /^[\s#0?,()+@-]*(?:general|\.[0#?]*)?[\s()₽$€₸-]*$/iu.test(part),
  );
  return isAmount && !hidesDigits && !hasConditions && !hasOwnPoint
    ? readSection(sections[0] ?? '')
    : other;
}

/** The first section is that of amounts above zero; an empty one shows nothing. */
function readSection(section: string): NumberFormat {
  if (/general/i.test(section)) return amount(Number.POSITIVE_INFINITY);
  if (!/[#0?]/.test(section) || /[-(]/.test(section)) return other;
  return amount(/\.([#0?]*)/.exec(section)?.[1]?.length ?? 0);
}
