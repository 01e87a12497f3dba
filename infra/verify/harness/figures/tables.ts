/** Pads cells to the width of their column: the first column on the right, figures on the left. */
function padCells(
  lines: readonly (readonly string[])[],
  others: 'figures' | 'texts' = 'figures',
): string[][] {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
  );
  return lines.map((cells) =>
    cells.map((cell, column) =>
      column === 0 || others === 'texts'
        ? cell.padEnd(widths[column] ?? 0)
        : cell.padStart(widths[column] ?? 0),
    ),
  );
}

/** Lines with columns below each other, for a terminal. */
export const textTable = (lines: readonly (readonly string[])[]): string =>
  padCells(lines)
    .map((cells) => cells.join('  ').trimEnd())
    .join('\n');

/** A table in Markdown, aligned for readers of the source. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  others: 'figures' | 'texts' = 'texts',
): string {
  const cells = rows.map((row) => head.map((_, at) => (row[at] ?? '').replaceAll('|', '\\|')));
  const [first = [], ...rest] = padCells([head, ...cells], others);
  const rule = first.map(({ length }, column) =>
    column === 0 || others === 'texts' ? '-'.repeat(length) : `${'-'.repeat(length - 1)}:`,
  );
  return [first, rule, ...rest].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
