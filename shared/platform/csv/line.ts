/**
 * A cell: a text that people or other systems wrote, or what the gateway made itself, such as an
 * amount or a time.
 */
export type Cell = { value: string | null; foreign: boolean };

/**
 * Where a spreadsheet would begin a formula: at the start of a cell, and within it behind what some
 * of them part cells or lines by, whatever the quotes say (Excel goes by semicolons where commas
 * are for decimals).
 */
const formulas = /^(?=[' ]*[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])(?=[' ]*[=+\-@＝＋－＠])/g;
const needsQuotes = /[",;\t\r\n]|^\s|\s$/;

/**
 * The text as no spreadsheet runs it: an apostrophe before each place where a formula would begin.
 */
export const harmless = (text: string): string => text.replace(formulas, "'");

/** One record (RFC 4180). Nothing and an empty text are the same. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(writeCell).join(',')}\r\n`;

function writeCell({ value, foreign }: Cell): string {
  if (value === null) return '';
  const text = foreign ? harmless(value) : value;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
