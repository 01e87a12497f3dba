import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import { findingsOfEither } from '#shared/domain/statements/findings.ts';
import { ledgerDifferences, ledgerDiffers, withoutTransfer } from './statement-ledger.ts';
import { explainedLines, isNear } from './explained-lines.ts';
import { inDay } from './statement-day.ts';

/**
 * Matches a statement with what the operations count, in SQL, as its specification does: `match` in
 * projections/testing/match-statement.ts. A test compares the two. It is computed on request, one
 * statement at a time: `s` is the row of gateway.statements. Nothing is stored, so a difference that
 * is resolved later disappears.
 */

/**
 * All money that the gateway counts at providers, seen from the account there: legs of operations,
 * late money, returned money, corrections of either, and money that was approved before it came. A
 * synthetic leg, an approval alone, is no transfer; a leg of 0.00 is no longer reported.
 */
const moneyIn = (
  table: string,
  {
    where,
    kind = 'transfer',
    comesIn = "o.type = 'payment'",
    id = 'l.leg_id',
    of = 'null::text',
    open = 'false',
    approved = 'false',
  }: Record<string, string>,
) => `
  select l.provider, coalesce(o.attempts -> (l.attempt - 1) ->> 'account', '${defaultAccount}') as account, l.currency,
    '${kind}' as kind, ${id} as leg_id, ${of} as of_leg_id, l.operation_id::text as operation_id, l.attempt,
    ${comesIn} as comes_in, l.amount, l.completed_at, ${open} as open, ${approved} as approved
  from ${table} l join gateway.operations o using (operation_id) where ${where}`;
/** A transfer's line has the full amount, so what was returned before the end is added again. */
const partsThatWentBack = `(select g.operation_id, g.provider, g.attempt, g.currency, g.leg_id, r.amount, g.completed_at
  from gateway.returned_legs r join gateway.legs g on g.operation_id = r.operation_id and g.leg_id = r.of_leg_id)`;
/** The ledger posts it once the operation has ended. */
const notEnded = 'o.ended_at is null';
const countedMoney = [
  moneyIn('gateway.legs', { where: 'not l.synthetic and l.amount <> 0', open: notEnded }),
  moneyIn(partsThatWentBack, { where: 'l.amount <> 0', open: notEnded }),
  moneyIn('gateway.returned_legs', {
    where: 'l.amount <> 0',
    kind: 'return',
    comesIn: "o.type = 'payout'",
    of: 'l.of_leg_id',
    open: notEnded,
  }),
  moneyIn('gateway.suspense', {
    where: "l.kind in ('late_money', 'transfer_corrected')",
    id: 'l.provider_leg_id',
  }),
  moneyIn('gateway.suspense', {
    where: "l.kind in ('payout_returned', 'payment_charged_back', 'return_corrected')",
    kind: 'return',
    comesIn: "l.kind = 'payout_returned' or (l.kind = 'return_corrected' and o.type = 'payout')",
    id: 'l.provider_leg_id',
    of: 'l.of_leg_id',
  }),
  moneyIn('gateway.approved_money', { where: 'true', id: 'l.provider_leg_id', approved: 'true' }),
].join(' union all ');

const ofAccount = (row: string) =>
  `${row}.provider = s.provider and ${row}.account = s.account and ${row}.currency = s.currency`;

/**
 * Lines of any statement with a leg's id, by that condition alone: before it has statistics,
 * PostgreSQL expects a leg to be as common as an account, and would scan the whole account for
 * each.
 */
const linesWith = (legId: string) =>
  `(select * from gateway.statement_lines where leg_id = ${legId} offset 0)`;

const moneyInLine = (line: string) =>
  `case ${line}.kind when 'chargeback' then 'return' else ${line}.kind end`;
const isInForce = (line: string) =>
  `${line}.import = (select i.import from gateway.statements i where ${ofAccount('i')} and i.day = ${line}.day)`;

/**
 * Whether an earlier line in force has the leg id of a line of `l`, and whether one has its
 * operation too.
 */
const before = `
  select count(*) > 0 as follows, coalesce(bool_or(p.operation_id = l.operation_id), false) as repeated
  from ${linesWith('l.leg_id')} p
  where ${ofAccount('p')} and (p.day, p.line) < (s.day, l.line) and ${moneyInLine('p')} = ${moneyInLine('l')} and ${isInForce('p')}`;

const daysAfter = (time: string) => `(${time} at time zone 'UTC')::date - s.day`;

/**
 * Lines of the day, the money that they may be about, and what each explains. Only for legs that
 * the day's lines and the day's money do not both have, with one operation, other days are read.
 *
 * Full joins and groups, where a left join or `exists` would do: before it has statistics,
 * PostgreSQL expects few lines in a new day and would scan it for each line. It can't do that for
 * these.
 */
const judgedLines = `
  stated as materialized (
    select l.*, ${moneyInLine('l')} as money, b.follows, b.repeated
    from gateway.statement_lines l cross join lateral (${before}) b
    where ${ofAccount('l')} and l.day = s.day and l.import = s.import),
  of_day as materialized (
    select * from (${countedMoney}) m where ${ofAccount('m')} and ${inDay('m.completed_at')}),
  unmatched_legs as materialized (
    select distinct leg_id
    from (
      select leg_id, bool_or(counted) and not bool_and(counted) as matched
      from (
        select money, leg_id, operation_id, false as counted from stated
        where money in ('transfer', 'return') and not repeated
        union all select kind, leg_id, operation_id, true from of_day) found
      group by money, leg_id, operation_id) each where not matched),
  known as materialized (
    select kind, leg_id, operation_id, max(of_leg_id) as of_leg_id, max(attempt) as attempt,
      bool_or(comes_in) as comes_in, sum(amount)::numeric(38,2) as amount, min(completed_at) as completed_at,
      ${daysAfter('min(completed_at)')} as day,
      coalesce(sum(amount) filter (where ${inDay('completed_at')}), 0) as in_day
    from (
      select * from of_day
      union all
      select m.* from unmatched_legs t cross join lateral (
        select * from (${countedMoney}) m where m.leg_id = t.leg_id and ${ofAccount('m')}
          and m.completed_at is not null and not (${inDay('m.completed_at')}) offset 0) m) found
    group by kind, leg_id, operation_id having sum(amount) <> 0),
  lines as materialized (
    select money, leg_id, operation_id, direction = 'in' as comes_in, amount, 0 as day, line
    from stated where money in ('transfer', 'return')
    union all
    select ${moneyInLine('p')}, p.leg_id, p.operation_id, p.direction = 'in', p.amount, p.day - s.day, p.line
    from unmatched_legs t cross join lateral ${linesWith('t.leg_id')} p
    where ${ofAccount('p')} and p.day <> s.day and p.kind in ('transfer', 'return', 'chargeback') and ${isInForce('p')}),
  naming as (
    select distinct on (money, leg_id, operation_id) * from lines where operation_id is not null
    order by money, leg_id, operation_id, day, line),
  sums as materialized (
    select k.kind as money, k.leg_id, k.operation_id, k.of_leg_id, k.attempt, k.comes_in, k.amount, k.day,
      n.day as named_on, n.comes_in = k.comes_in and n.amount = k.amount as is_equal
    from known k full join naming n
      on n.money = k.kind and n.leg_id = k.leg_id and n.operation_id = k.operation_id),
  ${explainedLines({
    lines: `lines where operation_id is null and ${isNear('day')}`,
    sums: `sums where operation_id is not null and named_on is null and ${isNear('day')}`,
  })},
  explained_sums as materialized (
    select m.*, p.line_day from (
      select * from sums where operation_id is not null and named_on is null and day between -1 and 1) m
      full join pairs p on p.money = m.money and p.leg_id = m.leg_id and p.operation_id = m.operation_id),
  only_unexplained as materialized (
    select money, leg_id, min(operation_id) as operation_id, min(of_leg_id) as of_leg_id, bool_or(comes_in) as comes_in,
      min(amount) as amount, min(attempt) as attempt
    from explained_sums where operation_id is not null and line_day is null group by money, leg_id having count(*) = 1),
  compared as materialized (
    select l.*, l.repeated or (l.operation_id is null and p.operation_id is null and l.follows) as again,
      p.operation_id as counted_operation, p.of_leg_id as counted_of, p.comes_in, p.amount as counted_amount,
      p.attempt as counted_attempt
    from stated l full join (
      select * from pairs where line_day = 0 and operation_id is not null) p on p.line = l.line),
  named as materialized (
    select l.line, l.kind, l.money, l.again, l.direction, l.leg_id, l.of_leg_id, l.operation_id, l.attempt, l.amount,
      l.completed_at, coalesce(l.counted_operation, n.operation_id) as counted_operation,
      coalesce(l.counted_of, n.of_leg_id) as counted_of, coalesce(l.comes_in, n.comes_in) as comes_in,
      coalesce(l.counted_amount, n.amount) as counted_amount, coalesce(l.counted_attempt, n.attempt) as counted_attempt
    from compared l full join known n
      on n.kind = case when not l.again then l.money end and n.leg_id = l.leg_id and n.operation_id = l.operation_id),
  counted as materialized (
    select l.line, l.kind, l.money, l.again, l.direction, l.leg_id, l.of_leg_id, l.operation_id, l.attempt, l.amount,
      l.completed_at, coalesce(l.counted_operation, o.operation_id) as counted_operation,
      coalesce(l.counted_of, o.of_leg_id) as counted_of, coalesce(l.comes_in, o.comes_in) as comes_in,
      coalesce(l.counted_amount, o.amount) as counted_amount,
      coalesce(l.counted_attempt, o.attempt) as counted_attempt
    from (select * from named where line is not null) l full join only_unexplained o
      on o.money = case when l.counted_operation is null and not l.again then l.money end and o.leg_id = l.leg_id),
  judged as materialized (
    select l.*,
      case
        when l.again then array['duplicate_line']
        when l.money not in ('transfer', 'return') then array[l.kind]
        when l.counted_operation is null and l.money = 'return' then array['return_not_reported']
        when l.counted_operation is null and l.operation_id is null then array['unknown_line']
        when l.counted_operation is null then array['not_counted']
        else array_remove(array[
          case when l.operation_id <> l.counted_operation or l.of_leg_id <> l.counted_of
            or (l.direction = 'in') <> l.comes_in then 'operation_differs' end,
          case when l.amount <> l.counted_amount then 'amount_differs' end], null)
      end as found
    from counted l where l.line is not null),
  held as materialized (
    select k.*, j.confirmed
    from known k full join (
      select money, leg_id, counted_operation, bool_or(cardinality(found) = 0) as confirmed from judged
      where counted_operation is not null group by money, leg_id, counted_operation) j
      on j.money = k.kind and j.leg_id = k.leg_id and j.counted_operation = k.operation_id),
  explained_elsewhere as (
    select money, leg_id, operation_id from sums where named_on <> 0 and is_equal and abs(named_on - day) <= 1
    union all select money, leg_id, operation_id from pairs where line_day <> 0 and operation_id is not null),
  stated_days as materialized (
    select k.*, e.operation_id is not null as elsewhere
    from held k full join explained_elsewhere e
      on e.money = k.kind and e.leg_id = k.leg_id and e.operation_id = k.operation_id),
  not_stated as materialized (
    select * from stated_days where in_day <> 0 and confirmed is null)`;

/** `findingId` of shared/domain/statements/findings.ts, of a leg. */
const ofLegId = (kind: string, operation: string, leg: string) =>
  `${kind} || coalesce('@' || replace(replace(${operation}, '%', '%25'), ':', '%3A'), '') || ':' || ${leg}`;
/** Of a finding that a transfer and its return may both have. */
const isOfEither = (finding: string) =>
  `${finding} in (${findingsOfEither.map((kind) => `'${kind}'`).join(', ')})`;
const withMoney = (finding: string, money: string) =>
  `${finding} || case when ${isOfEither(finding)} then '.' || ${money} else '' end`;

/** The day's money that neither this statement nor a neighbour's has. */
const notInStatement = `
  select ${ofLegId("'not_in_statement.' || k.kind", 'k.operation_id', 'k.leg_id')},
    ${ofLegId("'not_in_statement'", 'k.operation_id', 'k.leg_id')}, 'not_in_statement', k.leg_id, null::integer, null,
    k.operation_id, k.attempt, case when k.comes_in then 'in' else 'out' end, null::numeric, k.amount, k.completed_at
  from not_stated k where ${inDay('k.completed_at')} and not k.elsewhere`;

/**
 * The opening balance must be the previous day's closing one, and the closing one must follow from
 * the lines.
 */
const balanceDiffers = `
  select 'balance_differs', null, 'balance_differs', null, null, null, null, null, null,
    case when b.opens_well then s.closing_balance else s.opening_balance end,
    case when b.opens_well then b.expected else b.closed_before end, null::timestamptz
  from (
    select p.closing_balance as closed_before,
      coalesce(p.closing_balance = s.opening_balance, true) as opens_well,
      s.opening_balance + s.total_in - s.total_out as expected
    from (select) one left join gateway.statements p on ${ofAccount('p')} and p.day = s.day - 1) b
  where not b.opens_well or s.closing_balance <> b.expected`;

const hasSameAmounts = (note: string) => `(coalesce(${note}.amount, ${note}.counted_amount) is null
  or (${note}.amount is not distinct from f.amount and ${note}.counted_amount is not distinct from f.counted_amount))`;

/** Whether the finding still has the amounts of the note. Old notes did not record them. */
export const isStillSo = hasSameAmounts('c');

/** The note with an older id, for one of the findings that had it: the first with its amounts. */
const hasOldNote = (id: string, note: string) => `row_number() over (
  partition by f.${id}
  order by case when f.finding_id = f.${id} then 0 when ${hasSameAmounts(note)} then 1 else 2 end,
    f.line, f.operation_id, f.finding_id) = 1`;

/**
 * The findings of `s`, each once. `noted_as`: the id of its last note. Older ids did not name the
 * kind of money, and the oldest not the operation: such a note is about one finding.
 */
const withFindings = `
  with ${judgedLines}, ${ledgerDifferences},
  found as (
    select distinct on (f.finding_id) f.*,
      case when f.finding <> 'duplicate_line' then f.finding || ':' || f.leg_id end as oldest_id
    from (
      select case w.finding when 'duplicate_line' then w.finding || ':' || j.leg_id || ':' || j.line
          else ${ofLegId(withMoney('w.finding', 'j.money'), 'coalesce(j.operation_id, j.counted_operation)', 'j.leg_id')} end
          as finding_id,
        case when ${isOfEither('w.finding')}
          then ${ofLegId('w.finding', 'coalesce(j.operation_id, j.counted_operation)', 'j.leg_id')} end as old_id,
        w.finding, j.leg_id, j.line, j.kind as line_kind,
        coalesce(j.counted_operation, j.operation_id) as operation_id,
        coalesce(j.counted_attempt, j.attempt) as attempt, j.direction, j.amount, j.counted_amount, j.completed_at
      from judged j cross join unnest(j.found) as w (finding)
      union all ${notInStatement}
      union all ${balanceDiffers}
      union all ${ledgerDiffers}) f
    order by f.finding_id, f.line, f.operation_id),
  notes as materialized (
    select c.* from gateway.statement_closings c where ${ofAccount('c')} and c.day = s.day),
  findings as (
    select f.*, coalesce(c.finding_id, case when ${hasOldNote('old_id', 'o')} then o.finding_id end,
      case when ${hasOldNote('oldest_id', 'p')} then p.finding_id end) as noted_as
    from found f left join notes c on c.finding_id = f.finding_id left join notes o on o.finding_id = f.old_id
      left join notes p on p.finding_id = f.oldest_id)`;

export const findingsOfStatement = `${withFindings} select * from findings`;

/** The last note on the finding `f` of `s`. */
export const notedOn = `gateway.statement_closings c on ${ofAccount('c')} and c.day = s.day
  and c.finding_id = f.noted_as`;

/** The note that closes a finding. */
const closingOf = `${notedOn} and ${isStillSo}`;

const signedSum = (amount: string, isIn: string) =>
  `coalesce(sum(case when ${isIn} then ${amount} else -${amount} end), 0)`;
const ofLines = signedSum('amount', "direction = 'in'");

/**
 * What the statement moved, compared with the books. `of_neighbours`: lines here whose money is of
 * another day, less this day's money in another statement. `to_come`: money of operations that have
 * not ended, which is posted then.
 */
const moved = `
  moved as materialized (
    select coalesce(sum(amount) filter (where comes_in), 0)::numeric(38,2) as counted_in,
      coalesce(sum(amount) filter (where not comes_in), 0)::numeric(38,2) as counted_out,
      coalesce(sum(case when comes_in then amount else -amount end) filter (where open), 0) as to_come,
      coalesce(sum(case when comes_in then amount else -amount end) filter (where approved), 0) as approved_before
    from of_day),
  explained as materialized (
    select (select ${ofLines} from judged where found = array[kind]) as of_no_operation,
      (select ${ofLines} from judged where money in ('transfer', 'return') and cardinality(found) = 0)
        - (select ${signedSum('in_day', 'comes_in')} from held where in_day <> 0 and confirmed)
        - (select ${signedSum('in_day', 'comes_in')} from not_stated where elsewhere) as of_neighbours,
      (${withoutTransfer}) as without_transfer,
      (select coalesce(sum(booked - counted), 0) from books_differ) as books_differ)`;

/**
 * One row of totals for `s`: what is confirmed, what is not, what the gateway counts for the day,
 * and what the books have.
 */
export const summaryOfStatement = `${withFindings}, ${moved},
  counts as (
    select count(*) filter (where c.finding_id is null) as findings_open, count(c.finding_id) as findings_closed
    from findings f left join ${closingOf}),
  ledger as (
    select m.counted_in - m.counted_out as counted,
      m.counted_in - m.counted_out - m.to_come - m.approved_before + e.without_transfer + e.books_differ as moved,
      e.of_no_operation + e.of_neighbours + m.to_come + m.approved_before - e.without_transfer as explained,
      e.of_no_operation + e.of_neighbours as of_statement
    from moved m cross join explained e)
  select (select count(*) from judged where money in ('transfer', 'return') and cardinality(found) = 0) as confirmed,
    n.findings_open, n.findings_closed, m.counted_in, m.counted_out,
    (s.total_in - s.total_out)::numeric(38,2) as statement_moved, l.moved::numeric(38,2) as ledger_moved,
    l.explained::numeric(38,2) as explained,
    (s.total_in - s.total_out - l.counted - l.of_statement)::numeric(38,2) as unmatched,
    (l.counted + l.of_statement - l.moved - l.explained)::numeric(38,2) as unexplained
  from moved m cross join ledger l cross join counts n`;
