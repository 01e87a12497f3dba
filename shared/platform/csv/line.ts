/**
 * A cell: a text that people or other systems wrote, or what the gateway made itself, such as an
 * amount or a time.
 */
export type Cell = { value: string | null; foreign: boolean };

/**
 * Where a spreadsheet would begin a formula: at the start of a cell, and after characters at which
 * some of them split cells or lines even within quotes (Excel splits at semicolons where the
 * decimal separator is a comma).
 */
const formulas = /^(?=[' ]*[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])(?=[' ]*[=+\-@＝＋－＠])/g;
const needsQuotes = /[",;\t\r\n]|^\s|\s$/;

/** The text with an apostrophe before each place where a spreadsheet would begin a formula. */
export const harmless = (text: string): string => text.replace(formulas, "'");

/** One record (RFC 4180). A missing value and an empty text look the same. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(writeCell).join(',')}\r\n`;

function writeCell({ value, foreign }: Cell): string {
  if (value === null) return '';
  const text = foreign ? harmless(value) : value;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
