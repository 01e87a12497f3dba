const maxLineLength = 8_192;

type TextLine =
  | { line: number; text: string }
  | { line: number; fault: 'line_too_long'; fatal: true };

/** SWIFT has them around a message, and DOS at the end of a file, before others are joined. */
const marks = ['\u{1}', '\u{3}', '\u{1A}'];

function withoutMarks(text: string): string {
  let [from, to] = [0, text.endsWith('\r') ? text.length - 1 : text.length];
  while (from < to && marks.includes(text.charAt(from))) from += 1;
  while (to > from && marks.includes(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

/** Splits a text that comes in pieces into lines. A line longer than 8,192 characters ends it. */
export function createTextLines() {
  let line = 0;
  let remainder = '';
  const tooLong = (): TextLine => ({ line: line + 1, fault: 'line_too_long', fatal: true });
  const next = (text: string): TextLine => {
    line += 1;
    return { line, text: withoutMarks(text) };
  };

  function* take(text: string): Generator<TextLine> {
    const lines = `${remainder}${text}`.split('\n');
    remainder = lines.pop() ?? '';
    for (const each of lines) {
      if (each.length > maxLineLength) return yield tooLong();
      yield next(each);
    }
    if (remainder.length > maxLineLength) yield tooLong();
  }

  return {
    take,
    *end(): Generator<TextLine> {
      if (remainder !== '') yield next(remainder);
    },
    /** The number of the last line. */
    line: () => line,
  };
}
