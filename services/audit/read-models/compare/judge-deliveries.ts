import { sql, type Transaction } from 'kysely';
import type { CountMore, Report } from '../../report/findings/findings.ts';

type JudgeDeliveriesOptions = {
  report: Report;
  countMore: CountMore;
  /** Where the log ends. */
  head: number;
  shopId: string | undefined;
};

const maxListed = 50;

/**
 * Judges what the tables say of deliveries. The log has none of it, so only what contradicts itself
 * is found: a delivery with a made-up attempt is not.
 */
export async function judgeDeliveries<DB>(
  tx: Transaction<DB>,
  { report, countMore, head, shopId }: JudgeDeliveriesOptions,
): Promise<void> {
  const ofShop = shopId === undefined ? sql`` : sql`and shop_id = ${shopId}`;
  const { rows } = await sql<{ stream: string; shop: string; text: string; total: number }>`
    with contradictions as (
      select 'webhooks.message ' || message_id as stream, shop_id as shop,
        'it is delivered, and no attempt was answered with success' as text
      from webhooks.message where status = 'delivered' ${ofShop} and not exists (
        select 1 from webhooks.attempt
        where attempt.message_id = message.message_id and status_code between 200 and 299)
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
