/** The number of a row as people and programs see it: a spreadsheet counts the header as row 1. */
export const toSheetRow = (row: number): number => row + 1;
