import { BOUND_WORD, DIGITS, SPACES, WORD, findCategory, characterRanges } from './unicode-sets.ts';

/** Why an expression can't be used, in words for the one who wrote it. */
export class RegexError extends Error {
  override readonly name = 'RegexError';
}

const MAX_CHARACTERS = 4096;

/**
 * Translates a regular expression of .NET, which the real server uses, to JavaScript. What both
 * read in the same way stays, what they read differently is rewritten, and anything else throws
 * `RegexError`: a filter with another meaning would lose events without notice.
 */
export function toRegExp(source: string): RegExp {
  if (source.length > MAX_CHARACTERS)
    throw new RegexError(`it is longer than ${MAX_CHARACTERS} characters`);
  // .NET has options at the start, as in `(?i)order`; JavaScript has them at the end.
  const [front = '', options = ''] = /^\(\?([ims]+)\)/.exec(source) ?? [];
  const translated = translate(source.slice(front.length), options);
  try {
    return new RegExp(translated, options.includes('i') ? 'i' : '');
  } catch {
    throw new RegexError('it is not one');
  }
}

const ANY = '[^]';
const AT_START = `(?<!${ANY})`;
const AT_END = `(?!${ANY})`;
const AT_END_OR_LAST_LINE_FEED = `(?=\\n?${AT_END})`;

const ESCAPE = String.raw`\\[pP]\{\w*\}|\\x[\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\[^]?`;
const GROUP = String.raw`\(\?(?:[:=!]|<[=!a-zA-Z_]|[^]?)`;

function translate(source: string, options: string): string {
  const multiline = options.includes('m');
  const signs = new Map([
    ['.', options.includes('s') ? ANY : '[^\\n]'],
    ['^', multiline ? '(?<![^\\n])' : '^'],
    ['$', multiline ? '(?![^\\n])' : AT_END_OR_LAST_LINE_FEED],
  ]);
  const token = new RegExp(`${ESCAPE}|${GROUP}|[^]`, 'y');
  let translated = '';
  for (let match = token.exec(source); match !== null; match = token.exec(source)) {
    const [text] = match;
    if (text === '[') {
      const set = readSet(source, token.lastIndex);
      translated += set.translated;
      token.lastIndex = set.end;
    } else if (text.startsWith('\\')) translated += escape(text);
    else if (text.startsWith('(?')) translated += group(text);
    else translated += signs.get(text) ?? text;
  }
  return translated;
}

/**
 * Only .NET has options inside an expression, conditions, comments, atomic and balancing groups.
 */
function group(text: string): string {
  if (/^\(\?(?:[:=!]|<.)$/.test(text)) return text;
  throw new RegexError(`${text} is not supported`);
}

const ANCHORS = new Map([
  ['\\A', AT_START],
  ['\\z', AT_END],
  ['\\Z', AT_END_OR_LAST_LINE_FEED],
]);

function escape(text: string): string {
  if (text === '\\b' || text === '\\B') return boundary(text === '\\b');
  const anchor = ANCHORS.get(text);
  if (anchor !== undefined) return anchor;
  const members = translateClass(text);
  return members === undefined ? character(text) : `[${members}]`;
}

function boundary(isBoundary: boolean): string {
  const wordClass = `[${characterRanges(BOUND_WORD)}]`;
  const [afterWord, notAfterWord] = [`(?<=${wordClass})`, `(?<!${wordClass})`];
  const [beforeWord, notBeforeWord] = [`(?=${wordClass})`, `(?!${wordClass})`];
  return isBoundary
    ? `(?:${afterWord}${notBeforeWord}|${notAfterWord}${beforeWord})`
    : `(?:${afterWord}${beforeWord}|${notAfterWord}${notBeforeWord})`;
}

const SETS = new Map([
  ['d', DIGITS],
  ['s', SPACES],
  ['w', WORD],
]);

/**
 * The characters of an escape that matches several; undefined for one that matches a single
 * character.
 */
function translateClass(text: string): string | undefined {
  const letter = text.charAt(1);
  const negated = /[A-Z]/.test(letter);
  if (letter.toLowerCase() !== 'p') {
    const set = SETS.get(letter.toLowerCase());
    return set === undefined ? undefined : characterRanges(set, { negated });
  }
  const category = findCategory(text.slice(3, -1));
  if (category === undefined) throw new RegexError(`${text} is not supported`);
  return characterRanges(category, { negated });
}

/**
 * JavaScript does not have `\a` and `\e`. An escape that .NET does not know is an error in .NET.
 */
function character(text: string): string {
  if (text === '\\a') return '\\x07';
  if (text === '\\e') return '\\x1b';
  if (/^\\(?:[tnrfv]|[xu][\da-fA-F]+|[ -/:-@[-^`{-~])$/.test(text)) return text;
  throw new RegexError(`${text} is not supported`);
}

type SetPosition = 'begin' | 'character' | 'set' | 'range' | 'after range';

/** Reads a set in brackets, from after the opening bracket. */
function readSet(source: string, from: number): { translated: string; end: number } {
  const isNegated = source[from] === '^';
  const token = new RegExp(String.raw`${ESCAPE}|\[:|-\[|[^]`, 'y');
  token.lastIndex = isNegated ? from + 1 : from;
  let position: SetPosition = 'begin';
  let members = '';
  for (let match = token.exec(source); match !== null; match = token.exec(source)) {
    const [text] = match;
    if (text === ']' && position !== 'begin')
      return { translated: `[${isNegated ? '^' : ''}${members}]`, end: token.lastIndex };
    const isLast = source[token.lastIndex] === ']';
    const member = translateMember(text, position, isLast);
    members += member.translated;
    ({ position } = member);
  }
  throw new RegexError('a [ has no ]');
}

type Member = { readonly translated: string; readonly position: SetPosition };

function translateMember(text: string, position: SetPosition, isLast: boolean): Member {
  // A ] at the start is a character in .NET and the end of the set in JavaScript. The other two are
  // subtraction and a class.
  if (text === ']' || text === '-[' || text === '[:')
    throw new RegexError(`${text} within a set is not supported`);
  if (text === '-') return dash(position, isLast);
  if (text.startsWith('\\') && text !== '\\b') {
    const set = translateClass(text);
    if (set !== undefined) {
      if (position === 'range') throw new RegexError(`a range can't end with ${text}`);
      return { translated: set, position: 'set' };
    }
  }
  const one =
    text === '\\b' ? text : text.startsWith('\\') ? character(text) : text === '[' ? '\\[' : text;
  return { translated: one, position: position === 'range' ? 'after range' : 'character' };
}

function dash(position: SetPosition, isLast: boolean): Member {
  if (position === 'set' && !isLast) throw new RegexError("a range can't begin with a set");
  if (position === 'character' && !isLast) return { translated: '-', position: 'range' };
  return { translated: '\\-', position: position === 'range' ? 'after range' : 'character' };
}
