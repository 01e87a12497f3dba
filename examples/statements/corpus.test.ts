import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inOneChunk } from '#shared/application/statements/files/source.ts';
import { readStatementFile } from '#shared/application/statements/read-file.ts';
import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';

type Line = {
  kind: string;
  direction: 'in' | 'out';
  amount: string;
  leg_id: string;
  completed_at: string;
  operation_id?: string;
};
/** What a person read in the file: its lines, or why it is refused. */
type ExpectedReading = {
  format: string;
  encoding: string;
  statement: { currency: string; day: string; account_number?: string };
  errors?: { line: number; code: string; difference?: string }[];
  /** Null if the file has none. */
  opening?: string | null;
  closing?: string | null;
  /** Entries that are left out because the bank has not booked them. */
  not_booked?: number;
  left_out?: { number: string; currency: string; lines: number }[];
  lines?: Line[];
};

const folder = new URL('files/', import.meta.url).pathname;
const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.\w+$/.test(path))
  .toSorted();
const files = paths.filter((path) => !path.endsWith('.json'));

const readExpectation = (path: string): ExpectedReading =>
  JSON.parse(readFileSync(join(folder, `${path}.json`), 'utf8')) as ExpectedReading;

async function readActual(
  path: string,
  { currency, day, account_number }: ExpectedReading['statement'],
) {
  const of = { provider: 'bank', account: 'default', currency, day };
  const known = { accountNumber: account_number };
  const read = await readStatementFile(inOneChunk(readFileSync(join(folder, path))), of, known);
  const { format, encoding } = read.dialect;
  if (!read.ok) return { format, encoding, errors: read.errors };
  return {
    format,
    encoding,
    opening: read.balances.openingBalance ?? null,
    closing: read.balances.closingBalance ?? null,
    ...(read.notBooked > 0 && { not_booked: read.notBooked }),
    left_out: read.others,
    lines: read.lines.map(({ line: _line, ...each }) => each),
  };
}

describe('the corpus of statements (R22.19)', () => {
  it.each(files)('is read as a person reads it: %s', async (path) => {
    const { statement, ...expected } = readExpectation(path);
    expect(await readActual(path, statement)).toEqual(expected);
  });

  it('has the lines that lead from the opening to the closing balance', () => {
    for (const path of files) {
      const { opening, closing, lines = [] } = readExpectation(path);
      if (opening === undefined || opening === null) continue;
      const moved = lines.reduce(
        (sum, { direction, amount }) => sum + toMinor(amount) * (direction === 'in' ? 1n : -1n),
        0n,
      );
      expect([path, fromMinor(toMinor(opening) + moved)]).toEqual([path, closing]);
    }
  });

  it('has sixty files at least, each in the list, with what is expected of it', () => {
    expect(files.length).toBeGreaterThanOrEqual(60);
    expect(paths.filter((path) => path.endsWith('.json'))).toEqual(
      files.map((path) => `${path}.json`).toSorted(),
    );
    const list = readFileSync(new URL('README.md', import.meta.url), 'utf8');
    expect(files.filter((path) => !list.includes(`- \`${basename(path)}\`, after `))).toEqual([]);
  });
});
