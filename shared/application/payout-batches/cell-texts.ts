import { methodDestination, storedNumber } from '#shared/domain/methods/index.ts';
import type { SheetCell } from './xlsx/sheet-rows.ts';

/** Why a cell is refused, whatever its column. */
type CellCode = 'cell_formula' | 'cell_date' | 'cell_number' | 'field_invalid' | 'amount_invalid';
type CellText = { text: string } | { code: CellCode };

/**
 * A cell as the text that a request has. Of a number only what is stored exactly is taken, and
 * shown so: a spreadsheet stores no more than 15 digits, and may show others.
 */
export function readCellText(cell: SheetCell | undefined, column: string): CellText {
  const isAmount = column === 'amount';
  if (!cell) return { text: '' };
  if ('kind' in cell) return { code: faults[cell.kind] };
  if ('text' in cell) return readText(cell.text, column);
  const { number, format } = cell;
  if (format.kind === 'date') return { code: 'cell_date' };
  const isShown = format.kind === 'plain' || (isAmount && format.kind === 'amount');
  if (!isShown || !storedForm.test(number)) return { code: 'cell_number' };
  if (isAmount) return readAmount(number, format.decimals);
  const value = Number(number);
  const isExact = Number.isInteger(value) && value >= 0 && value < exactBound;
  return isExact ? { text: String(value) } : { code: 'cell_number' };
}

const faults = {
  formula: 'cell_formula',
  date: 'cell_date',
  other: 'field_invalid',
} as const;
/** Google writes 17 as `17.0`, and ten million as `1.0E7`. */
const storedForm = /^-?\d+(?:\.\d+)?(?:E[+-]?\d+)?$/i;
/** A spreadsheet stores 15 digits, and makes further ones 0. */
const exactBound = 10 ** 15;
/** As spreadsheets write it: `7,90012E+10`. */
const scientific = /^\d(?:[.,]\d+)?E\+\d{2,3}$/;

/** An ID may be `5E+12`, and a name too. */
function readText(text: string, column: string): CellText {
  const isNumeric = column === 'amount' || column === 'number';
  if (isNumeric && scientific.test(text)) return { code: 'cell_number' };
  return { text: column === 'amount' ? tidyAmount(text) : text };
}

/** Below it two decimals are exact with the 15 digits of spreadsheets. */
const amountBound = 10 ** 13;

/**
 * Spreadsheets store a binary fraction, and show 15 digits of it: `0.30000000000000004` is 0.3.
 * `decimals`: those that the cell shows.
 */
function readAmount(number: string, decimals: number): CellText {
  const shown = Number(Number(number).toPrecision(15));
  if (Math.abs(shown) >= amountBound) return { code: 'cell_number' };
  const text = shown.toFixed(2);
  if (Number(text) !== shown) return { code: 'amount_invalid' };
  const isShown = decimals >= 2 || Number(shown.toFixed(decimals)) === shown;
  return isShown ? { text } : { code: 'cell_number' };
}

const blanks = /[ \u{A0}\u{202F}]/gu;
const grouped = /^(?:\d+|\d{1,3}(?:[ \u{A0}\u{202F}]\d{3})+)[.,]\d{2}$/u;

/** `1 500,00` as `1500.00`. */
const tidyAmount = (text: string): string =>
  grouped.test(text) ? text.replaceAll(blanks, '').replace(',', '.') : text;

/** Blanks, hyphens and brackets, and what can't be seen. */
const separators = /[\p{Zs}\p{Pd}\p{Cf}()]/gu;

/**
 * A number without what people and spreadsheets write in it. One that a request may have stays as
 * it is: it may have been sent so before, and then is the same payout.
 */
export function tidyNumber(method: string, number: string): string {
  const { pattern } = methodDestination(method);
  return pattern.test(storedNumber(method, number)) ? number : number.replaceAll(separators, '');
}
