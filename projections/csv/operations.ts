import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { OpenedFields, SealedFields, SealedName } from '#shared/domain/operation/events.ts';
import type { FieldEntry } from '#shared/domain/operation/fields/entry.ts';
import { inOrder } from '#shared/domain/operation/fields/order.ts';
import { sealedFieldsSchema } from '#shared/domain/operation/fields/request.ts';
import { operationFields } from '#shared/domain/operation/fields/table.ts';
import {
  foreign,
  own,
  sealed,
  timeColumn,
  type CsvColumn,
  type CsvQuery,
} from '#shared/platform/csv/columns.ts';
import { filterConditions, type OperationFilter } from '../operations/query.ts';
import { returnedAmount } from '../operations/returned.ts';
import { mayLackEntry } from '../operations/unposted-ends.ts';
import { joinConditions, shopName } from '../conditions.ts';

// As in the operation object: a cancelled payment does not show its bank (R5.13), and nothing is
// recorded if no money moved.
const withBank = sql`type = 'payout' or status <> 'cancelled'`;
const withMoney = sql`actual_amount <> 0`;

/** Decrypts encrypted fields of an operation, as `PersonalData` does. */
type OpenFields = (operationId: string, stored: SealedFields) => Promise<OpenedFields>;

const selectedSchema = z.tuple([z.string(), sealedFieldsSchema]);

/** A field in plain text, what is no text as JSON; empty once it is erased. */
const sealedColumn = (name: SealedName, open: OpenFields) =>
  sealed(
    name,
    sql`case when ${sql.ref(name)} is not null
      then jsonb_build_array(operation_id, jsonb_build_object(${sql.lit(name)}, ${sql.ref(name)})) end`,
    async (value) => {
      const [operationId, stored] = selectedSchema.parse(JSON.parse(value));
      const opened: unknown = (await open(operationId, stored))[name];
      if (opened === undefined || typeof opened === 'string') return opened ?? null;
      return JSON.stringify(opened);
    },
  );

const kinds = { own, foreign, time: timeColumn };

/** Fields that are not simply their column. */
const expressions: Readonly<Record<string, RawBuilder<unknown>>> = {
  bankname: sql`case when ${withBank} then bankname end`,
  bankname_details: sql`case when ${withBank} then bankname_details end`,
  returned_amount: returnedAmount('listed'),
  recorded_currency: sql`case when ${withMoney} then recorded_currency end`,
  recorded_amount: sql`case when ${withMoney} then recorded_amount end`,
};

const fieldColumns = (open: OpenFields): CsvColumn[] =>
  Object.entries<FieldEntry>(operationFields).flatMap(([name, { cell, sealed: isSealed }]) => {
    if (!cell) return [];
    return isSealed ? sealedColumn(name as SealedName, open) : kinds[cell](name, expressions[name]);
  });

/** Columns that are no fields of the operation object. */
const otherColumns = [
  own('shop_id'),
  foreign('shop_name', shopName),
  own('merchant_id'),
  foreign('provider'),
  foreign('cancel_reason'),
  timeColumn('accepted_at'),
  timeColumn('ended_at'),
  timeColumn('updated_at'),
];

/** Readers may use positions, so these come first; other columns follow in the table's order. */
const firstColumns = `operation_id type status shop_id shop_name merchant_id merchant_operation_id
  client_id method bankname bankname_details currency expected_amount actual_amount returned_amount
  fx_source fx_rate recorded_currency recorded_amount settlement_currency settlement_amount
  commission_amount provider manual_check_reason decline_reason cancel_reason created_at accepted_at
  expires_at ended_at updated_at metadata`.split(/\s+/);

/**
 * Operations as in their list, newest first. Without card and phone numbers: the read model has
 * none.
 */
export const operationsCsv = (filter: OperationFilter, open: OpenFields): CsvQuery => ({
  columns: inOrder(firstColumns, [...otherColumns, ...fieldColumns(open)], ({ name }) => name),
  from: sql`from gateway.operations as listed where ${joinConditions(filterConditions(filter))}
    order by listed.created_at desc, listed.operation_id desc`,
});

/** Columns that only operators may see, such as the provider. */
const inner = new Set(['shop_name', 'merchant_id', 'provider']);

/**
 * The columns that merchants may see. `ensureAllEntriesPosted` is called before rows are sent, for the operations
 * whose ends may lack an entry (R12.12).
 */
export const operationsCsvOfShop = (
  filter: OperationFilter & { shopId: string },
  ensureAllEntriesPosted: (operationIds: readonly string[]) => Promise<void>,
  open: OpenFields,
): CsvQuery => {
  const { columns, from } = operationsCsv({ ...filter, forMerchants: true }, open);
  return {
    columns: columns.filter(({ name }) => !inner.has(name)),
    from,
    check: {
      select: sql`case when ${mayLackEntry('listed')} then listed.operation_id end`,
      values: ensureAllEntriesPosted,
    },
  };
};
