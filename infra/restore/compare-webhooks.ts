import { sql, type Kysely } from 'kysely';
import { findRunningStack } from '#infra/stores/stack-file.ts';
import { olderForm, readFormTimes } from '#services/audit/read-models/compare/webhook-forms.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { loadConfig } from '#shared/platform/config/load.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { canonicalJson } from '#shared/platform/ids.ts';

export type WebhookComparison = {
  equal: number;
  /** Recorded ones of events that the restored log does not have. */
  newer: number;
  /** All that differ, of which some are listed. */
  different: number;
  differences: string[];
};

type Row = {
  id: string;
  event_id: string;
  endpoint_id: string;
  operation_id: string | null;
  shop_id: string;
  type: string;
  body: string;
};

const columns = sql.raw(
  'message_id as id, coalesce(event_id, message_id) as event_id, endpoint_id, operation_id, shop_id, type, body',
);
const pageRows = 1_000;
const mostListed = 20;

type Comparison = {
  derived: Kysely<WebhooksDatabase>;
  live: Kysely<unknown>;
  /** The restored log. */
  store: Pick<EventStore, 'read'>;
  result: WebhookComparison;
};

/**
 * Compares the webhooks that the running gateway has recorded with the derived ones, by bytes, or
 * as an older version recorded them. Pings are not derived.
 * @returns undefined if no database of a gateway is known
 */
export async function compareWebhooks(
  derived: Kysely<WebhooksDatabase>,
  store: Pick<EventStore, 'read'>,
): Promise<WebhookComparison | undefined> {
  const { DATA_DIR } = loadConfig(['DATA_DIR']);
  const url = process.env['DATABASE_URL'] || findRunningStack(DATA_DIR)?.env['DATABASE_URL'];
  if (!url) return undefined;
  const live = connectDatabase<unknown>(url, { applicationName: 'gateway-drill' });
  const result: WebhookComparison = { equal: 0, newer: 0, different: 0, differences: [] };
  const comparison = { derived, live, store, result };
  try {
    const isOlder = createIsOlderForm(live);
    for await (const rows of readPages(live)) {
      const found = await readByIds(derived, rows);
      const judge = createJudge(comparison, isOlder);
      for (const row of rows) await judge(row, found.get(row.id));
    }
    for await (const rows of readPages(derived)) {
      const found = await readByIds(live, rows);
      for (const row of rows.filter(({ id }) => !found.has(id)))
        differ(result, row, 'was not recorded');
    }
    return result;
  } finally {
    await live.destroy();
  }
}

async function* readPages<DB>(db: Kysely<DB>): AsyncGenerator<Row[]> {
  for (let after = '0'; ;) {
    const { rows } = await sql<Row & { ordinal: string }>`
      select ordinal::text, ${columns} from webhooks.message
      where ordinal > ${after}::bigint and type <> 'ping'
      order by ordinal limit ${pageRows}`.execute(db);
    yield rows;
    after = rows.at(-1)?.ordinal ?? after;
    if (rows.length < pageRows) return;
  }
}

async function readByIds<DB>(db: Kysely<DB>, of: readonly Row[]): Promise<Map<string, Row>> {
  const { rows } = await sql<Row>`
    select ${columns} from webhooks.message
    where message_id = any(${of.map(({ id }) => id)}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

function differ(result: WebhookComparison, { id, type }: Row, how: string): void {
  result.different += 1;
  if (result.differences.length < mostListed)
    result.differences.push(`the webhook ${id} (${type}) ${how}`);
}

/** Judges each recorded webhook of a page by the derived one with its id. */
function createJudge({ store, result }: Comparison, isOlder: IsOlderForm) {
  const hasEvent = createHasEvent(store);
  return async (recorded: Row, derived: Row | undefined): Promise<void> => {
    if (derived === undefined) {
      if (await hasEvent(recorded)) differ(result, recorded, 'is not derived from its event');
      else result.newer += 1;
    } else if (derived.body === recorded.body || (await isOlder(recorded, derived)))
      result.equal += 1;
    else differ(result, recorded, 'has another body than the recorded one');
  };
}

/** Whether the event of a webhook is in the log; it reads each stream once. */
function createHasEvent(store: Pick<EventStore, 'read'>): (row: Row) => Promise<boolean> {
  const eventIds = new Map<string, ReadonlySet<string>>();
  const readIds = async (stream: string) => {
    const ids = eventIds.get(stream) ?? new Set((await store.read(stream)).map(({ id }) => id));
    eventIds.set(stream, ids);
    return ids;
  };
  return async ({ event_id: eventId, operation_id: operation, shop_id: shop }) => {
    const streams =
      operation === null ? [`shop-${shop}`] : [`operation-${operation}`, lateStream(operation)];
    for (const stream of streams) if ((await readIds(stream)).has(eventId)) return true;
    return false;
  };
}

type IsOlderForm = (recorded: Row, derived: Row) => Promise<boolean>;

/** Whether a body has the form that webhooks had when it was recorded. */
function createIsOlderForm(live: Kysely<unknown>): IsOlderForm {
  let times: ReturnType<typeof readFormTimes> | undefined;
  return async (recorded, derived) => {
    const expected = JSON.parse(derived.body) as { timestamp: string; data: object };
    const endpointId = recorded.endpoint_id;
    const message: unknown = JSON.parse(recorded.body);
    const stored = canonicalJson({ endpoint_id: endpointId, message });
    const form = olderForm(stored, { endpointId, expected });
    if (form === undefined) return false;
    const { mayBe } = await (times ??= readFormTimes(live));
    return mayBe(form, Date.parse(expected.timestamp));
  };
}
