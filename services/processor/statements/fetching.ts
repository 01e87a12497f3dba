import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { newId } from '#shared/platform/ids.ts';
import type { ProviderConnector, Providers } from '#shared/application/providers/connector.ts';
import { fetchStatement } from '#shared/application/statements/fetch.ts';
import { importStatement } from '#shared/application/statements/import.ts';
import { readStatementState } from '#shared/application/statements/standing.ts';
import { defaultAccount, statementStream, type StatementOf } from '#shared/domain/statements/events.ts';
import { dueDays, missingDays } from './due-days.ts';
import type { StatementMetrics } from './metrics.ts';

export type FetchingOptions = {
  store: Pick<EventStore, 'read' | 'append'>;
  providers: Providers;
  logger: Logger;
  metrics: StatementMetrics;
  /** How long after the end of a day its statement is fetched. */
  afterMs: number;
  /** How often it is looked what is due. */
  lookEveryMs?: number;
  now(): number;
  signal: AbortSignal;
};

/** One account with a provider, in one currency. */
type Account = Omit<StatementOf, 'day'> & { connector: Required<Pick<ProviderConnector, 'statement'>> };

const pageTimeoutMs = 60_000;
const shortestRetryMs = 60_000;
const longestRetryMs = 3_600_000;

/**
 * Fetches the statement of each finished day of every account whose provider has statements, once, until the signal. What
 * is there already is left, be it a file that a person imported. Days of an outage are made up for.
 */
export async function keepFetchingStatements(options: FetchingOptions): Promise<void> {
  const { providers, logger, metrics, signal, lookEveryMs = 60_000 } = options;
  const accounts = accountsOf(providers);
  const retries: Retries = new Map();
  const there = new Set<string>();
  try {
    while (accounts.length > 0 && !signal.aborted) {
      // A start has enough to do.
      await delay(lookEveryMs, undefined, { signal }).catch(() => undefined);
      for (const account of accounts) {
        if (signal.aborted) break;
        await fetchOf(account, { ...options, retries, there }).catch((error: unknown) => {
          if (!signal.aborted) logger.warn({ err: error }, 'statements can not be imported');
        });
      }
    }
  } finally {
    metrics.nobody();
  }
}

function accountsOf(providers: Providers): Account[] {
  return [...providers].flatMap(([provider, { statement, carries }]) =>
    statement
      ? [...new Set(carries.map(({ currency }) => currency))].map((currency) => ({
          provider,
          account: defaultAccount,
          currency,
          connector: { statement },
        }))
      : [],
  );
}

/** By stream: how often it was tried in vain, and when it is tried again. */
type Retries = Map<string, { tries: number; dueMs: number }>;
type Fetching = FetchingOptions & { retries: Retries; there: Set<string> };

async function fetchOf(account: Account, fetching: Fetching): Promise<void> {
  const { store, metrics, afterMs, now, signal, retries, there } = fetching;
  const { connector, ...rest } = account;
  const due = dueDays(now(), afterMs);
  for (const day of due) await lookFor(store, { ...rest, day }, there);
  const streamOf = (day: string) => statementStream({ ...rest, day });
  const missing = missingDays(due, {
    there: (day) => there.has(streamOf(day)),
    tried: (day) => retries.has(streamOf(day)),
  });
  let left = missing.length;
  for (const day of missing.toReversed()) {
    if (signal.aborted) return;
    const retry = retries.get(streamOf(day));
    if (retry && retry.dueMs > now()) continue;
    if (await fetchDay({ ...rest, day }, connector, fetching)) left -= 1;
  }
  metrics.missing(rest, left);
}

async function lookFor(store: Pick<EventStore, 'read'>, of: StatementOf, there: Set<string>): Promise<void> {
  const stream = statementStream(of);
  if (!there.has(stream) && (await readStatementState(store, of)).imported) there.add(stream);
}

/** @returns whether the statement is there now */
async function fetchDay(
  of: StatementOf,
  connector: Account['connector'],
  { store, logger, metrics, now, signal, retries, there }: Fetching,
): Promise<boolean> {
  const stream = statementStream(of);
  const origin = { actor: 'service:processor', correlationId: newId() };
  const fetched = await fetchStatement(connector, of, { timeoutMs: pageTimeoutMs, signal });
  const done =
    fetched.outcome === 'unavailable' ? fetched : await importStatement({ store, origin }, fetched.statement);
  metrics.fetched(of.provider, done.outcome);
  if (done.outcome === 'imported' || done.outcome === 'unchanged') {
    logger.info({ ...of, lines: done.lines }, 'a statement was imported');
    there.add(stream);
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
  logger.warn({ ...of, why, tries: tries + 1 }, 'a statement could not be fetched, and is tried again');
  return false;
}
