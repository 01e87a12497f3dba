import { sql, type Kysely, type RawBuilder } from 'kysely';
import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import type { AdminDatabase } from '../database.ts';

/** The most operations of the window that are counted, which bounds the query. */
export const countedAtMost = 50_000;
const reasonsAtMost = 100;

/** The outcomes of attempts at a provider. */
export type Health = {
  attempts: number;
  accepted: number;
  refused: number;
  /** The submission's outcome is unknown, or was for too long. */
  unknown: number;
  /** Until the answer or the timeout; includes a payout's reservation. */
  p50_ms: number | null;
  p95_ms: number | null;
  paid: number;
  /** From the acceptance to the end with money. */
  paid_p50_s: number | null;
};
export type RouteHealth = Health & {
  type: 'payment' | 'payout';
  method: string;
  priority: number;
  /** The provider's account that the route uses. */
  account: string;
  /** Refused by the shop's ledger: the provider was never called. */
  unfunded: number;
  currency: string;
  commission: string | null;
};
export type BankHealth = Health & {
  bank: string | null;
  currency: string;
  commission: string | null;
};
export type ProviderHealth = {
  all: Health | undefined;
  routes: RouteHealth[];
  banks: BankHealth[];
  reasons: { outcome: string; reason: string; count: number }[];
  /** The provider's newest report that changed an operation's status. */
  lastReportAt: Date | undefined;
};

type Row = RouteHealth & { provider: string; bank: string | null; by: 'all' | 'route' | 'bank' };

const tried = (since: Date): RawBuilder<unknown> => sql`
  with recent as (
    select type, method, bankname, settlement_currency, status, decline_reason, accepted_at, ended_at,
      commission_amount, attempts
    from gateway.operations where created_at >= ${since} order by created_at desc limit ${countedAtMost}
  ), tried as (
    select a.provider, coalesce(a.account, ${defaultAccount}) as account, a.priority, a.outcome, a.reason, a.provider_reference, r.type, r.method, r.bankname,
      r.settlement_currency, r.commission_amount,
      coalesce(r.decline_reason = 'insufficient_funds' and a.reason = 'insufficient_funds', false) as is_unfunded,
      (extract(epoch from a.answered_at - a.started_at) * 1000)::float8 as answered_ms,
      case when a.outcome = 'accepted' and r.status in ('completed', 'partially_completed')
        then extract(epoch from r.ended_at - r.accepted_at)::float8 end as paid_s
    from recent r
    cross join lateral jsonb_to_recordset(r.attempts) as a (provider text, account text, priority integer,
      outcome text, reason text, provider_reference text, started_at timestamptz, answered_at timestamptz)
  )`;

/** Each provider's figures for operations created since then, by name. From the read models. */
async function readHealth(
  db: Kysely<AdminDatabase>,
  since: Date,
): Promise<ReadonlyMap<string, ProviderHealth>> {
  const [{ rows }, { rows: reasons }, { rows: reports }] = await Promise.all([
    sql<Row>`${tried(since)}
      select provider, type, method, priority, account, settlement_currency as currency, bankname as bank,
        case when grouping(type) = 0 then 'route' when grouping(bankname) = 0 then 'bank' else 'all' end as by,
        count(*)::int as attempts,
        count(provider_reference)::int as accepted,
        count(*) filter (where outcome = 'refused')::int as refused,
        count(*) filter (where is_unfunded)::int as unfunded,
        count(*) filter (where provider_reference is null and outcome in ('unresolved', 'withdrawn'))::int
          as unknown,
        percentile_cont(0.5) within group (order by answered_ms) as p50_ms,
        percentile_cont(0.95) within group (order by answered_ms) as p95_ms,
        count(paid_s)::int as paid,
        percentile_cont(0.5) within group (order by paid_s) as paid_p50_s,
        (sum(commission_amount) filter (where paid_s is not null))::numeric(38,2) as commission
      from tried
      group by grouping sets ((provider), (provider, type, method, priority, account, settlement_currency),
        (provider, bankname, settlement_currency))
      order by type, method, priority, account, attempts desc`.execute(db),
    sql<{ provider: string; outcome: string; reason: string; count: number }>`${tried(since)}
      select provider, outcome, left(reason, 200) as reason, count(*)::int as count
      from tried where reason is not null and outcome <> 'accepted'
      group by 1, 2, 3 order by 4 desc limit ${reasonsAtMost}`.execute(db),
    sql<{ provider: string; at: Date }>`
      select substr(entered_by, 10) as provider, max(entered_at) as at from gateway.status_history
      where entered_at >= ${since} and entered_by like 'provider:%' group by 1`.execute(db),
  ]);
  const names = new Set([...rows, ...reports].map(({ provider }) => provider));
  const toProviderHealth = (name: string): ProviderHealth => {
    const own = rows.filter(({ provider }) => provider === name);
    const by = (kind: Row['by']) => own.filter((row) => row.by === kind);
    return {
      all: by('all')[0],
      routes: by('route'),
      banks: by('bank'),
      reasons: reasons.filter(({ provider }) => provider === name),
      lastReportAt: reports.find(({ provider }) => provider === name)?.at,
    };
  };
  return new Map([...names].map((name) => [name, toProviderHealth(name)]));
}

/**
 * The same, or undefined while the read models can't be read: switching a provider off must not
 * wait for figures.
 */
export async function findHealth(
  db: Kysely<AdminDatabase>,
  since: Date,
): Promise<ReadonlyMap<string, ProviderHealth> | undefined> {
  return fromDatabase(readHealth(db, since)).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'not_ready') return undefined;
    throw error;
  });
}

/** Accepted attempts as a share of all with an outcome, from 0 to 1. */
export function acceptanceRate({ accepted, refused, unknown }: Health): number | null {
  const answered = accepted + refused + unknown;
  return answered === 0 ? null : accepted / answered;
}

export const viewHealth = (health: Health) => ({
  attempts: health.attempts,
  accepted: health.accepted,
  refused: health.refused,
  unknown: health.unknown,
  acceptance_rate: rounded(acceptanceRate(health), 4),
  answer_p50_ms: rounded(health.p50_ms, 0),
  answer_p95_ms: rounded(health.p95_ms, 0),
  paid: health.paid,
  time_to_paid_p50_s: rounded(health.paid_p50_s, 3),
});

const rounded = (value: number | null, decimals: number): number | null =>
  value === null ? null : Number(value.toFixed(decimals));
