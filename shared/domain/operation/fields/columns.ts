import type { FieldEntry } from './entry.ts';
import { operationFields } from './table.ts';

type Fields = typeof operationFields;
type Columns = {
  -readonly [
    Name in keyof Fields as Fields[Name] extends { column: object } ? Name : never
  ]: Fields[Name] extends { column: infer Column } ? Column : never;
};

const entries: readonly [string, FieldEntry][] = Object.entries(operationFields);

/** The columns of gateway.operations that are fields of the operation object. */
export const operationColumns = Object.fromEntries(
  entries.flatMap(([name, { column }]) => (column ? [[name, column]] : [])),
) as Columns;
