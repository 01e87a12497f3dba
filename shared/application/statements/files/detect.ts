import { createCsvSplitter } from '#shared/platform/csv/read.ts';
import { headLength, type Encoding, type FileHead } from './encoding.ts';

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

/** The dialect of a file, detected from its head except for what `override` specifies. */
export function detectDialect(head: FileHead, override: DialectOverride = {}): Dialect {
  const { encoding } = head;
  const first = new TextDecoder(encoding).decode(head.first.subarray(0, headLength));
  const format = override.format ?? detectFormat(first);
  if (format !== 'csv') return { format, encoding };
  const delimiter = override.delimiter ?? detectDelimiter(first);
  const decimal = override.decimal ?? detectDecimal(first, delimiter);
  return { format, encoding, delimiter, decimal };
}

/** Some banks name themselves in lines before the first field. */
const mt940Start = /^(?:\{1:|(?:[^\n]{0,80}\n){0,5}:(?:20|25P?|60[FM]|61):)/;

function detectFormat(head: string): Format {
  // SWIFT's mark before a message.
  const text = head.replace('\u{1}', '').trimStart();
  if (text.startsWith('1CClientBankExchange')) return '1c';
  if (text.startsWith('<')) return text.includes('BkToCstmrDbtCdtNtfctn') ? 'camt.054' : 'camt.053';
  return mt940Start.test(text) ? 'mt940' : 'csv';
}

/** Where Excel names it, that; else the one that the header has most of. */
function detectDelimiter(head: string): Delimiter {
  const [, named] = /^sep=([,;\t])\r?\n/.exec(head) ?? [];
  const byName = delimiterNames.find((name) => delimiters[name] === named);
  const header = head.split('\n').find((line) => /[a-z]/i.test(line)) ?? '';
  const counts = delimiterNames.map((name) => ({
    name,
    count: header.split(delimiters[name]).length,
  }));
  return byName ?? counts.reduce((most, each) => (each.count > most.count ? each : most)).name;
}

/** Detects the decimal separator from the first amount that has one. */
function detectDecimal(head: string, delimiter: Delimiter): 'dot' | 'comma' {
  let at: number | undefined;
  const splitter = createCsvSplitter(delimiters[delimiter]);
  for (const record of [...splitter.take(head), ...splitter.end()]) {
    if ('fault' in record) break;
    const { cells } = record;
    if (at === undefined) {
      const found = cells.findIndex((cell) => cell.trim().toLowerCase() === 'amount');
      at = found < 0 ? undefined : found;
    } else {
      const [, sign] = /([.,])\d*$/.exec((cells[at] ?? '').trim()) ?? [];
      if (sign !== undefined) return sign === ',' ? 'comma' : 'dot';
    }
  }
  return 'dot';
}
