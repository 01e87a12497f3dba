import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely';
import type { MessageStatus, WebhooksDatabase } from '../database/tables.ts';

/** Which messages of a shop are listed, counted or sent again. */
export type MessageFilter = {
  shopId: string;
  operationId?: string | undefined;
  endpointId?: string | undefined;
  type?: string | undefined;
  status?: MessageStatus | undefined;
  /** When the message was recorded: at or after `from`, before `to`. */
  from?: Date | undefined;
  to?: Date | undefined;
};

export const matches =
  ({ shopId, operationId, endpointId, type, status, from, to }: MessageFilter) =>
  (eb: ExpressionBuilder<WebhooksDatabase, 'webhooks.message'>): Expression<SqlBool> =>
    eb.and([
      eb('shop_id', '=', shopId),
      ...(operationId === undefined ? [] : [eb('operation_id', '=', operationId)]),
      ...(endpointId === undefined ? [] : [eb('endpoint_id', '=', endpointId)]),
      ...(type === undefined ? [] : [eb('type', '=', type)]),
      ...(status === undefined ? [] : [eb('status', '=', status)]),
      ...(from === undefined ? [] : [eb('created_at', '>=', from)]),
      ...(to === undefined ? [] : [eb('created_at', '<', to)]),
    ]);

/** How many match, or `atMost` if more do. `after`: the ordinal that they follow. */
export async function countMatching(
  db: Kysely<WebhooksDatabase>,
  { after, atMost, ...filter }: MessageFilter & { after?: string | undefined; atMost: number },
): Promise<number> {
  const { count } = await db
    .selectFrom((from) => {
      const matching = from
        .selectFrom('webhooks.message')
        .select('ordinal')
        .where(matches(filter))
        .limit(atMost);
      return (after === undefined ? matching : matching.where('ordinal', '>', after)).as(
        'matching',
      );
    })
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
