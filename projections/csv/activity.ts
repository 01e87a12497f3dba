import { sql } from 'kysely';
import { foreign, own, timeColumn, type CsvQuery } from '#shared/platform/csv/columns.ts';
import type { ActivityFilter } from '../operators/activity.ts';
import { joinConditions, shopName, where } from '../conditions.ts';

export const activityCsv = ({
  operator,
  kind,
  shopId,
  from,
  before,
}: ActivityFilter): CsvQuery => ({
  columns: [
    timeColumn('done_at'),
    foreign('actor'),
    own('token_id'),
    own('action'),
    own('outcome'),
    own('merchant_id'),
    own('shop_id'),
    foreign('shop_name', shopName),
    own('operation_id'),
    foreign('subject'),
    own('amount'),
    own('currency'),
  ],
  from: sql`from gateway.operator_actions as listed where ${joinConditions([
    ...where(operator, (name) => sql`actor = ${`operator:${name}`}`),
    ...where(kind, (type) => sql`action = ${type}`),
    ...where(shopId, (id) => sql`shop_id = ${id}`),
    ...where(from, (at) => sql`done_at >= ${at}`),
    ...where(before, (at) => sql`done_at < ${at}`),
  ])} order by listed.done_at desc, listed.position desc`,
});
