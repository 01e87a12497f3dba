/** A record with the number of the line on which it begins, or the fault there. */
type SplitRecord =
  | { line: number; cells: string[] }
  | { line: number; fault: 'csv_quotes' | 'csv_too_long' };
export type CsvRecord = SplitRecord | { line: number; fault: 'csv_not_utf8' };

const maxRecordLength = 8_192;

/**
 * Reads the records of a CSV file (RFC 4180: commas, double quotes, CRLF or LF) from a stream of
 * bytes, one record in memory at a time. It ends at the first malformed record, because the end of
 * that one is unknown.
 */
export async function* readCsv(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRecord> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const splitter = createCsvSplitter();
  for await (const chunk of bytes) {
    const text = decodeOr(() => decoder.decode(chunk, { stream: true }));
    if (text === undefined) return yield { line: splitter.line(), fault: 'csv_not_utf8' };
    for (const record of splitter.take(text)) {
      yield record;
      if ('fault' in record) return;
    }
  }
  const remainder = decodeOr(() => decoder.decode());
  if (remainder === undefined) return yield { line: splitter.line(), fault: 'csv_not_utf8' };
  yield* splitter.end();
}

function decodeOr(decode: () => string): string | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

/** Splits a text that comes in pieces into records. */
export function createCsvSplitter(delimiter: ',' | ';' | '\t' = ',') {
  let line = 1;
  let begunAt = 1;
  let cells: string[] = [];
  let cell = '';
  let length = 0;
  /** `closed`: after a quote that either ends the cell or is the first of two. */
  let state: 'begin' | 'bare' | 'quoted' | 'closed' = 'begin';

  const endRecord = () => {
    const record = {
      line: begunAt,
      cells: [...cells, cell.endsWith('\r') && state !== 'closed' ? cell.slice(0, -1) : cell],
    };
    [cells, cell, length, state] = [[], '', 0, 'begin'];
    return record;
  };
  const endCell = () => {
    cells.push(cell);
    [cell, state] = ['', 'begin'];
  };
  /** @returns whether the character is allowed here */
  const put = (character: string): boolean => {
    if (state === 'quoted') {
      if (character === '"') state = 'closed';
      else cell += character;
      return true;
    }
    if (state === 'closed') {
      if (character === '"') [cell, state] = [`${cell}"`, 'quoted'];
      else if (character === delimiter) endCell();
      else return character === '\r';
      return true;
    }
    if (character === delimiter) endCell();
    else if (character === '"' && state === 'begin') state = 'quoted';
    else if (character === '"') return false;
    else [cell, state] = [cell + character, 'bare'];
    return true;
  };

  function* take(text: string): Generator<SplitRecord> {
    for (const character of text) {
      if (character === '\n' && state !== 'quoted') {
        const record = endRecord();
        line += 1;
        begunAt = line;
        yield record;
        continue;
      }
      if (character === '\n') line += 1;
      length += 1;
      if (length > maxRecordLength) return yield { line: begunAt, fault: 'csv_too_long' };
      if (!put(character)) return yield { line: begunAt, fault: 'csv_quotes' };
    }
  }

  return {
    line: () => begunAt,
    take,
    *end(): Generator<SplitRecord> {
      if (state === 'quoted') yield { line: begunAt, fault: 'csv_quotes' };
      else if (length > 0) yield endRecord();
    },
  };
}
