import { decodeLine } from '#shared/domain/statements/lines.ts';
import {
  balanceSchema,
  type StatementOf,
  type StoredLine,
} from '#shared/domain/statements/events.ts';
import { createYieldTurns } from '#shared/platform/loop/yield-loop.ts';
import type { CallBounds, ProviderConnector, StatementLine } from '../providers/connector.ts';
import { daysAround } from './days.ts';
import type { StatementToImport } from './import-statement.ts';

export type FetchedStatement =
  | { outcome: 'fetched'; statement: StatementToImport }
  /** The provider has no complete statement of the day yet. */
  | { outcome: 'not_yet'; cause: string }
  | { outcome: 'unavailable'; cause: string };

/** The maximum number of lines: a provider that repeats pages forever would fill the memory. */
const mostLines = 500_000;
/** The maximum number of pages: with one line on each, other statements would wait for days. */
const mostPages = 5_000;

const unavailable = (cause: string): FetchedStatement => ({ outcome: 'unavailable', cause });

const isBalance = (text: string | undefined) => balanceSchema.optional().safeParse(text).success;

/** The whole statement of a day that is over, page by page; `bounds` are those of each page. */
export async function fetchStatement(
  { statement }: Required<Pick<ProviderConnector, 'statement'>>,
  of: StatementOf,
  bounds: CallBounds,
): Promise<FetchedStatement> {
  const lines: StoredLine[] = [];
  const days = daysAround(of.day);
  const query = { account: of.account, currency: of.currency, day: of.day };
  const yieldTurn = createYieldTurns();
  let next: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await statement({ ...query, ...(next !== undefined && { page: next }) }, bounds);
    if (page.outcome === 'unavailable') return page;
    if (!page.final) return { outcome: 'not_yet', cause: 'the day is not over there' };
    if (lines.length + page.lines.length > mostLines)
      return unavailable(`more than ${mostLines} lines`);
    for (const providerLine of page.lines) {
      await yieldTurn();
      const line = decodeLine(toStored(providerLine, lines.length + 1), days);
      if ('code' in line) return unavailable(`line ${lines.length + 1}: ${line.code}`);
      lines.push(line);
    }
    if (page.next !== undefined) {
      if (page.next === next || page.lines.length === 0)
        return unavailable('a page that leads nowhere');
      next = page.next;
      continue;
    }
    const { openingBalance, closingBalance } = page;
    if (!isBalance(openingBalance)) return unavailable('opening balance');
    if (!isBalance(closingBalance)) return unavailable('closing balance');
    return {
      outcome: 'fetched',
      statement: { of, source: 'provider', lines, openingBalance, closingBalance },
    };
  }
  return unavailable(`more than ${mostPages} pages`);
}

function toStored(
  { kind, direction, legId, ofLegId, of, amount, completedAt }: StatementLine,
  line: number,
): StoredLine {
  return {
    line,
    kind,
    direction,
    leg_id: legId,
    ...(ofLegId !== undefined && { of_leg_id: ofLegId }),
    ...(of && { operation_id: of.operationId, attempt: of.attempt }),
    amount,
    completed_at: completedAt,
  };
}
