import type { Hono } from 'hono';
import {
  countFindings,
  decodeStatementCursor,
  findStatementDay,
  listFindings,
  listStatementDays,
  type StatementDay,
  type StatementFinding,
} from '#projections/statements/query.ts';
import { findings as findingKinds } from '#shared/domain/statements/findings.ts';
import type { StatementOf } from '#shared/domain/statements/events.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { badge, formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { statementOf } from '../../api/statements/parameters.ts';
import { invalidCursor } from '../../api/query.ts';
import { fromDatabase } from '../../database.ts';
import { action, at, count, heading, pager, pairs, shortId, table, timesIn } from '../components.ts';
import { viewOf, type Console, type ConsoleEnv, type View } from '../env.ts';
import { exportButton } from '../exports/button.ts';
import { show } from '../frame.ts';
import { common } from '../words.ts';
import { decisionNames, kinds, texts } from './texts.ts';

const daysShown = 31;
const findingsShown = 50;

export const pathOf = ({ provider, account, currency, day }: StatementOf): string =>
  `/statements/${[provider, account, currency, day].map(encodeURIComponent).join('/')}`;

const cursorOf = (text: string | undefined) => {
  const cursor = text === undefined ? undefined : decodeStatementCursor(text);
  if (text !== undefined && !cursor) throw invalidCursor();
  return cursor;
};

export function registerStatementPages(app: Hono<ConsoleEnv>, console: Console): void {
  app.get('/statements', async (c) => {
    const view = viewOf(c);
    const { t } = view;
    const page = { filter: {}, cursor: cursorOf(c.req.query('cursor')), limit: daysShown };
    const { days, nextCursor } = await fromDatabase(listStatementDays(console.db, page));
    const exports = html`${exportButton(view, 'statements')}`;
    return show(c, console, {
      title: t(texts.title),
      section: 'statements',
      body: html`${heading(t(texts.title), exports, html`${t(texts.about)} ${timesIn(view)}`)}
      ${table({
        caption: t(texts.title),
        columns: [
          { name: t(texts.day) },
          { name: t(common.provider) },
          { name: t(texts.state) },
          { name: t(texts.lines), amount: true },
          { name: t(texts.confirmed), amount: true },
          { name: `${t(texts.stated)}: +/−`, amount: true },
          { name: `${t(texts.counted)}: +/−`, amount: true },
          { name: t(texts.imported) },
        ],
        rows: days.map((day) => dayRow(view, day)),
        empty: t(texts.empty),
      })}${pager(view, nextCursor)}`,
    });
  });

  app.get('/statements/:provider/:account/:currency/:day', async (c) => {
    const view = viewOf(c);
    const of = statementOf(c.req.param());
    const day = await fromDatabase(findStatementDay(console.db, of));
    if (!day) throw new Problem('not_found');
    const counts = await fromDatabase(countFindings(console.db, of));
    const { day: date, ...account } = of;
    const filter = { ...account, from: date, to: date };
    const cursor = cursorOf(c.req.query('cursor'));
    const page = await fromDatabase(listFindings(console.db, { filter, cursor, limit: findingsShown }));
    const title = `${of.provider}, ${of.day}`;
    return show(c, console, {
      title,
      section: 'statements',
      trail: [{ href: '/statements', text: view.t(texts.title) }],
      body: html`${heading(title, exportButton(view, 'statement-findings', { ...filter }), stateOf(view, day))}
      ${figures(view, day)}
      ${groups(view, page.findings, new Map(counts.map((each) => [each.finding, each])))}
      ${pager(view, page.nextCursor)}`,
    });
  });
}

function stateOf({ t, ...view }: View, day: StatementDay): Html {
  if (day.findings_open === 0) return badge('success', t(texts.nothing));
  return badge('warning', `${t(texts.open)}${count({ t, ...view }, day.findings_open)}`);
}

function dayRow(view: View, day: StatementDay): (Html | string)[] {
  const { language } = view;
  const both = (came: string, went: string) =>
    html`${formatAmount(language, came, day.currency)}<br />−${formatAmount(language, went, day.currency)}`;
  const account = day.account === 'default' ? '' : ` / ${day.account}`;
  return [
    html`<a class="nowrap" href="${pathOf(day)}">${day.day}</a>`,
    `${day.provider}${account}`,
    stateOf(view, day),
    count(view, day.lines),
    count(view, day.confirmed),
    both(day.total_in, day.total_out),
    both(day.counted_in, day.counted_out),
    at(view, day.imported_at),
  ];
}

function figures(view: View, day: StatementDay): Html {
  const { t, language } = view;
  const amount = (value: string | null) =>
    value === null ? '—' : formatAmount(language, value, day.currency);
  const side = (came: string, went: string) =>
    `${t(texts.came)} ${amount(came)}, ${t(texts.went).toLowerCase()} ${amount(went)}`;
  return pairs([
    [t(texts.stated), side(day.total_in, day.total_out)],
    [t(texts.counted), side(day.counted_in, day.counted_out)],
    [t(texts.opening), amount(day.opening_balance)],
    [t(texts.closing), amount(day.closing_balance)],
    [
      t(texts.lines),
      `${count(view, day.lines)}; ${t(texts.confirmed).toLowerCase()}: ${count(view, day.confirmed)}`,
    ],
    [t(texts.imported), at(view, day.imported_at)],
  ]);
}

type Counts = ReadonlyMap<string, { open: number; closed: number }>;

function groups(view: View, findings: readonly StatementFinding[], counts: Counts): Html {
  const { t } = view;
  if (counts.size === 0) return html`<div class="empty">${t(texts.none)}</div>`;
  const shown = findingKinds.filter((kind) => findings.some(({ finding }) => finding === kind));
  return html`${shown.map((kind) => {
    const { open = 0, closed = 0 } = counts.get(kind) ?? {};
    return html`<section>
      <h2>${t(kinds[kind].name)}: ${count(view, open + closed)}</h2>
      <p>${t(kinds[kind].todo)}</p>
      ${table({
        caption: t(kinds[kind].name),
        columns: [
          { name: t(texts.transfer) },
          { name: t(common.operation) },
          { name: t(texts.stated), amount: true },
          { name: t(texts.counted), amount: true },
          { name: t(texts.note) },
        ],
        rows: findings.filter(({ finding }) => finding === kind).map((finding) => findingRow(view, finding)),
        empty: '',
      })}
    </section>`;
  })}`;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function findingRow(view: View, finding: StatementFinding): (Html | string)[] {
  const { t, language } = view;
  const { leg_id: legId, operation_id: operationId, currency, decision, note } = finding;
  const amount = (value: string | null) => (value === null ? '—' : formatAmount(language, value, currency));
  const known = operationId !== null && uuid.test(operationId);
  const closing = `${pathOf(finding)}/close-finding/${encodeURIComponent(finding.finding_id)}`;
  return [
    legId === null ? '—' : shortId(legId),
    operationId === null ? '—' : shortId(operationId, known ? `/operations/${operationId}` : undefined),
    amount(finding.amount),
    amount(finding.counted_amount),
    decision === null
      ? action(view, {
          route: 'POST /admin/v1/statements/:provider/:account/:currency/:day/close-finding',
          href: closing,
          text: texts.close,
        })
      : html`${t(decisionNames[decision])}: ${note}`,
  ];
}
