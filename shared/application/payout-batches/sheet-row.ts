const headerRows = 1;

/**
 * A row has two numbers. Programs count from 1 below the header: `row` in the API, in `result.csv`
 * and in events. Spreadsheets, and with them names of cells and pages for people, count the header
 * as row 1.
 */
export const toSheetRow = (row: number): number => row + headerRows;

/** The number from 1 below the header. */
export const fromSheetRow = (sheetRow: number): number => sheetRow - headerRows;
