import {
  decodeStatementCursor,
  listStatementDays,
  type StatementDay,
} from '#projections/statements/query.ts';
import { formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { listMissing } from '../../api/statements/missing.ts';
import { readCursor } from '../../api/query.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { at, count, heading, pager, table, timesIn } from '../../frame/components.ts';
import { action } from '../action-link.ts';
import { viewOf, type Console, type View, type ConsoleApp } from '../env.ts';
import { exportButton } from '../export-button.ts';
import { show } from '../frame.ts';
import { common } from '#shared/application/pages/translations.ts';
import { registerStatementDay } from './day.ts';
import { missingDays } from './missing.ts';
import { pathOf } from './paths.ts';
import { stateBadge } from './state-badge.ts';
import { sourceNames, texts } from './texts.ts';

const daysShown = 31;

export function registerStatementPages(app: ConsoleApp, console: Console): void {
  app.get('/statements', async (c) => {
    const view = viewOf(c);
    const { t } = view;
    const cursorText = c.req.query('cursor');
    const cursor = readCursor(cursorText, decodeStatementCursor);
    const page = { filter: {}, cursor, limit: daysShown };
    const [{ days, nextCursor }, { missing, to }] = await Promise.all([
      fromDatabase(listStatementDays(console.matching, page)),
      listMissing(console, console.now()),
    ]);
    return show(c, console, {
      title: t(texts.title),
      section: 'statements',
      body: html`${heading(t(texts.title), buttons(view), html`${t(texts.about)} ${timesIn(view)}`)}
      ${cursorText === undefined && missingDays(view, missing, to)}
      ${table(view, {
        caption: t(texts.title),
        columns: [
          texts.day,
          common.provider,
          texts.state,
          { amount: texts.lines },
          { amount: texts.confirmed },
          { amount: `${t(texts.stated)}: +/−` },
          { amount: `${t(texts.counted)}: +/−` },
          texts.source,
          texts.imported,
        ],
        rows: days.map((day) => dayRow(view, day)),
        empty: t(texts.empty),
      })}${pager(view, nextCursor)}`,
    });
  });

  registerStatementDay(app, console);
}

function buttons(view: View): Html {
  const statement = 'POST /admin/v1/statements/:provider/:account/:currency/:day';
  const route = (name: string) => `${statement}/${name}`;
  return html`${action(view, { route: route('fetch'), href: '/statements/ask', text: texts.ask })}
  ${action(view, { route: route('import'), href: '/statements/import', text: texts.import })}
  ${exportButton(view, 'statements')}`;
}

function dayRow(view: View, day: StatementDay): (Html | string)[] {
  const { t, language } = view;
  const minus = (amount: string) => (/[1-9]/.test(amount) ? '−' : '');
  const both = (moneyIn: string, moneyOut: string) =>
    html`${formatAmount(language, moneyIn, day.currency)}<br />${minus(moneyOut)}${formatAmount(language, moneyOut, day.currency)}`;
  const account = day.account === 'default' ? '' : ` / ${day.account}`;
  return [
    html`<a class="nowrap" href="${pathOf(day)}">${day.day}</a>`,
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
