const maxLineLength = 8_192;

type TextLine =
  | { line: number; text: string }
  | { line: number; fault: 'line_too_long'; fatal: true };

/** Splits a text that comes in pieces into lines. A line longer than 8,192 characters ends it. */
export function createTextLines() {
  let line = 0;
  let remainder = '';
  const tooLong = (): TextLine => ({ line: line + 1, fault: 'line_too_long', fatal: true });
  const next = (text: string): TextLine => {
    line += 1;
    return { line, text: text.endsWith('\r') ? text.slice(0, -1) : text };
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
