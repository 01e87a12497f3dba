import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import { moneyKinds } from '../suspense/table.ts';
import { inDay } from './statement-day.ts';

/**
 * Compares the ledger with the operations, for the money of one day at one account with a provider:
 * `s` is the row of gateway.statements. Entries do not name the account. It is taken from the
 * attempt that ended the operation, for late money from the attempt that it came on; if no attempt
 * is known, it is the account of the environment.
 *
 * Money belongs to the day on which the provider moved it, whenever it was posted. Amounts without
 * a transfer (an approval, money sent back manually, an entry that nothing explains) belong to the
 * day on which the gateway recorded them.
 */

const lateKinds = `(${moneyKinds.map((kind) => `'${kind}'`).join(', ')})`;

/** The late fact that an entry `e` is about. */
const factOfEntry = `
  from gateway.suspense x where x.operation_id = e.operation_id and x.leg_id = e.leg_id
    and (x.of_leg_id is null) = (e.of_leg_id is null) and x.kind in ${lateKinds}`;

/** The attempt of an operation's end: the accepted one, else the last. */
const attemptOfEnd = `coalesce(
  jsonb_path_query_first(o.attempts, '$[*] ? (@.outcome == "accepted")'), o.attempts -> -1)`;
const attemptOfEntry = `case when e.kind in ('suspense', 'resolution')
  then o.attempts -> ((select x.attempt ${factOfEntry} limit 1) - 1) else ${attemptOfEnd} end`;

const isOfAccount = (attempt: string, provider = "''") => `
  coalesce(${attempt} ->> 'provider', ${provider}) = s.provider
    and coalesce(${attempt} ->> 'account', '${defaultAccount}') = s.account`;

/** A converting route posts in another currency; old entries don't have what was converted. */
const converts = `e.kind in ('credit', 'capture') and e.source_currency is null
  and e.currency = o.settlement_currency and e.currency <> o.currency`;
const currencyOfEntry = `case when ${converts} then o.currency
  else coalesce(e.source_currency, e.currency) end`;
/** What an entry moves at the provider, from the account's side: positive if money came in. */
const movedByEntry = `case
  when e.kind in ('credit', 'capture') and (e.source_currency is not null or (${converts}))
    then case e.kind when 'credit' then 1 else -1 end * coalesce(e.source_amount, o.actual_amount)
  else -e.to_provider end`;

/** Entries that moved money at the account of `s`, with their operations. */
const entriesOfAccount = `
  gateway.journal_entries e left join gateway.operations o on o.operation_id = e.operation_id
  where (${movedByEntry}) <> 0 and coalesce(e.provider, s.provider) = s.provider
    and ${currencyOfEntry} = s.currency and ${isOfAccount(`(${attemptOfEntry})`, 'coalesce(e.provider, o.provider)')}`;

/** The balance of this account in the ledger at the end of the day. */
export const ledgerPosition = `
  select coalesce(sum(${movedByEntry}), 0)::numeric(38,2) from ${entriesOfAccount}
    and e.posted_at < (s.day + 1)::timestamp at time zone 'UTC'`;

const signed = (isIn: string, amount: string) =>
  `case when ${isIn} then ${amount} else -${amount} end`;

/** Operations that ended, or have postings anyway: the legs of each, and what its end posted. */
const ends = `
  select o.operation_id, (${attemptOfEnd} ->> 'attempt')::int as attempt, b.booked,
    case when o.ended_at is null then 0 else ${signed("o.type = 'payment'", 'l.amount')} end as counted,
    l.completed_at
  from (
    select operation_id, sum(amount) as amount, max(completed_at) as completed_at from gateway.legs
    where operation_id in (
      select d.operation_id from gateway.legs d where ${inDay('d.completed_at')} and d.currency = s.currency
        and coalesce(d.provider, s.provider) = s.provider)
    group by operation_id) l
  join gateway.operations o on o.operation_id = l.operation_id
  cross join lateral (
    select coalesce(sum(${movedByEntry}), 0) as booked from gateway.journal_entries e
    where e.operation_id = o.operation_id and e.kind in ('credit', 'capture')
      and ${currencyOfEntry} = s.currency) b
  where ${inDay('l.completed_at')} and o.currency = s.currency
    and ${isOfAccount(attemptOfEnd, 'o.provider')}`;

const lateComesIn = "(o.type = 'payment') = (x.of_leg_id is null)";

/** Late and returned money with entries of its own, and differences of it. */
const lateMoney = `
  select x.operation_id, x.attempt, b.booked, ${signed(lateComesIn, 'x.amount')} as counted, x.completed_at
  from gateway.suspense x join gateway.operations o on o.operation_id = x.operation_id
  cross join lateral (
    select coalesce(sum(-e.to_provider), 0) as booked from gateway.journal_entries e
    where e.operation_id = x.operation_id and e.kind = 'suspense' and e.leg_id = x.leg_id
      and (e.of_leg_id is null) = (x.of_leg_id is null) and e.currency = s.currency) b
  where x.kind in ${lateKinds} and ${inDay('x.completed_at')} and x.currency = s.currency
    and x.provider = s.provider
    and ${isOfAccount('(o.attempts -> (x.attempt - 1))', 'x.provider')}`;

/** Ledger entries of money that no operation counts. */
const ofNothing = `
  select e.operation_id, null::int as attempt, ${movedByEntry} as booked, 0::numeric as counted,
    e.posted_at as completed_at
  from ${entriesOfAccount} and ${inDay('e.posted_at')} and case
    when e.kind in ('credit', 'capture')
      then not exists (select from gateway.legs l where l.operation_id = e.operation_id)
    else e.kind = 'suspense' and not exists (select ${factOfEntry}) end`;

/** The operations whose money of the day differs between the ledger and the operation. */
export const ledgerDifferences = `
  books_differ as materialized (
    select operation_id, max(attempt) as attempt, sum(booked)::numeric(38,2) as booked,
      sum(counted)::numeric(38,2) as counted, max(completed_at) as completed_at
    from (${ends} union all ${lateMoney} union all ${ofNothing}) books
    group by operation_id having sum(booked) <> sum(counted))`;

export const ledgerDiffers = `
  select 'ledger_differs:' || b.operation_id, null, 'ledger_differs', null, null, null, b.operation_id::text,
    b.attempt, case when d.comes_in then 'in' else 'out' end, ${signed('d.comes_in', 'b.booked')},
    ${signed('d.comes_in', 'b.counted')}, b.completed_at
  from books_differ b
  cross join lateral (select coalesce(nullif(b.counted, 0), b.booked) > 0 as comes_in) d`;

/**
 * The day's money in the ledger without a transfer: approvals, as far as their money is not known
 * to be missing, and manual returns.
 */
export const withoutTransfer = `
  select coalesce(sum(moved), 0) from (
    select ${signed("o.type = 'payment'", 'l.amount')} as moved
    from gateway.legs l join gateway.operations o on o.operation_id = l.operation_id
    where l.synthetic and ${inDay('l.completed_at')} and l.currency = s.currency and o.ended_at is not null
      and ${isOfAccount(attemptOfEnd, 'o.provider')}
    union all
    select ${signed(lateComesIn, 'x.amount')}
    from gateway.suspense x join gateway.operations o on o.operation_id = x.operation_id
    where x.kind = 'approved_money_missing' and ${inDay('x.completed_at')} and x.currency = s.currency
      and x.provider = s.provider and ${isOfAccount('(o.attempts -> (x.attempt - 1))', 'x.provider')}
    union all
    select ${movedByEntry} from ${entriesOfAccount} and e.kind = 'resolution' and ${inDay('e.posted_at')}) w`;
