/** What may begin at a place; each matches as much of it as is valid. */
const tokens = {
  blank: /[ \t\n\r]*/y,
  string: /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/uy,
  scalar: /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y,
};

function lengthAt(token: RegExp, text: string, offset: number): number {
  token.lastIndex = offset;
  return token.exec(text)?.[0].length ?? 0;
}

const skipBlank = (text: string, offset: number): number =>
  offset + lengthAt(tokens.blank, text, offset);

type Step = { offset: number; ok: boolean };
const stopped = (offset: number): Step => ({ offset, ok: false });
const passed = (offset: number): Step => ({ offset, ok: true });

function readString(text: string, offset: number): Step {
  const end = offset + lengthAt(tokens.string, text, offset);
  return end > offset && text[end] === '"' ? passed(end + 1) : stopped(end);
}

function readMember(text: string, offset: number): Step {
  const name = readString(text, offset);
  if (!name.ok) return name;
  const colon = skipBlank(text, name.offset);
  return text[colon] === ':' ? readValue(text, skipBlank(text, colon + 1)) : stopped(colon);
}

/** The entries of a list, or the members of an object, whose bracket is at `offset`. */
function readEntries(text: string, offset: number): Step {
  const [readEntry, end] = text[offset] === '{' ? [readMember, '}'] : [readValue, ']'];
  let at = skipBlank(text, offset + 1);
  if (text[at] === end) return passed(at + 1);
  for (;;) {
    const entry = readEntry(text, at);
    if (!entry.ok) return entry;
    at = skipBlank(text, entry.offset);
    if (text[at] === end) return passed(at + 1);
    if (text[at] !== ',') return stopped(at);
    at = skipBlank(text, at + 1);
  }
}

function readValue(text: string, offset: number): Step {
  const first = text[offset];
  if (first === '"') return readString(text, offset);
  if (first === '{' || first === '[') return readEntries(text, offset);
  const length = lengthAt(tokens.scalar, text, offset);
  return length > 0 ? passed(offset + length) : stopped(offset);
}

/** Where a text that JSON.parse refuses stops being JSON; it nests no deeper than bodies may. */
function faultOffset(text: string): number {
  const value = readValue(text, skipBlank(text, 0));
  return value.ok ? skipBlank(text, value.offset) : value.offset;
}

/** Names the line and the column, and nothing of the text, which may be personal. */
export function explainInvalidJson(text: string): string {
  const offset = faultOffset(text);
  const lines = text.slice(0, offset).split('\n');
  const column = Array.from(lines.at(-1) ?? '').length + 1;
  const where = `line ${lines.length}, column ${column}`;
  return offset === text.length
    ? `the body is not valid JSON: it ends too early, at ${where}`
    : `the body is not valid JSON at ${where}`;
}
