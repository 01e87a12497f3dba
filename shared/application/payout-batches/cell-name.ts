/** A column's letters, as spreadsheets count them: that of column 0 is `A`, of column 26 `AA`. */
function columnLetters(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : `${columnLetters(Math.floor(column / 26) - 1)}${letter}`;
}

/** The column with those letters; NaN where they are none. */
export function columnNumber(letters: string): number {
  if (!/^[A-Z]{1,3}$/.test(letters)) return Number.NaN;
  return Buffer.from(letters).reduce((column, letter) => column * 26 + letter - 64, 0) - 1;
}

/** A cell as a spreadsheet names it, such as `D12`; rows count from 1, columns from 0. */
export const cellName = ({ row, column }: { row: number; column: number }): string =>
  `${columnLetters(column)}${row}`;
