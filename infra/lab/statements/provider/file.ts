import { readStatementFile } from '#shared/application/statements/read-file.ts';
import type { GivenStatement } from '#shared/application/statements/import.ts';
import { fromMinor } from '#shared/domain/ledger/minor.ts';
import type { StatementOf } from '#shared/domain/statements/events.ts';
import { iso } from '../log/life.ts';
import { dayOf, type PlannedLine } from '../plan/planned.ts';

const columns =
  'kind,direction,leg_id,amount,currency,completed_at,of_leg_id,operation_id,attempt' as const;

export type FileBalances = { opening: bigint; closing: bigint };

/**
 * A day's statement as a person would bring it: written as CSV, and read as the gateway reads it.
 */
export async function statementFromFile(
  of: StatementOf,
  lines: readonly PlannedLine[],
  balances: FileBalances | undefined,
): Promise<GivenStatement> {
  const rows = linesOf(of, lines).map(rowOf);
  const bytes = Buffer.from(`${[columns, ...rows].join('\r\n')}\r\n`);
  const read = await readStatementFile(bytes, of);
  if (!read.ok)
    throw new Error(`the file was not read: ${JSON.stringify(read.errors.slice(0, 3))}`);
  return {
    of,
    source: 'file',
    lines: read.lines,
    ...(balances && {
      openingBalance: fromMinor(balances.opening),
      closingBalance: fromMinor(balances.closing),
    }),
  };
}

/** Those of the statement, each as often as it stands there. */
export function linesOf(
  { currency, day }: StatementOf,
  lines: readonly PlannedLine[],
): PlannedLine[] {
  return lines
    .filter((line) => line.currency === currency && dayOf(line.atMs) === day)
    .flatMap((line) => (line.twice ? [line, line] : [line]));
}

function rowOf({
  kind,
  direction,
  legId,
  minor,
  currency,
  atMs,
  ofLegId = '',
  of,
}: PlannedLine): string {
  const { operationId = '', attempt = '' } = of ?? {};
  const amount = fromMinor(BigInt(minor));
  return [kind, direction, legId, amount, currency, iso(atMs), ofLegId, operationId, attempt].join(
    ',',
  );
}
