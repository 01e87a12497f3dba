import { sql } from 'kysely';
import { foreign, own, timeColumn, type CsvQuery } from '#shared/platform/csv/columns.ts';
import { joinConditions, shopName, where } from '../conditions.ts';

type DeliveryFilter = {
  shopId?: string | undefined;
  operationId?: string | undefined;
  endpointId?: string | undefined;
  type?: string | undefined;
  status?: 'pending' | 'delivered' | 'exhausted' | 'cancelled' | undefined;
  createdFrom?: Date | undefined;
  /** Exclusive. */
  createdBefore?: Date | undefined;
};

/**
 * Webhooks, newest first, with a row for each attempt, and one for a message that was not tried
 * yet. Without bodies, answers and addresses, which may hold secrets of the merchant.
 */
export const deliveriesCsv = (filter: DeliveryFilter): CsvQuery => ({
  columns: [
    own('message_id', sql`coalesce(listed.event_id, listed.message_id)`),
    own('endpoint_id', sql`listed.endpoint_id`),
    own('shop_id', sql`listed.shop_id`),
    foreign('shop_name', shopName),
    own('operation_id'),
    own('sequence'),
    own('type'),
    own('status'),
    timeColumn('occurred_at'),
    timeColumn('created_at'),
    timeColumn('next_attempt_at', sql`due_at`),
    timeColumn('finished_at'),
    own('attempt', sql`a.number`),
    timeColumn('attempted_at', sql`a.started_at`),
    own('duration_ms'),
    own('status_code'),
    foreign('error'),
  ],
  from: sql`from webhooks.message as listed left join webhooks.attempt a on a.message_id = listed.message_id
    where ${joinConditions(conditions(filter))} order by ordinal desc, a.number`,
});

const conditions = ({
  shopId,
  operationId,
  endpointId,
  type,
  status,
  createdFrom,
  createdBefore,
}: DeliveryFilter) => [
  ...where(shopId, (id) => sql`shop_id = ${id}`),
  ...where(operationId, (id) => sql`operation_id = ${id}`),
  ...where(endpointId, (id) => sql`endpoint_id = ${id}`),
  ...where(type, (wanted) => sql`type = ${wanted}`),
  ...where(status, (wanted) => sql`status = ${wanted}`),
  ...where(createdFrom, (at) => sql`created_at >= ${at}`),
  ...where(createdBefore, (at) => sql`created_at < ${at}`),
];

/** The columns that merchants may see. */
export const deliveriesCsvOfShop = (filter: DeliveryFilter & { shopId: string }): CsvQuery => {
  const { columns, from } = deliveriesCsv(filter);
  return { columns: columns.filter(({ name }) => name !== 'shop_name'), from };
};
