import { ledgerReadModel } from '../ledger/read-model.ts';
import { operationsReadModel } from '../operations/read-model.ts';
import { shopsReadModel } from '../shops/read-model.ts';
import { dayColumn, money } from './by-day.ts';
import type { SqlView } from './view.ts';

const reportedDays =
  'from the first entry to today, days without entries too, in the time zone of the session';

export const dailyBalances: SqlView = {
  name: 'daily_balances',
  comment: `Opening and closing balance of each shop and currency, day by day ${reportedDays}. Today's closing is what it is so far.`,
  from: [ledgerReadModel, shopsReadModel],
  columns: {
    day: 'Day, in the time zone of the session',
    merchant_id: 'gateway.merchants.merchant_id',
    shop_id: 'gateway.shops.shop_id',
    shop_name: 'As entered by an operator',
    currency: 'Of all amounts in the row',
    opening_balance:
      'Available funds at the start of the day: the closing balance of the previous day',
    moved: 'What the entries of the day added to it: closing_balance - opening_balance',
    closing_balance: 'Available funds at the end of the day',
    opening_reserved: 'Reserved for payouts at the start of the day',
    closing_reserved: 'Reserved for payouts at the end of the day',
    commission: 'Commission of the day',
    entries: 'Number of entries of the day',
  },
  select: `
    select day.at::date as day, s.merchant_id, b.shop_id, s.name as shop_name, b.currency,
      ${money('case when day.at = b.day then b.balance - b.moved else b.balance end')} as opening_balance,
      ${money('case when day.at = b.day then b.moved else 0 end')} as moved,
      ${money('b.balance')} as closing_balance,
      ${money('case when day.at = b.day then b.reserved - b.moved_reserved else b.reserved end')}
        as opening_reserved,
      ${money('b.reserved')} as closing_reserved,
      ${money('case when day.at = b.day then b.commission else 0 end')} as commission,
      case when day.at = b.day then b.entries else 0 end as entries
    from (
      select shop_id, currency, day, moved, moved_reserved, commission, entries,
        sum(moved) over so_far as balance, sum(moved_reserved) over so_far as reserved,
        coalesce(lead(day) over so_far - 1, greatest(day, ${dayColumn('now()')})) as last_day
      from (
        select shop_id, currency, ${dayColumn('posted_at')} as day, sum(to_balance) as moved,
          sum(to_reserved) as moved_reserved, sum(to_commission) as commission, count(*) as entries
        from gateway.journal_entries group by 1, 2, 3) with_entries
      window so_far as (partition by shop_id, currency order by day)) b
    cross join lateral generate_series(b.day::timestamp, b.last_day::timestamp, interval '1 day') as day (at)
    left join gateway.shops s using (shop_id)`,
};

export const providerPositionByDay: SqlView = {
  name: 'provider_position_by_day',
  comment: `Debt of each provider to the gateway, by currency of the ledger, day by day ${reportedDays}. Of all shops together.`,
  from: [ledgerReadModel, operationsReadModel],
  columns: {
    day: 'Day, in the time zone of the session',
    provider: 'The provider with the money; null if unknown',
    currency: 'Of all amounts in the row: that of the ledgers',
    opening_owed: 'Debt of the provider at the start of the day; negative if the gateway owes it',
    came_in: 'Payments that it received, and late money',
    went_out: 'Payouts that it made, and returned late money',
    closing_owed: 'Debt at the end of the day: opening_owed + came_in - went_out',
    entries: 'Number of entries of the day',
  },
  select: `
    select day.at::date as day, b.provider, b.currency,
      ${money('case when day.at = b.day then b.owed - b.came_in + b.went_out else b.owed end')} as opening_owed,
      ${money('case when day.at = b.day then b.came_in else 0 end')} as came_in,
      ${money('case when day.at = b.day then b.went_out else 0 end')} as went_out,
      ${money('b.owed')} as closing_owed,
      case when day.at = b.day then b.entries else 0 end as entries
    from (
      select provider, currency, day, came_in, went_out, entries,
        sum(came_in - went_out) over so_far as owed,
        coalesce(lead(day) over so_far - 1, greatest(day, ${dayColumn('now()')})) as last_day
      from (
        select coalesce(e.provider, o.provider) as provider, e.currency, ${dayColumn('e.posted_at')} as day,
          sum(greatest(-e.to_provider, 0)) as came_in, sum(greatest(e.to_provider, 0)) as went_out,
          count(*) as entries
        from gateway.journal_entries e left join gateway.operations o using (operation_id)
        where e.to_provider <> 0 group by 1, 2, 3) with_entries
      window so_far as (partition by provider, currency order by day)) b
    cross join lateral generate_series(b.day::timestamp, b.last_day::timestamp, interval '1 day') as day (at)`,
};
