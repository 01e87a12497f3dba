import { sql } from 'kysely';
import { foreign, own, timeColumn, type CsvQuery } from '#shared/platform/csv/columns.ts';
import {
  statementConditions,
  type FindingFilter,
  type StatementFilter,
} from '../statements/query.ts';
import { joinConditions, where } from '../conditions.ts';

/** Rows per page: each row is a statement that has to be matched. */
const fewRows = 20;

/**
 * How each statement matches, newest day first. Without the ledger position, which would read the
 * whole journal for each row.
 */
export const statementsCsv = (filter: StatementFilter): CsvQuery => ({
  batchRows: fewRows,
  columns: [
    own('day'),
    foreign('provider'),
    foreign('account'),
    own('currency'),
    own('source'),
    timeColumn('imported_at'),
    own('lines'),
    own('confirmed'),
    own('findings_open'),
    own('findings_closed'),
    own('total_in'),
    own('total_out'),
    own('counted_in'),
    own('counted_out'),
    own('opening_balance'),
    own('closing_balance'),
    own('statement_moved'),
    own('ledger_moved'),
    own('explained'),
    own('unmatched'),
    own('unexplained'),
  ],
  from: sql`from gateway.statement_days as listed where ${joinConditions(statementConditions(filter))}
    order by listed.day desc, listed.provider, listed.account, listed.currency`,
});

/** What does not match, newest day first. */
export const statementFindingsCsv = ({ finding, status, ...filter }: FindingFilter): CsvQuery => ({
  columns: [
    own('day'),
    foreign('provider'),
    foreign('account'),
    own('currency'),
    own('finding'),
    own('status'),
    foreign('leg_id'),
    own('line'),
    own('line_kind'),
    own('direction'),
    foreign('operation_id'),
    own('attempt'),
    own('amount'),
    own('counted_amount'),
    timeColumn('completed_at'),
    own('decision'),
    foreign('note'),
    foreign('closed_by'),
    timeColumn('closed_at'),
    foreign('finding_id'),
  ],
  from: sql`from gateway.statement_findings as listed where ${joinConditions([
    ...statementConditions(filter),
    ...where(finding, (kind) => sql`finding = ${kind}`),
    ...where(status, (wanted) => sql`status = ${wanted}`),
  ])} order by listed.day desc, listed.provider, listed.account, listed.currency, listed.finding_id`,
});
