import { sql } from 'kysely';
import { z } from 'zod';
import {
  storedMetadataSchema,
  type Metadata,
  type StoredMetadata,
} from '#shared/domain/operation/events.ts';
import { foreign, own, sealed, timeColumn, type CsvQuery } from '#shared/platform/csv/columns.ts';
import { filterConditions, type OperationFilter } from '../operations/query.ts';
import { returnedAmount } from '../operations/returned.ts';
import { mayLackEntry } from '../operations/unposted-ends.ts';
import { joinConditions, shopName } from '../conditions.ts';

// As in the operation object: a cancelled payment does not show its bank (R5.13), and nothing is
// recorded if no money moved.
const withBank = sql`type = 'payout' or status <> 'cancelled'`;
const withMoney = sql`actual_amount <> 0`;

/** Opens an operation's metadata, as `PersonalData` does. */
type OpenMetadata = (operationId: string, stored: StoredMetadata) => Promise<Metadata | undefined>;

const metadataOf = z.tuple([z.string(), storedMetadataSchema]);

/** The metadata as JSON; empty once it is erased. */
const metadataColumn = (open: OpenMetadata) =>
  sealed(
    'metadata',
    sql`case when metadata is not null then jsonb_build_array(operation_id, metadata) end`,
    async (value) => {
      const [operationId, stored] = metadataOf.parse(JSON.parse(value));
      const metadata = await open(operationId, stored);
      return metadata ? JSON.stringify(metadata) : null;
    },
  );

/**
 * Operations as in their list, newest first. Without card and phone numbers: the read model has
 * none.
 */
export const operationsCsv = (filter: OperationFilter, open: OpenMetadata): CsvQuery => ({
  columns: [
    own('operation_id'),
    own('type'),
    own('status'),
    own('shop_id'),
    foreign('shop_name', shopName),
    own('merchant_id'),
    foreign('merchant_operation_id'),
    foreign('client_id'),
    own('method'),
    foreign('bankname', sql`case when ${withBank} then bankname end`),
    foreign('bankname_details', sql`case when ${withBank} then bankname_details end`),
    own('currency'),
    own('expected_amount'),
    own('actual_amount'),
    own('returned_amount', returnedAmount('listed')),
    foreign('fx_source'),
    own('fx_rate'),
    own('recorded_currency', sql`case when ${withMoney} then recorded_currency end`),
    own('recorded_amount', sql`case when ${withMoney} then recorded_amount end`),
    own('settlement_currency'),
    own('settlement_amount'),
    own('commission_amount'),
    foreign('provider'),
    own('manual_check_reason'),
    own('decline_reason'),
    foreign('cancel_reason'),
    timeColumn('created_at'),
    timeColumn('accepted_at'),
    timeColumn('expires_at'),
    timeColumn('ended_at'),
    timeColumn('updated_at'),
    metadataColumn(open),
  ],
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
  open: OpenMetadata,
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
