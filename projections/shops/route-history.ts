import { sql } from 'kysely';
import { decodeShopEvent } from '#shared/domain/shop/events.ts';
import { defineTable, type Batch, type RowOf } from '../read-model.ts';
import type { RowChange } from '../rows/row-per-stream.ts';
import { upsertRows, type Write } from '../rows/upsert.ts';
import type { ShopRow } from './table.ts';

/** One route while it was in force. */
export type RouteRow = RowOf<typeof routeHistoryTable>;

export const routeHistoryTable = defineTable<{ type: 'payment' | 'payout' }>()({
  name: 'route_history',
  comment:
    "One row per route that a shop has or had, with its limits and commission, and how long it was in force. Routes are replaced as a set: an unchanged route gets a new row. A connector's own options are not here.",
  primaryKey: ['shop_id', 'revision', 'number'],
  columns: {
    shop_id: { type: 'text not null', references: 'shops', comment: 'The route’s shop' },
    revision: {
      type: 'integer not null',
      comment: 'The event that set it, in stream shop-<shop_id>',
    },
    number: {
      type: 'integer not null',
      comment: "1 for the first of its set, in the operator's order",
    },
    type: { type: 'text not null', comment: 'payment (in) or payout (out)' },
    method: { type: 'text not null', comment: 'Logical payment method' },
    currency: {
      type: 'text not null',
      comment: 'Currency of its operations and of its limits',
    },
    provider: { type: 'text not null', comment: 'The provider' },
    account: {
      type: 'text',
      comment: 'By which account of that provider; null: by the credentials of the environment',
    },
    priority: { type: 'integer not null', comment: 'The lowest is tried first' },
    requires_receipt: { type: 'boolean not null', comment: 'The payer must upload a receipt' },
    min_amount: { type: 'numeric(38,2)', comment: 'Smaller operations skip the route' },
    max_amount: { type: 'numeric(38,2)', comment: 'Larger operations skip the route' },
    daily_count: {
      type: 'integer',
      comment: 'How many operations it takes on a day of UTC at most; null: no limit',
    },
    daily_amount: {
      type: 'numeric(38,2)',
      comment: 'Maximum total amount per day (UTC); null: no limit',
    },
    commission_percent: {
      type: 'numeric not null',
      comment: 'Commission, in percent of the amount',
    },
    commission_fixed: {
      type: 'numeric(38,2) not null',
      comment: 'Fixed commission per operation, added to the percentage',
    },
    settlement_currency: {
      type: 'text',
      comment: 'Currency of the balance, where the route converts',
    },
    fx_source: { type: 'text', comment: 'Source of its rate' },
    valid_from: { type: 'timestamptz not null', comment: 'When it was set' },
    valid_to: {
      type: 'timestamptz',
      comment: 'When the set was replaced; null while it is in force',
    },
    set_by: { type: 'text not null', comment: 'Who set it: operator:<name>' },
    position: { type: 'bigint not null', comment: 'Position in the log of the event that set it' },
  },
  indexes: [{ on: 'shop_id', where: 'valid_to is null' }],
});

/** Writes the history of routes: each new set ends the one before it. */
export function routeWrites({ schema }: Batch, changes: readonly RowChange<ShopRow>[]): Write[] {
  return changes.flatMap((change) => {
    const rows = projectRoutes(change);
    if (!rows) return [];
    const { shop_id } = change.after;
    const ended: Write = async (db) => {
      await sql`
        update ${sql.id(schema, routeHistoryTable.name)} set valid_to = ${change.event.created}
        where shop_id = ${shop_id} and valid_to is null`.execute(db);
    };
    return [ended, (db) => upsertRows(db, { table: routeHistoryTable, schema, rows })];
  });
}

/** The routes that an event sets; undefined if it sets none. Pure. */
export function projectRoutes({
  after: { shop_id },
  event,
}: Pick<RowChange<ShopRow>, 'after' | 'event'>): RouteRow[] | undefined {
  if (event.type !== 'RoutesReplaced') return undefined;
  const shopEvent = decodeShopEvent(event);
  if (shopEvent.type !== 'RoutesReplaced') return undefined;
  return shopEvent.data.routes.map(({ commission, conversion, ...route }, index) => ({
    shop_id,
    revision: event.revision,
    number: index + 1,
    type: route.type,
    method: route.method,
    currency: route.currency,
    provider: route.provider,
    account: route.account ?? null,
    priority: route.priority,
    requires_receipt: route.requires_receipt,
    min_amount: route.min_amount ?? null,
    max_amount: route.max_amount ?? null,
    daily_count: route.daily_count ?? null,
    daily_amount: route.daily_amount ?? null,
    commission_percent: commission.percent,
    commission_fixed: commission.fixed,
    settlement_currency: conversion?.settlement_currency ?? null,
    fx_source: conversion?.fx_source ?? null,
    valid_from: event.created,
    valid_to: null,
    set_by: event.metadata.actor,
    position: event.position.toString(),
  }));
}
