import { fetchStatement, type FetchedStatement } from '#shared/application/statements/fetch.ts';
import { importStatement } from '#shared/application/statements/import-statement.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import type { StatementOf } from '#shared/domain/statements/events.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { listMissing } from './missing.ts';
import type { AccountOf } from './parameters.ts';
import {
  oneRequest,
  requireAccount,
  requireDay,
  settled,
  type ImportResult,
} from './import-file.ts';

/** Timeouts of each page and of all pages, short because a person waits. */
const pageTimeoutMs = 10_000;
const timeoutMs = 25_000;

/**
 * `not_yet`: the provider has no complete statement of the day. `unknown`: no clear response.
 * `unsupported`: the provider has no statements. Nothing is written in these cases.
 */
export type StatementRequest =
  | ImportResult
  | { outcome: 'not_yet' | 'unknown' | 'unsupported'; cause?: string };

/** The outcome for each day. `left`: how many days still have no statement. */
export type StatementRequests = { days: ({ day: string } & StatementRequest)[]; left: number };

/**
 * Fetches the statement of a day from the provider and imports it, replacing a different earlier
 * one.
 * @throws Problem not_found, invalid_request (`day_not_over`), not_ready
 */
export async function importFromProvider(
  dependencies: Ports,
  of: StatementOf,
  origin: Origin,
): Promise<StatementRequest> {
  await requireAccount(dependencies, of);
  requireDay(of);
  return oneRequest(() =>
    fetchDay(dependencies, of, { origin, signal: AbortSignal.timeout(timeoutMs) }),
  );
}

/**
 * Fetches all missing days of an account, newest first, within the time of a request; a repeat
 * continues with the remaining days.
 * @throws Problem not_found, not_ready
 */
export async function fetchMissingStatements(
  dependencies: Ports & Parameters<typeof listMissing>[0],
  of: AccountOf,
  { origin, nowMs }: { origin: Origin; nowMs: number },
): Promise<StatementRequests> {
  await requireAccount(dependencies, of);
  return oneRequest(async () => {
    const { missing } = await listMissing(dependencies, nowMs);
    const due = missing.find((each) => isSame(each, of))?.days ?? [];
    const signal = AbortSignal.timeout(timeoutMs);
    const days: StatementRequests['days'] = [];
    for (const day of due) {
      if (signal.aborted) break;
      const outcome = await fetchDay(dependencies, { ...of, day }, { origin, signal });
      days.push({ day, ...outcome });
      if (outcome.outcome === 'unsupported') break;
    }
    return { days, left: due.length - days.filter((each) => 'import' in each).length };
  });
}

type Ports = Pick<AdminDependencies, 'store' | 'accounts' | 'directory'>;

const isSame = (one: AccountOf, other: AccountOf): boolean =>
  one.provider === other.provider &&
  one.account === other.account &&
  one.currency === other.currency;

async function fetchDay(
  { store, accounts }: Ports,
  of: StatementOf,
  { origin, signal }: { origin: Origin; signal: AbortSignal },
): Promise<StatementRequest> {
  const bounds = { timeoutMs: pageTimeoutMs, signal };
  const used = await accounts.use(
    of,
    async ({ statement }): Promise<FetchedStatement | undefined> =>
      statement ? fetchStatement({ statement }, of, bounds) : undefined,
  );
  if (used.outcome === 'absent') throw new Problem('not_found');
  if (used.outcome !== 'used') return { outcome: 'unknown', cause: used.outcome };
  const { result: fetched } = used;
  if (!fetched) return { outcome: 'unsupported' };
  if (fetched.outcome === 'unavailable') return { outcome: 'unknown', cause: fetched.cause };
  if (fetched.outcome === 'not_yet') return fetched;
  return settled(await importStatement({ store, origin }, fetched.statement));
}
