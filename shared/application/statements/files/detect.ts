import { createCsvSplitter, type CsvRecord } from '#shared/platform/csv/read.ts';
import { detectEncoding, type Encoding } from './encoding.ts';

export const formats = ['csv', 'camt.053', 'camt.054', 'mt940', '1c'] as const;
export type Format = (typeof formats)[number];
export const delimiterNames = ['comma', 'semicolon', 'tab'] as const;
type Delimiter = (typeof delimiterNames)[number];
export const decimals = ['dot', 'comma'] as const;

export const delimiters = { comma: ',', semicolon: ';', tab: '\t' } as const;
/** The dialect of a file; the last two members apply to CSV only. */
export type Dialect = {
  format: Format;
  encoding: Encoding;
  delimiter?: Delimiter | undefined;
  decimal?: (typeof decimals)[number] | undefined;
};

/** The properties that a person specified; the others are detected. */
export type DialectOverride = { [Name in keyof Dialect]?: Dialect[Name] | undefined };

const headLength = 16_384;

/** The dialect of a file, detected from its bytes except for what `override` specifies. */
export function detectDialect(bytes: Uint8Array, override: DialectOverride = {}): Dialect {
  const encoding = override.encoding ?? detectEncoding(bytes);
  const first = new TextDecoder(encoding).decode(bytes.subarray(0, headLength));
  const format = override.format ?? detectFormat(first);
  if (format !== 'csv') return { format, encoding };
  const delimiter = override.delimiter ?? detectDelimiter(first);
  const decimal = override.decimal ?? detectDecimal(first, delimiter);
  return { format, encoding, delimiter, decimal };
}

function detectFormat(head: string): Format {
  const text = head.trimStart();
  if (text.startsWith('1CClientBankExchange')) return '1c';
  if (text.startsWith('<')) return text.includes('BkToCstmrDbtCdtNtfctn') ? 'camt.054' : 'camt.053';
  return /^(?:\{1:|:\d\d[A-Z]?:)/.test(text) ? 'mt940' : 'csv';
}

/** The one that the first line has most of. */
function detectDelimiter(head: string): Delimiter {
  const [line = ''] = head.split('\n', 1);
  const counts = delimiterNames.map((name) => ({
    name,
    count: line.split(delimiters[name]).length,
  }));
  return counts.reduce((most, each) => (each.count > most.count ? each : most)).name;
}

/** Detects the decimal separator from the first amount. */
function detectDecimal(head: string, delimiter: Delimiter): 'dot' | 'comma' {
  const records = createCsvSplitter(delimiters[delimiter]).take(head);
  const cells = (record: CsvRecord | void) => (record && 'cells' in record ? record.cells : []);
  const at = cells(records.next().value).indexOf('amount');
  return /,\d+$/.test(cells(records.next().value)[at] ?? '') ? 'comma' : 'dot';
}
