import { sql, type Transaction } from 'kysely';
import { canonicalJson, parsePlainJson } from '#shared/platform/ids.ts';
import type { RowIndex } from '../rows/row-index.ts';
import { auditedTables, type ModelName, type TableName } from '../rows/tables.ts';

const pageRows = 5_000;

type LiveColumn = { name: string; type: string };
/** The columns of each table in alphabetical order. */
export type LiveColumns = ReadonlyMap<string, readonly LiveColumn[]>;

export async function readColumns<DB>(tx: Transaction<DB>): Promise<LiveColumns> {
  const { rows } = await sql<LiveColumn & { table: string }>`
    select table_name as table, column_name as name, data_type as type
    from information_schema.columns where table_schema = 'gateway'`.execute(tx);
  const sorted = rows.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return Map.groupBy(sorted, ({ table }) => table);
}

/**
 * The read models of which a table is missing, or has other columns than those of this version's
 * projections: another version made them.
 */
export function modelsOfOtherVersion(live: LiveColumns): ReadonlySet<ModelName> {
  const names = (columns: readonly { name: string }[] = []) =>
    columns.map(({ name }) => name).join();
  const others = (Object.keys(auditedTables) as TableName[]).filter(
    (table) => names(live.get(table)) !== names(auditedTables[table].columns),
  );
  return new Set(others.map((table) => auditedTables[table].model));
}

/** Puts every row of a table, page by page, in one snapshot of the database. */
export async function putLiveRows<DB>(
  tx: Transaction<DB>,
  name: TableName,
  {
    index,
    shopId,
    columns: columnsOf,
  }: { index: RowIndex; shopId?: string | undefined; columns: LiveColumns },
): Promise<number> {
  const columns = columnsOf.get(name);
  if (!columns) throw new Error(`no columns of gateway.${name} can be read`);
  const { key: keyNames, ofShop } = auditedTables[name];
  const condition =
    shopId === undefined ? '' : ` where ${ofShop.replaceAll('$1', literal(shopId))}`;
  const joined = (some: readonly LiveColumn[]) =>
    `concat_ws(E'\\x1f', ${some.map((column) => `coalesce(${asText(column)}, E'\\x01')`).join(', ')})`;
  const keyColumns = keyNames.flatMap((each) => columns.filter((column) => column.name === each));
  const select = `select ${joined(keyColumns)} as key, ${joined(columns)} as row
    from gateway.${name} t${condition}`;
  return eachPage(tx, select, (rows) => {
    for (const { key, row } of rows as { key: string; row: string }[])
      index.put({ table: name, key, row, position: 0 });
  });
}

const asText = ({ name, type }: LiveColumn): string =>
  type === 'interval' || type.startsWith('timestamp')
    ? `(extract(epoch from t."${name}") * 1000)::bigint::text`
    : `t."${name}"::text`;

const literal = (text: string): string =>
  `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;

export type MessageRow = {
  event_id: string;
  endpoint_id: string;
  shop_id: string;
  /** Null for one about an endpoint. */
  operation_id: string | null;
  sequence: number;
  type: string;
  body: string;
};

export const messageColumns =
  'coalesce(event_id, message_id) as event_id, endpoint_id, shop_id, operation_id, sequence, type, body';

/**
 * All but pings, which no event requires. A ping says nothing but its own id, time and shop: what
 * says more is sent and signed like any other webhook, whatever its columns are.
 */
export const ofEvents = `not (type = 'ping' and operation_id is null and body = format(
  '{"id":%s,"type":"ping","timestamp":"%s","sequence":1,"data":{"shop_id":%s}}',
  to_json(coalesce(event_id, message_id)),
  to_char(occurred_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), to_json(shop_id)))`;

/** Puts the content of every webhook message for events up to a time. */
export async function putLiveMessages<DB>(
  tx: Transaction<DB>,
  { index, untilMs, shopId }: { index: RowIndex; untilMs: number; shopId?: string | undefined },
): Promise<number> {
  const condition = shopId === undefined ? '' : ` and shop_id = ${literal(shopId)}`;
  const select = `select ${messageColumns} from webhooks.message
    where ${ofEvents} and occurred_at <= to_timestamp(${untilMs} / 1000.0)${condition}`;
  return eachPage(tx, select, (rows) => {
    for (const message of rows as MessageRow[])
      index.put({
        table: 'message',
        key: `${message.event_id} ${message.endpoint_id}`,
        row: messageRow(message),
        position: 0,
      });
  });
}

/** Where a message goes, its content, and its columns where they disagree with it. */
export function messageRow({
  event_id,
  endpoint_id,
  shop_id,
  operation_id,
  sequence,
  type,
  body,
}: MessageRow): string {
  const columns = { id: event_id, type, sequence, shop_id, operation_id };
  const parsed = parsePlainJson(body);
  if (parsed === undefined) return canonicalJson({ endpoint_id, body, columns });
  const fields = (parsed ?? {}) as Record<string, unknown>;
  const { data } = fields as { data?: { operation?: { operation_id?: string } } };
  const agrees =
    fields['id'] === event_id &&
    fields['type'] === type &&
    fields['sequence'] === sequence &&
    (data as Record<string, unknown> | undefined)?.['shop_id'] === shop_id &&
    (data?.operation?.operation_id ?? null) === operation_id;
  return canonicalJson(
    agrees ? { endpoint_id, message: parsed } : { endpoint_id, body: parsed, columns },
  );
}

async function eachPage<DB>(
  tx: Transaction<DB>,
  select: string,
  take: (rows: unknown[]) => void,
): Promise<number> {
  await sql.raw(`declare audit_rows no scroll cursor for ${select}`).execute(tx);
  let count = 0;
  for (;;) {
    const { rows } = await sql.raw(`fetch ${pageRows} from audit_rows`).execute(tx);
    count += rows.length;
    take(rows);
    if (rows.length < pageRows) break;
  }
  await sql.raw('close audit_rows').execute(tx);
  return count;
}
