import {
  decodeStatementCursor,
  listStatementDays,
  type StatementDay,
} from '#projections/statements/query.ts';
import { formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { listMissing } from '../../api/statements/missing.ts';
import { readCursor } from '../../api/query.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { at, count, heading, pager, renderTable, timesIn } from '../../frame/components.ts';
import { action } from '../action-link.ts';
import { fetchStatementAction, importStatementFile } from '../actions/statement-imports.ts';
import { consoleView, type Console, type ConsoleView, type ConsoleContext } from '../env.ts';
import { exportButton } from '../export-button.ts';
import type { PageContent } from '../../frame/pages.ts';
import { common } from '#shared/application/pages/translations.ts';
import { renderMissingDays } from './missing.ts';
import { statementPath } from './paths.ts';
import { stateBadge } from './state-badge.ts';
import { sourceNames, providerStatementTexts } from './texts.ts';

const daysShown = 31;

export async function statementsPage(c: ConsoleContext, console: Console): Promise<PageContent> {
  const view = consoleView(c);
  const { t } = view;
  const cursorText = c.req.query('cursor');
  const cursor = readCursor(cursorText, decodeStatementCursor);
  const page = { filter: {}, cursor, limit: daysShown };
  const [{ days, nextCursor }, { missing, to }] = await Promise.all([
    fromDatabase(listStatementDays(console.matching, page)),
    listMissing(console, console.now()),
  ]);
  return {
    title: t(providerStatementTexts.title),
    body: html`${heading(t(providerStatementTexts.title), buttons(view), html`${t(providerStatementTexts.about)} ${timesIn(view)}`)}
    ${cursorText === undefined && renderMissingDays(view, missing, to)}
    ${renderTable(view, {
      caption: t(providerStatementTexts.title),
      columns: [
        providerStatementTexts.day,
        common.provider,
        providerStatementTexts.state,
        { amount: providerStatementTexts.lines },
        { amount: providerStatementTexts.confirmed },
        { amount: `${t(providerStatementTexts.stated)}: +/−` },
        { amount: `${t(providerStatementTexts.counted)}: +/−` },
        providerStatementTexts.source,
        providerStatementTexts.imported,
      ],
      rows: days.map((day) => dayRow(view, day)),
      empty: t(providerStatementTexts.empty),
    })}${pager(view, nextCursor)}`,
  };
}

function buttons(view: ConsoleView): Html {
  return html`${action(view, fetchStatementAction, { text: providerStatementTexts.request })}
  ${action(view, importStatementFile, { text: providerStatementTexts.import })}
  ${exportButton(view, 'statements')}`;
}

function dayRow(view: ConsoleView, day: StatementDay): (Html | string)[] {
  const { t, language } = view;
  const minus = (amount: string) => (/[1-9]/.test(amount) ? '−' : '');
  const both = (moneyIn: string, moneyOut: string) =>
    html`${formatAmount(language, moneyIn, day.currency)}<br />${minus(moneyOut)}${formatAmount(language, moneyOut, day.currency)}`;
  const account = day.account === 'default' ? '' : ` / ${day.account}`;
  return [
    html`<a class="nowrap" href="${statementPath(day)}">${day.day}</a>`,
    `${day.provider}${account}`,
    stateBadge(view, day),
    count(view, day.lines),
    count(view, day.confirmed),
    both(day.total_in, day.total_out),
    both(day.counted_in, day.counted_out),
    t(sourceNames[day.source]),
    at(view, day.imported_at),
  ];
}
