import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { newId } from '#shared/platform/ids.ts';
import type {
  AccountConnectors,
  ListedAccount,
} from '#shared/application/providers/accounts/connectors.ts';
import type { ProviderConnector, Providers } from '#shared/application/providers/connector.ts';
import { fetchStatement } from '#shared/application/statements/fetch.ts';
import { importStatement } from '#shared/application/statements/import-statement.ts';
import { readStatementState } from '#shared/application/statements/read-state.ts';
import { statementStream, type StatementOf } from '#shared/domain/statements/events.ts';
import { dueDays, missingDays } from './due-days.ts';
import type { StatementMetrics } from './metrics.ts';

type FetchingOptions = {
  store: Pick<EventStore, 'read' | 'append'>;
  providers: Providers;
  accounts: Pick<AccountConnectors, 'list'>;
  logger: Logger;
  metrics: StatementMetrics;
  /** How long after the end of a day its statement is fetched. */
  afterMs: number;
  /** How often the due days are checked. */
  pollEveryMs?: number;
  now(): number;
  signal: AbortSignal;
};

/** One account with a provider, in one currency. */
type Account = {
  of: Omit<StatementOf, 'day'>;
  connector: Required<Pick<ProviderConnector, 'statement'>>;
  /** The day on which it was added, if known. */
  since: string | undefined;
};

const pageTimeoutMs = 60_000;
const shortestRetryMs = 60_000;
const longestRetryMs = 3_600_000;
/** Not immediately at the start, when the process is busy. */
const firstCheckMs = 5_000;

/**
 * Fetches the statement of each finished day, once, for every account whose provider has
 * statements, until the signal. An imported statement, also one from a file, is not fetched
 * again. After an outage the missed days are fetched. Accounts are listed at each check, so that a
 * new account needs no restart.
 */
export async function runStatementFetching(options: FetchingOptions): Promise<void> {
  const { providers, accounts, logger, metrics, signal, pollEveryMs = 60_000 } = options;
  const warn = (error: unknown) => {
    if (!signal.aborted) logger.warn({ err: error }, 'statements can not be imported');
  };
  const retries: Retries = new Map();
  const imported = new Set<string>();
  try {
    for (
      let pauseMs = Math.min(firstCheckMs, pollEveryMs);
      !signal.aborted;
      pauseMs = pollEveryMs
    ) {
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) break;
      const listed = await accounts.list().catch(warn);
      const current = listAccounts(providers, listed ?? []);
      if (listed) metrics.only(current.map(({ of }) => of));
      const silent = new Set<string>();
      for (const account of current) {
        if (signal.aborted) break;
        await fetchMissing(account, { ...options, retries, imported, silent }).catch(warn);
      }
    }
  } finally {
    metrics.reset();
  }
}

function listAccounts(providers: Providers, listed: readonly ListedAccount[]): Account[] {
  return listed.flatMap(({ provider, account, since }) => {
    const { statement, carries = [] } = providers.get(provider) ?? {};
    if (!statement) return [];
    const currencies = [...new Set(carries.map(({ currency }) => currency))];
    return currencies.map((currency) => ({
      of: { provider, account, currency },
      connector: { statement },
      since: since?.slice(0, 10),
    }));
  });
}

/** For each stream: how often it failed, and when it is retried. */
type Retries = Map<string, { tries: number; dueMs: number }>;
/**
 * `silent`: providers that did not respond in this check. Their other accounts are skipped, so that
 * other providers need not wait.
 */
type FetchContext = FetchingOptions & {
  retries: Retries;
  imported: Set<string>;
  silent: Set<string>;
};

async function fetchMissing(account: Account, fetching: FetchContext): Promise<void> {
  const { metrics, now, signal, retries, silent } = fetching;
  const { connector, of } = account;
  const missing = await listMissingDays(account, fetching);
  let left = missing.length;
  for (const day of missing.toReversed()) {
    if (signal.aborted) return;
    const retry = retries.get(statementStream({ ...of, day }));
    if (silent.has(of.provider) || (retry && retry.dueMs > now())) continue;
    if (await fetchDay({ ...of, day }, connector, fetching)) left -= 1;
  }
  metrics.missing(of, left);
}

/** The days to be fetched, newest first; for an added account, all days since it was added. */
async function listMissingDays({ of, since }: Account, fetching: FetchContext): Promise<string[]> {
  const { store, afterMs, now, retries, imported } = fetching;
  const due = dueDays(now(), afterMs).filter((day) => since === undefined || day >= since);
  for (const day of due) await noteIfImported(store, { ...of, day }, imported);
  const toStream = (day: string) => statementStream({ ...of, day });
  return missingDays(due, {
    isImported: (day) => imported.has(toStream(day)),
    isRetried: (day) => since !== undefined || retries.has(toStream(day)),
  });
}

async function noteIfImported(
  store: Pick<EventStore, 'read'>,
  of: StatementOf,
  imported: Set<string>,
): Promise<void> {
  const stream = statementStream(of);
  if (!imported.has(stream) && (await readStatementState(store, of)).imported) imported.add(stream);
}

/** @returns whether the statement is imported */
async function fetchDay(
  of: StatementOf,
  connector: Account['connector'],
  { store, logger, metrics, now, signal, retries, imported, silent }: FetchContext,
): Promise<boolean> {
  const stream = statementStream(of);
  const origin = { actor: 'service:processor', correlationId: newId() };
  const fetched = await fetchStatement(connector, of, { timeoutMs: pageTimeoutMs, signal });
  if (fetched.outcome === 'unavailable' && fetched.cause === 'timeout') silent.add(of.provider);
  const done =
    fetched.outcome === 'fetched'
      ? await importStatement({ store, origin, signal, now }, fetched.statement)
      : fetched;
  metrics.fetched(of.provider, done.outcome);
  if (done.outcome === 'imported' || done.outcome === 'unchanged') {
    logger.info({ ...of, lines: done.lines }, 'a statement was imported');
    imported.add(stream);
    retries.delete(stream);
    return true;
  }
  if (signal.aborted) return false;
  const tries = retries.get(stream)?.tries ?? 0;
  retries.set(stream, {
    tries: tries + 1,
    dueMs: now() + Math.min(longestRetryMs, shortestRetryMs * 2 ** Math.min(tries, 10)),
  });
  const why = 'cause' in done ? done.cause : 'another import is under way';
  logger.warn(
    { ...of, why, tries: tries + 1 },
    'a statement could not be fetched, and will be retried',
  );
  return false;
}
