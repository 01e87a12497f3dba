import { sql, type Kysely, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { cursorDecoder, encodeCursor } from '../cursor.ts';
import { cursorTime } from '../operations/query.ts';

/** Kinds of operators' actions: the types of their events. */
export const activityKinds = [
  'MerchantCreated',
  'ShopCreated',
  'ShopChanged',
  'RoutesReplaced',
  'ProviderSwitchedOff',
  'ProviderSwitchedOn',
  'ProviderAccountAdded',
  'ProviderAccountCredentialsReplaced',
  'ProviderAccountRenamed',
  'ProviderAccountSwitchedOff',
  'ProviderAccountSwitchedOn',
  'ProviderAccountRemoved',
  'ApiKeyIssued',
  'ApiKeyRevoked',
  'MemberAdded',
  'MemberLinkIssued',
  'MemberRemoved',
  'WebhookConfigured',
  'WebhookSecretIssued',
  'WebhookPingRequested',
  'WebhookRedeliveryRequested',
  'WebhookRedeliveriesRequested',
  'AdjustmentRequested',
  'PersonalDataErasureRequested',
  'AdminTokenIssued',
  'AdminTokenRevoked',
  'StatementImported',
  'StatementFindingClosed',
  'ReviewDecided',
  'CloseDecided',
  'EntryPosted',
  'LateStatusAcknowledged',
] as const;
export type ActivityKind = (typeof activityKinds)[number];

export type ActivityFilter = {
  /** The name, without `operator:`. */
  operator?: string | undefined;
  kind?: ActivityKind | undefined;
  shopId?: string | undefined;
  from?: Date | undefined;
  /** Exclusive. */
  before?: Date | undefined;
};

/** One row of the view `gateway.operator_actions`. */
export type ActivityRow = {
  done_at: Date;
  actor: string;
  token_id: string | null;
  action: string;
  outcome: string | null;
  merchant_id: string | null;
  shop_id: string | null;
  operation_id: string | null;
  subject: string | null;
  amount: string | null;
  currency: string | null;
  position: string;
};

type ActivityCursor = { doneAt: string; position: string };
export type ActivityPage = { actions: ActivityRow[]; nextCursor: string | null };

type Query = { filter: ActivityFilter; cursor?: ActivityCursor | undefined; limit: number };
type Source = {
  /** The columns for when and who; the name is that in the view's query. */
  when: string;
  actorColumn: string;
  /** The condition on a kind; undefined if the table has no rows of it. */
  kind(kind: ActivityKind): RawBuilder<unknown> | undefined;
  select: RawBuilder<unknown>;
};

const sources: readonly Source[] = [
  {
    when: 'c.done_at',
    actorColumn: 'c.actor',
    kind: (kind) => sql`c.command = ${kind}`,
    select: sql`c.done_at, c.actor, c.token_id, c.command as action, null as outcome, c.merchant_id, c.shop_id,
      null::uuid as operation_id, c.subject, c.amount, c.currency, c.position from gateway.operator_commands c`,
  },
  {
    when: 'c.decided_at',
    actorColumn: 'c.actor',
    kind: (kind) =>
      kind === 'CloseDecided'
        ? sql`c.decision = 'close'`
        : kind === 'ReviewDecided'
          ? sql`c.decision <> 'close'`
          : undefined,
    select: sql`c.decided_at, c.actor, c.token_id,
      case c.decision when 'close' then 'CloseDecided' else 'ReviewDecided' end, c.decision, o.merchant_id, c.shop_id,
      c.operation_id, null, c.approved_amount, case when c.approved_amount is not null then o.currency end, c.position
      from gateway.operation_decisions c join gateway.operations o using (operation_id)`,
  },
  {
    when: 'c.resolved_at',
    actorColumn: 'c.resolved_by',
    kind: (kind) =>
      kind === 'LateStatusAcknowledged'
        ? sql`c.resolution = 'acknowledge'`
        : kind === 'EntryPosted'
          ? sql`c.resolution <> 'acknowledge'`
          : undefined,
    select: sql`c.resolved_at, c.resolved_by, null,
      case c.resolution when 'acknowledge' then 'LateStatusAcknowledged' else 'EntryPosted' end, c.resolution,
      c.merchant_id, c.shop_id, c.operation_id, c.entry_id, c.amount, c.currency, c.position from gateway.suspense c`,
  },
];

/**
 * Operators' actions, newest first, by keyset: the newest of each table by its own index, then the
 * newest of these.
 */
export async function listActivity<DB>(db: Kysely<DB>, query: Query): Promise<ActivityPage> {
  const { rows } = await activityQuery(query).execute(db);
  const actions = rows.slice(0, query.limit);
  const last = actions.at(-1);
  const nextCursor =
    rows.length > query.limit && last
      ? encodeCursor([last.done_at.toISOString(), last.position])
      : null;
  return { actions, nextCursor };
}

export function activityQuery({ filter, cursor, limit }: Query): RawBuilder<ActivityRow> {
  const arms = sources.flatMap((source) => {
    const ofKind = filter.kind === undefined ? sql`true` : source.kind(filter.kind);
    if (ofKind === undefined) return [];
    const when = sql.ref(source.when);
    const conditions = [sql`${when} is not null`, ofKind, ...filterConditions(source, filter)];
    if (cursor)
      conditions.push(
        sql`(${when}, c.position) < (${cursor.doneAt}::timestamptz, ${cursor.position}::bigint)`,
      );
    return [
      sql`(select ${source.select} where ${sql.join(conditions, sql` and `)}
        order by ${when} desc, c.position desc limit ${limit + 1})`,
    ];
  });
  return sql`select done.* from (${sql.join(arms, sql` union all `)}) as done
    order by done.done_at desc, done.position desc limit ${limit + 1}`;
}

function filterConditions(
  { when, actorColumn }: Source,
  { operator, shopId, from, before }: ActivityFilter,
): RawBuilder<unknown>[] {
  return [
    ...(operator === undefined ? [] : [sql`${sql.ref(actorColumn)} = ${`operator:${operator}`}`]),
    ...(shopId === undefined ? [] : [sql`c.shop_id = ${shopId}`]),
    ...(from === undefined ? [] : [sql`${sql.ref(when)} >= ${from}`]),
    ...(before === undefined ? [] : [sql`${sql.ref(when)} < ${before}`]),
  ];
}

export const decodeActivityCursor = cursorDecoder(
  z
    .tuple([cursorTime, z.string().regex(/^\d{1,18}$/)])
    .transform(([doneAt, position]) => ({ doneAt, position })),
);
