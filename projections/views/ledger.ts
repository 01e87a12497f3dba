import { ledgerReadModel } from '../ledger/read-model.ts';
import { operationsReadModel } from '../operations/read-model.ts';
import { shopsReadModel } from '../shops/read-model.ts';
import { suspenseReadModel } from '../suspense/read-model.ts';
import type { SqlView } from './view.ts';

const amountsIn = 'Of all amounts in the row';

export const balances: SqlView = {
  name: 'balances',
  comment:
    'One row per shop and currency with a ledger entry. It lags behind the log: the row includes every entry up to read_to, and none after it. Merchants’ reads and payouts use the log itself.',
  from: [ledgerReadModel, shopsReadModel],
  columns: {
    shop_id: 'gateway.shops.shop_id',
    shop_name: 'As entered by an operator',
    merchant_id: 'gateway.merchants.merchant_id',
    currency: amountsIn,
    balance: 'The shop’s available funds, without reserved funds; negative if the shop has debt',
    reserved: 'Reserved for payouts in progress',
    current_minus: 'The shop’s debt: max(-(balance + reserved), 0)',
    overdraft_limit: 'Overdraft limit for payouts; null: unlimited',
    commission: 'Commission of the service so far, and late money that it retained or bore',
    entries: 'Number of entries in the ledger',
    updated_at: 'Time of the newest entry: since then nothing has moved, up to read_to',
    revision: 'The number of the newest entry',
    position: 'Its position in the log',
    read_to: 'The position in the log up to which the ledgers were read: the same for all rows',
  },
  select: `
    select l.shop_id, s.name as shop_name, s.merchant_id, l.currency, l.balance, l.reserved,
      greatest(-(l.balance + l.reserved), 0)::numeric(38,2) as current_minus,
      (s.overdraft_limits ->> l.currency)::numeric(38,2) as overdraft_limit,
      l.commission, l.revision + 1 as entries, l.updated_at, l.revision, l.position,
      (select position from projections.status where schema = 'gateway' and name = 'ledger') as read_to
    from gateway.ledgers l left join gateway.shops s using (shop_id)`,
};

export const openReservations: SqlView = {
  name: 'open_reservations',
  comment:
    'Funds that are currently reserved for payouts. A payout with a terminal status closes its reservation within moments.',
  from: [ledgerReadModel, operationsReadModel],
  columns: {
    operation_id: 'gateway.operations.operation_id',
    reservation: 'gateway.reservations.reservation',
    shop_id: 'The shop whose funds are reserved',
    merchant_operation_id: "The merchant's own id of the payout",
    currency: 'Of amount',
    amount: 'The reserved amount',
    opened_at: 'Time of the reservation',
    age: 'Age of the reservation',
    operation_status: 'Status of the payout; null where its row is not there yet',
    status_since: 'Time since which the payout has that status',
    provider: 'The provider that has the payout, or was tried last',
    overdue:
      'The payout has a terminal status: the reservation is about to be closed, or something is wrong',
  },
  select: `
    select r.operation_id, r.reservation, r.shop_id, o.merchant_operation_id, r.currency, r.amount, r.opened_at,
      now() - r.opened_at as age, o.status as operation_status, o.status_since, o.provider,
      o.ended_at is not null as overdue
    from gateway.reservations r left join gateway.operations o using (operation_id)
    where r.status = 'open'`,
};

export const suspenseOpen: SqlView = {
  name: 'suspense_open',
  comment:
    'Late facts that wait for an operator, with the ledger entry of late money. Resolved ones: gateway.suspense.',
  from: [suspenseReadModel, ledgerReadModel],
  columns: {
    entry_id: 'gateway.suspense.entry_id',
    kind: 'gateway.suspense.kind: late_money, payout_returned, payment_charged_back, transfer_corrected, return_corrected, approved_money_missing, late_status, late_correction or overcharge',
    operation_id: 'gateway.operations.operation_id',
    shop_id: 'gateway.shops.shop_id',
    merchant_id: 'gateway.merchants.merchant_id',
    provider: 'The provider that reported it',
    currency: 'Of the amounts; not late_status',
    amount: 'Amount of the transfer or the return',
    leg_id: 'The transfer, as in gateway.suspense; not late_status and overcharge',
    of_leg_id: 'Of returned money: the original transfer',
    beyond_amount: 'Of returned money: the amount by which it exceeds that transfer',
    completed_at: 'Time of the transfer or return at the provider',
    counted_amount:
      'Of a correction and of missing money: as the ledger had it; overcharge: what was agreed',
    reported_amount:
      'Of a correction and of missing money: as the provider has it now; overcharge: what was charged',
    reported_status: 'The terminal status that the provider reports; only late_status',
    operation_status: 'The operation’s own terminal status; only late_status',
    received_at: 'Time of the event in the log',
    age: 'Age of the late fact',
    posted_at: 'Time of the ledger entry; null if no money moved, and until it is posted',
    in_suspense: 'Amount added to suspense: positive for incoming money',
  },
  select: `
    select s.entry_id, s.kind, s.operation_id, s.shop_id, s.merchant_id, s.provider, s.currency, s.amount,
      s.leg_id, s.of_leg_id, s.beyond_amount, s.completed_at, s.counted_amount, s.reported_amount, s.reported_status, s.operation_status, s.received_at,
      now() - s.received_at as age, e.posted_at, e.to_suspense as in_suspense
    from gateway.suspense s
    left join gateway.journal_entries e
      on e.operation_id = s.operation_id and e.leg_id = s.leg_id and e.kind = 'suspense'
        and (e.of_leg_id is null) = (s.of_leg_id is null) and s.amount is not null
    where s.status = 'open'`,
};

export const ledgerViolations: SqlView = {
  name: 'ledger_violations',
  comment:
    'Entries that violate a rule of the ledger: normally none. Reads all entries; narrow it down by shop_id and currency.',
  from: [ledgerReadModel],
  columns: {
    shop_id: 'gateway.shops.shop_id',
    currency: 'Of the ledger',
    revision: 'The entry: gateway.journal_entries.revision',
    entry_id: 'Id of the event in the log',
    unbalanced: 'The entry does not add up to zero',
    wrong_balance: 'balance_after is not the one before with to_balance',
    wrong_reserved: 'reserved_after is not the one before with to_reserved',
    negative_reserved: 'The reserved amount is negative',
  },
  select: `
    select * from (
      select shop_id, currency, revision, entry_id,
        to_balance + to_reserved + to_commission + to_provider + to_suspense + to_external <> 0 as unbalanced,
        balance_after <> coalesce(lag(balance_after) over ledger, 0) + to_balance as wrong_balance,
        reserved_after <> coalesce(lag(reserved_after) over ledger, 0) + to_reserved as wrong_reserved,
        reserved_after < 0 as negative_reserved
      from gateway.journal_entries
      window ledger as (partition by shop_id, currency order by revision)) checked
    where unbalanced or wrong_balance or wrong_reserved or negative_reserved`,
};
