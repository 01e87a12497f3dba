import { columnNumber } from '../cell-name.ts';
import { InvalidWorkbook, WorkbookTooLarge } from './archive.ts';
import { cellText, readElements, type XmlAttributes, type ElementHandlers } from './elements.ts';
import { generalFormat, type NumberFormat } from './number-formats.ts';
import type { Workbook } from './workbook.ts';

/** `number`: as it is stored. `other`: true, false, or the error of a formula. */
export type SheetCell =
  | { text: string }
  | { number: string; format: NumberFormat }
  | { kind: 'formula' | 'date' | 'other' };

/** A row of a sheet, with its number there; cells may be absent. */
type SheetRow = { row: number; cells: (SheetCell | undefined)[] };

/** No file of payouts has more. */
const mostColumns = 256;
/** A whole number: errors and totals count rows. */
const rowPattern = /^[1-9]\d{0,6}$/;
const cellPattern = /^([A-Z]{1,3})[1-9]\d{0,6}$/;

/**
 * The rows that a sheet stores, in their order; empty ones may be absent. `mostCharacters`: of all
 * cells, because a text that is stored once may be in many.
 * @throws InvalidWorkbook, WorkbookTooLarge
 */
export async function* readSheetRows(
  workbook: Workbook,
  mostCharacters: number,
): AsyncGenerator<SheetRow> {
  const reader = createSheetReader(workbook, mostCharacters);
  for await (const _ of readElements(workbook.sheet, reader.handlers)) yield* reader.wholeRows();
}

/** A cell that is not read to its end. */
type CellSource = {
  column: number;
  type: string;
  style: string | undefined;
  value: string;
  isFormula: boolean;
};

function createSheetReader(workbook: Workbook, mostCharacters: number) {
  let rows: SheetRow[] = [];
  let row: SheetRow = { row: 0, cells: [] };
  let cell: CellSource | undefined;
  let lastColumn = -1;
  let characters = 0;

  const openRow = ({ r }: XmlAttributes) => {
    const number = r === undefined ? row.row + 1 : rowPattern.test(r) ? Number(r) : Number.NaN;
    if (!(number > row.row)) throw new InvalidWorkbook('its rows are out of order');
    row = { row: number, cells: [] };
    lastColumn = -1;
  };
  const openCell = ({ r, t = 'n', s }: XmlAttributes) => {
    const column = r === undefined ? lastColumn + 1 : columnNumber(cellPattern.exec(r)?.[1] ?? '');
    if (!(column > lastColumn)) throw new InvalidWorkbook('its cells are out of order');
    lastColumn = column;
    cell = { column, type: t, style: s, value: '', isFormula: false };
  };
  const closeCell = (source: CellSource) => {
    const read = readCell(workbook, source);
    cell = undefined;
    if (!read) return;
    if ('text' in read) characters += read.text.length;
    if (characters > mostCharacters || source.column >= mostColumns) throw new WorkbookTooLarge();
    row.cells[source.column] = read;
  };
  const handlers: ElementHandlers = {
    open: ({ length, 1: part, 4: inCell }, attributes) => {
      if (part !== 'sheetData') return;
      if (length === 3) openRow(attributes);
      if (length === 4) openCell(attributes);
      if (length === 5 && inCell === 'f' && cell) cell.isFormula = true;
    },
    close: (path, text) => {
      const { length, 1: part, 4: inCell } = path;
      if (part !== 'sheetData') return;
      const isText = inCell === 'is' && path.at(-1) === 't' && !path.includes('rPh');
      if (cell && (isText || (inCell === 'v' && length === 5))) cell.value += text;
      if (cell && length === 4) closeCell(cell);
      if (length === 3) rows.push(row);
    },
  };
  const wholeRows = (): SheetRow[] => {
    const read = rows;
    rows = [];
    return read;
  };
  return { handlers, wholeRows };
}

/** Undefined if it is empty. @throws InvalidWorkbook where it refers to what the file lacks */
function readCell({ texts, formats }: Workbook, source: CellSource): SheetCell | undefined {
  const { type, style, value, isFormula } = source;
  if (isFormula) return { kind: 'formula' };
  if (value === '') return undefined;
  if (type === 'inlineStr' || type === 'str') return { text: cellText(value) };
  if (type === 'd') return { kind: 'date' };
  if (type === 's') return { text: listed(texts, value) };
  if (type !== 'n') return { kind: 'other' };
  const format =
    style === undefined && formats.length === 0 ? generalFormat : listed(formats, style);
  return { number: value, format };
}

function listed<T>(list: readonly T[], index = '0'): T {
  const found = list[Number(index)];
  if (found === undefined) throw new InvalidWorkbook('a cell has what the file lacks');
  return found;
}
