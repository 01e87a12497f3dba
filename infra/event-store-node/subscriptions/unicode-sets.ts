/**
 * .NET's sets of characters, as ranges for a JavaScript class: there `\w`, `\d` and `\s` are ASCII
 * only, and `\p` means nothing. .NET matches UTF-16 units, so the ranges end with these.
 */
const cache = new Map<string, string>();
const LAST_UNIT = 0xffff;

/** The categories of Unicode, by the names that .NET has for them. */
const CATEGORY = /^(?:L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfson]?)$/;

export const DIGITS = '\\p{Nd}';
export const SPACES = '\\t-\\r\\u0085\\p{Z}';
export const WORD = '\\p{L}\\p{Mn}\\p{Nd}\\p{Pc}';
/** The characters of a word boundary: those of a word, and two joiners. */
export const BOUND_WORD = `${WORD}\\u200c\\u200d`;

/** The set of a `\p{…}`; undefined for a name that is no category, such as a block. */
export function findCategory(name: string): string | undefined {
  return CATEGORY.test(name) ? `\\p{${name}}` : undefined;
}

/** The characters of a set, or all others, for use in brackets. */
export function characterRanges(set: string, { negated = false } = {}): string {
  const key = negated ? `^${set}` : set;
  const ranges = cache.get(key) ?? findRanges(new RegExp(`[${key}]`, 'u'));
  cache.set(key, ranges);
  return ranges;
}

function findRanges(isMember: RegExp): string {
  let ranges = '';
  let begin: number | undefined;
  for (let unit = 0; unit <= LAST_UNIT + 1; unit += 1) {
    const member = unit <= LAST_UNIT && isMember.test(String.fromCharCode(unit));
    if (member) begin ??= unit;
    else if (begin !== undefined) {
      ranges += `${escapeUnit(begin)}-${escapeUnit(unit - 1)}`;
      begin = undefined;
    }
  }
  return ranges;
}

const escapeUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
