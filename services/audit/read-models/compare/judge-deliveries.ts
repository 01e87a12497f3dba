import { sql, type Transaction } from 'kysely';
import { graceMs } from '../../authority/commands.ts';
import type { Pass } from '../../log/pass/log-pass.ts';
import type { Endpoints } from '../../log/pass/shops.ts';
import type { CountMore, Report } from '../../report/findings/findings.ts';

type JudgeDeliveriesOptions = {
  report: Report;
  countMore: CountMore;
  pass: Pick<Pass, 'endpoints'>;
  /** The time of the newest event that the pass surely has. */
  newestMs: number;
  /** Where the log ends. */
  head: number;
  notes: string[];
  shopId: string | undefined;
};

const maxListed = 50;

/**
 * Judges what the tables say of deliveries. The log has none of it, so only what contradicts
 * itself, or the endpoints and events of the log, is found: a delivery with a made-up attempt is
 * not.
 */
export async function judgeDeliveries<DB>(
  tx: Transaction<DB>,
  options: JudgeDeliveriesOptions,
): Promise<void> {
  const { report, countMore, head, shopId } = options;
  await judgeEndpoints(tx, options);
  const ofShop = shopId === undefined ? sql`` : sql`and shop_id = ${shopId}`;
  const { rows } = await sql<{ stream: string; shop: string; text: string; total: number }>`
    with contradictions as (
      select 'webhooks.message ' || message_id as stream, shop_id as shop,
        'it is delivered, and no attempt was answered with success' as text
      from webhooks.message where status = 'delivered' ${ofShop} and not exists (
        select 1 from webhooks.attempt
        where attempt.message_id = message.message_id and status_code between 200 and 299)
      union all
      select 'webhooks.message ' || message_id, shop_id, 'it was sent before its event'
      from webhooks.message where exists (
        select 1 from webhooks.attempt where attempt.message_id = message.message_id
          and started_at < occurred_at - interval '1 minute') ${ofShop}
      union all
      select 'webhooks.failing_endpoint ' || endpoint_id, shop_id,
        'it fails since a time at which there was no attempt'
      from webhooks.failing_endpoint where since not in (select started_at from webhooks.attempt) ${ofShop}
    )
    select *, count(*) over ()::int as total from contradictions order by stream limit ${maxListed}`.execute(
    tx,
  );
  for (const { stream, shop: ofIt, text } of rows)
    report({ rule: 'webhook.delivery', stream, shopId: ofIt, message: text });
  countMore('webhook.delivery', (rows[0]?.total ?? 0) - rows.length);
  for (const { stream, position } of await readPositions(tx))
    if (position > head)
      report({
        rule: 'read_model.ahead',
        stream,
        position,
        message: `it is at position ${position}, the log ends at ${head}: no webhook before that position is checked`,
      });
}

type EndpointUse = {
  endpoint: string;
  shop: string;
  url: string;
  first: Date;
  last: Date;
  attempts: number;
};

/**
 * Attempts are sent to endpoints that the log has, while it has them so. Attempts remain after a
 * restore of an older log, which may not have their URL: these are noted.
 */
async function judgeEndpoints<DB>(
  tx: Transaction<DB>,
  { report, pass, newestMs, notes, shopId }: JudgeDeliveriesOptions,
): Promise<void> {
  const ofShop = shopId === undefined ? sql`` : sql`and shop_id = ${shopId}`;
  const { rows } = await sql<EndpointUse>`
    select endpoint_id as endpoint, shop_id as shop, url,
      min(started_at) as first, max(started_at) as last, count(*)::int as attempts
    from webhooks.attempt join webhooks.message using (message_id)
    where started_at <= to_timestamp(${newestMs}::float8 / 1000.0) ${ofShop}
    group by endpoint_id, shop_id, url order by endpoint_id, url`.execute(tx);
  let unexplained = 0;
  for (const { endpoint: endpointId, shop, url, first, last, attempts } of rows) {
    const times = { firstMs: first.getTime(), lastMs: last.getTime() };
    const settings = pass.endpoints(shop)?.get(endpointId) ?? [];
    if (!settings.some((setting) => setting.url === url)) {
      unexplained += attempts;
      continue;
    }
    const message = whyNotSentTo(settings, { endpointId, url, ...times });
    const stream = `shop-${shop}`;
    if (message !== undefined) report({ rule: 'webhook.delivery', stream, shopId: shop, message });
  }
  if (unexplained > 0)
    notes.push(
      `${unexplained} attempts of webhooks went to a URL that their endpoint never had in the log, as after the restore of an older log`,
    );
}

/** Where attempts went, and when the first and the last of them began. */
type SentTo = { endpointId: string; url: string; firstMs: number; lastMs: number };

/** Why an endpoint was not there, by this URL and enabled, whenever it was sent to. */
function whyNotSentTo(
  settings: NonNullable<ReturnType<Endpoints['get']>>,
  { endpointId, url, firstMs, lastMs }: SentTo,
): string | undefined {
  const times = settings.flatMap((setting, index) =>
    setting.url === url && setting.enabled
      ? [{ fromMs: setting.fromMs, untilMs: settings[index + 1]?.fromMs ?? Infinity }]
      : [],
  );
  const [first, last] = [times[0], times.at(-1)];
  if (!first || !last)
    return `endpoint ${endpointId} was sent to while it was not enabled by that URL`;
  return firstMs < first.fromMs - graceMs || lastMs > last.untilMs + graceMs
    ? `endpoint ${endpointId} was sent to while it did not have that URL, or was not enabled`
    : undefined;
}

/** How far the services have read the log, by their own account. */
async function readPositions<DB>(
  tx: Transaction<DB>,
): Promise<{ stream: string; position: number }[]> {
  const { rows } = await sql<{ stream: string; position: number }>`
    select 'webhooks.relay' as stream, position::float8 as position from webhooks.relay
    union all
    select 'webhooks.reconciliation', position::float8 from webhooks.reconciliation`.execute(tx);
  return rows;
}
