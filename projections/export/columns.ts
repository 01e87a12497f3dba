import type { ParquetWriter } from 'hyparquet-writer';

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

/** How a PostgreSQL column is selected and stored in a file. `null` stays null. */
export type ExportColumn = {
  name: string;
  /** The expression to select; `read` gets its value as text. */
  select: string;
  element: SchemaElement;
  read(text: string): unknown;
};

type Kind = Pick<ExportColumn, 'read'> & {
  element: Omit<SchemaElement, 'name'>;
  select?: (column: string) => string;
};

/** Exact: the digits of the amount, as an integer. */
export function unscaled(text: string, scale: number): bigint {
  const [integer = '', fraction = ''] = text.split('.');
  if (fraction.length > scale) throw new Error(`${text} has more than ${scale} decimals`);
  return BigInt(`${integer}${fraction.padEnd(scale, '0')}`);
}

const decimal = (scale: number): Kind => ({
  element: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    logical_type: { type: 'DECIMAL', precision: 38, scale },
    precision: 38,
    scale,
  },
  read: (text) => unscaled(text, scale),
});

/** Not the scale of amounts: a rate has up to 12 digits before the point. */
const rateScale = 18;

const kinds: Readonly<Record<string, Kind>> = {
  'numeric(38,2)': decimal(2),
  numeric: decimal(rateScale),
  integer: { element: { type: 'INT32' }, read: Number },
  bigint: { element: { type: 'INT64' }, read: BigInt },
  boolean: { element: { type: 'BOOLEAN' }, read: (text) => text === 't' },
  text: { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, read: String },
  jsonb: { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, read: String },
  uuid: {
    element: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } },
    read: String,
  },
  date: {
    element: { type: 'INT32', converted_type: 'DATE' },
    select: (column) => `${column} - date '1970-01-01'`,
    read: Number,
  },
  'timestamp with time zone': {
    element: {
      type: 'INT64',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    },
    select: (column) => `(extract(epoch from ${column}) * 1000000)::bigint`,
    read: BigInt,
  },
  // Few programs read Parquet's own interval type.
  interval: {
    element: { type: 'INT64' },
    select: (column) => `(extract(epoch from ${column}) * 1000)::bigint`,
    read: BigInt,
  },
};

/** @throws for a type that the export does not support */
export function exportColumn(name: string, type: string): ExportColumn {
  const kind = kinds[type];
  if (!kind) throw new Error(`a column of type ${type} can't be exported: ${name}`);
  const quoted = `"${name}"`;
  const inFile = type === 'interval' ? `${name}_ms` : name;
  return {
    name: inFile,
    select: kind.select ? kind.select(quoted) : quoted,
    element: { name: inFile, repetition_type: 'OPTIONAL', ...kind.element },
    read: kind.read,
  };
}
