import { sql } from 'kysely';
import { dayAfter, newestDay } from '#shared/application/statements/days.ts';
import type { StatementOf } from '#shared/domain/statements/events.ts';
import { accountKey } from '#shared/domain/provider/accounts.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';

/** How many days back missing statements are searched for. */
const daysLookedAt = 60;

type Of = Omit<StatementOf, 'day'>;

/**
 * The finished days of an account with a provider, in one currency, that have no statement, newest
 * first.
 */
export type MissingDays = Of & { days: string[] };

type Span = {
  of: Of;
  /**
   * The day from which on statements are expected, if known: the day the account was added.
   * Otherwise only the newest day is.
   */
  added?: string | undefined;
  /** Until the account was removed; by default to the newest day. */
  last?: string | undefined;
  there: ReadonlySet<string>;
};

const statementAccountKey = ({ provider, account, currency }: Of) =>
  JSON.stringify([provider, account, currency]);

/**
 * Finished days without a statement, since the account's first statement or since it was added. An
 * account without a statement and of unknown age misses only the newest day.
 * @throws Problem not_ready
 */
export async function listMissing(
  dependencies: Pick<
    AdminDependencies,
    'db' | 'accounts' | 'connectors' | 'directory' | 'statementsAfterMs'
  >,
  nowMs: number,
): Promise<{ from: string; to: string; missing: MissingDays[] }> {
  // A day is not missing until the gateway fetches its statement.
  const to = newestDay(nowMs - dependencies.statementsAfterMs);
  const from = dayAfter(to, 1 - daysLookedAt);
  const spans = await readSpans(dependencies, { from, to });
  const firsts = await firstDays(
    dependencies.db,
    spans.map(({ of }) => of),
  );
  const missing = spans
    .map((span) => ({
      ...span.of,
      days: daysWithout(span, { first: firsts.get(statementAccountKey(span.of)), from, to }),
    }))
    .filter(({ days }) => days.length > 0)
    .toSorted((a, b) => (statementAccountKey(a) < statementAccountKey(b) ? -1 : 1));
  return { from, to, missing };
}

function daysWithout(
  { added, last, there }: Span,
  { first, from, to }: { first: string | undefined; from: string; to: string },
): string[] {
  const [begin = to] = [first, added].filter((day) => day !== undefined).toSorted();
  const oldest = begin > from ? begin : from;
  const days: string[] = [];
  for (
    let day = last !== undefined && last < to ? last : to;
    day >= oldest;
    day = dayAfter(day, -1)
  ) {
    if (!there.has(day)) days.push(day);
  }
  return days;
}

/** Each account and currency whose statements are fetched, and each that has some of these days. */
async function readSpans(
  { db, accounts, connectors, directory }: Parameters<typeof listMissing>[0],
  { from, to }: { from: string; to: string },
): Promise<Span[]> {
  const [listed, setup, daysWithStatements] = await Promise.all([
    fromStore(accounts.list()),
    fromStore(directory.providers()),
    fromDatabase(daysThere(db, { from, to })),
  ]);
  const spans = new Map<string, Span>();
  const expect = ({ provider, account }: Omit<Of, 'currency'>, since?: string, until?: string) => {
    const { statement, carries = [] } = connectors.get(provider) ?? {};
    if (!statement) return;
    const days = {
      added: since?.slice(0, 10),
      last: until?.slice(0, 10),
      there: new Set<string>(),
    };
    for (const { currency } of carries) {
      const of = { provider, account, currency };
      spans.set(statementAccountKey(of), { of, ...days });
    }
  };
  for (const each of listed) expect(each, each.since);
  for (const each of setup.accounts.values())
    if (each.removed) expect(each, each.added.at, each.removed.since);
  const isListed = new Set(listed.map(({ provider, account }) => accountKey(provider, account)));
  for (const { days, ...of } of daysWithStatements) {
    const existing = spans.get(statementAccountKey(of));
    const key = accountKey(of.provider, of.account);
    // For an account that no longer exists, the end is only known if an operator had added it.
    const ended = isListed.has(key)
      ? undefined
      : (setup.accounts.get(key)?.removed?.since ?? days[0]);
    const last = ended?.slice(0, 10) ?? existing?.last;
    spans.set(statementAccountKey(of), { ...(existing ?? { of }), last, there: new Set(days) });
  }
  return [...spans.values()];
}

/** Which days have a statement, newest first. */
async function daysThere(
  db: AdminDependencies['db'],
  { from, to }: { from: string; to: string },
): Promise<MissingDays[]> {
  const { rows } = await sql<MissingDays>`
    select provider, account, currency, array_agg(s.day::text order by s.day desc) as days
    from gateway.statements s where day between ${from}::date and ${to}::date group by 1, 2, 3`.execute(
    db,
  );
  return rows;
}

/** The day of each account's first statement, by its key, from an index. */
async function firstDays(
  db: AdminDependencies['db'],
  all: readonly Of[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const column = (name: keyof Of) => sql`${all.map((of) => of[name])}::text[]`;
  const find = sql<Of & { first: string | null }>`
    select k.provider, k.account, k.currency, (
      select min(s.day) from gateway.statements s
      where s.provider = k.provider and s.account = k.account and s.currency = k.currency)::text as first
    from unnest(${column('provider')}, ${column('account')}, ${column('currency')})
      as k(provider, account, currency)`;
  const { rows } = await fromDatabase(find.execute(db));
  return new Map(rows.map(({ first, ...of }) => [statementAccountKey(of), first ?? undefined]));
}
