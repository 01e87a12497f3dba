import { sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { findLedgerPosition } from '#projections/views/ledger-position.ts';
import {
  countFindings,
  decodeStatementCursor,
  findStatementDay,
  listFindings,
  type StatementDay,
} from '#projections/statements/query.ts';
import {
  fileReplacedProvider,
  readImports,
  type ImportsMade,
} from '#shared/application/statements/read-imports.ts';
import type { StatementOf } from '#shared/domain/statements/events.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { badge, formatAmount, html, notice, type Html } from '#shared/platform/pages/index.ts';
import { requireAccount, requireDay } from '../../api/statements/import-file.ts';
import { parseStatementPath } from '../../api/statements/parameters.ts';
import { readCursor } from '../../api/query.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { renderPolledSection } from '../../frame/polled-section.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import {
  renderActor,
  at,
  count,
  heading,
  pager,
  pairs,
  renderTable,
  timesIn,
} from '../../frame/components.ts';
import { action } from '../action-link.ts';
import { fetchStatementAction, importStatementFile } from '../actions/statement-imports.ts';
import { consoleView, type Console, type ConsoleView, type ConsoleContext } from '../env.ts';
import { exportButton } from '../export-button.ts';
import type { PageContent } from '../../frame/pages.ts';
import { common } from '#shared/application/pages/translations.ts';
import { books } from './books.ts';
import { groups } from './findings.ts';
import { dayFields } from './paths.ts';
import { stateBadge } from './state-badge.ts';
import { sourceNames, providerStatementTexts } from './texts.ts';

const findingsShown = 50;
/** Waits for the tables to have a recent import. */
const [waitMs, waits] = [150, 20];

/** One day: its statement with its findings, or that there is none. */
export async function statementDayPage(c: ConsoleContext, console: Console): Promise<PageContent> {
  const view = consoleView(c);
  const of = parseStatementPath(c.req.param());
  const made = await fromStore(readImports(console.store, of));
  const expected = Math.min(Number(c.req.query('import') ?? 0), made.imports[0]?.import ?? 0);
  const { day, isBehind } = await findDay(console, of, expected);
  if (!day && made.imports.length === 0) return noStatementContent(c, console, of);
  if (!day) return dayContent(c, { of, made, isBehind: true });
  const [counts, position] = await Promise.all([
    fromDatabase(countFindings(console.matching, of)),
    fromDatabase(findLedgerPosition(console.db, of)),
  ]);
  const { day: date, ...account } = of;
  const filter = { ...account, from: date, to: date };
  const cursor = readCursor(c.req.query('cursor'), decodeStatementCursor);
  const page = await fromDatabase(
    listFindings(console.matching, { filter, cursor, limit: findingsShown }),
  );
  const findings = html`${figures(view, day)} ${books(view, day, position)}
  ${groups(view, page.findings, new Map(counts.map((each) => [each.finding, each])))}
  ${pager(view, page.nextCursor)} ${history(view, made)}`;
  return dayContent(c, { of, made, day, findings, isBehind });
}

/** The day from the tables, with this import or a later one if they have it in time. */
async function findDay(
  { db, matching }: Console,
  of: StatementOf,
  expected: number,
): Promise<{ day: StatementDay | undefined; isBehind: boolean }> {
  const hasIt = async () => (await fromDatabase(importIn(db, of))) >= expected;
  let has = expected === 0 || (await hasIt());
  for (let left = waits; !has && left > 0; left -= 1) {
    await delay(waitMs);
    has = await hasIt();
  }
  return { day: await fromDatabase(findStatementDay(matching, of)), isBehind: !has };
}

async function importIn(db: Console['db'], of: StatementOf): Promise<number> {
  const { rows } = await sql<{ import: number }>`select import from gateway.statements
    where provider = ${of.provider} and account = ${of.account} and currency = ${of.currency}
      and day = ${of.day}::date`.execute(db);
  return rows[0]?.import ?? 0;
}

const statementTitle = ({ provider, account, currency, day }: StatementOf): string =>
  `${provider}${account === 'default' ? '' : ` / ${account}`}, ${currency}, ${day}`;

type DayContent = {
  of: StatementOf;
  made: ImportsMade;
  day?: StatementDay;
  findings?: Html;
  /** The tables do not have its newest import yet. */
  isBehind: boolean;
};

function dayContent(
  c: ConsoleContext,
  { of, made, day, findings, isBehind }: DayContent,
): PageContent {
  const view = consoleView(c);
  const { t } = view;
  const { day: date, ...account } = of;
  const csv = exportButton(view, 'statement-findings', { ...account, from: date, to: date });
  const title = statementTitle(of);
  const replaced = fileReplacedProvider(made.imports)
    ? notice('warning', html`<p>${t(providerStatementTexts.replacedProvider)}</p>`)
    : '';
  return {
    title,
    body: renderPolledSection(view, {
      state:
        day === undefined
          ? ''
          : t(
              day.findings_open === 0
                ? providerStatementTexts.nothing
                : providerStatementTexts.state,
            ),
      pending: isBehind ? providerStatementTexts.comparing : undefined,
      content: html`${heading(title, html`${buttons(view, of, providerStatementTexts.requestAgain)} ${csv}`, day ? html`${stateBadge(view, day)} ${timesIn(view)}` : timesIn(view))}
      ${replaced} ${findings ?? history(view, made)}`,
    }),
  };
}

/** @throws Problem not_found for a day that can have no statement */
async function noStatementContent(
  c: ConsoleContext,
  console: Console,
  of: StatementOf,
): Promise<PageContent> {
  const view = consoleView(c);
  const { t } = view;
  await requireAccount(console, of);
  try {
    requireDay(of);
  } catch (cause) {
    throw new Problem('not_found', { cause });
  }
  const title = statementTitle(of);
  return {
    title,
    body: html`${heading(title, buttons(view, of, providerStatementTexts.request), badge('warning', t(providerStatementTexts.noStatement)))}
      <p class="measure">${t(providerStatementTexts.noStatementAbout)}</p>`,
  };
}

function buttons(
  view: ConsoleView,
  of: StatementOf,
  label: typeof providerStatementTexts.request | typeof providerStatementTexts.requestAgain,
): Html {
  const tone = label === providerStatementTexts.request ? 'primary' : '';
  return html`${action(view, fetchStatementAction, { query: dayFields(of), text: label, tone })}
  ${action(view, importStatementFile, { query: dayFields(of), text: providerStatementTexts.import })}`;
}

/** Each import of the day: where it came from, who brought it, and which one counts. */
function history(view: ConsoleView, { imports, more }: ImportsMade): Html {
  const { t } = view;
  return html`<section class="section">
    <h2>${t(providerStatementTexts.imports)}</h2>
    ${renderTable(view, {
      caption: t(providerStatementTexts.imports),
      columns: [
        providerStatementTexts.number,
        providerStatementTexts.source,
        common.who,
        common.when,
        { amount: providerStatementTexts.lines },
        common.status,
      ],
      rows: imports.map((made, index) => [
        String(made.import),
        t(sourceNames[made.source]),
        renderActor(made.imported_by),
        at(view, made.imported_at),
        count(view, made.lines),
        index === 0
          ? badge('success', t(providerStatementTexts.counts))
          : badge('neutral', t(providerStatementTexts.replaced)),
      ]),
    })}
    ${more && html`<p class="muted">${t(providerStatementTexts.earlier)}</p>`}
  </section>`;
}

/** Both sides of the day, and the balances. */
function figures(view: ConsoleView, day: StatementDay): Html {
  const { t, language } = view;
  const amount = (value: string | null) =>
    value === null ? '—' : formatAmount(language, value, day.currency);
  const side = (moneyIn: string, moneyOut: string) =>
    `${t(providerStatementTexts.came)} ${amount(moneyIn)}, ${t(providerStatementTexts.went).toLowerCase()} ${amount(moneyOut)}`;
  return html`<section class="card">
    ${pairs(
      [
        [t(providerStatementTexts.stated), side(day.total_in, day.total_out)],
        [t(providerStatementTexts.counted), side(day.counted_in, day.counted_out)],
        [
          t(providerStatementTexts.lines),
          `${count(view, day.lines)}; ${t(providerStatementTexts.confirmed).toLowerCase()}: ${count(view, day.confirmed)}`,
        ],
        [t(providerStatementTexts.opening), amount(day.opening_balance)],
        [t(providerStatementTexts.closing), amount(day.closing_balance)],
        [
          t(providerStatementTexts.source),
          html`${t(sourceNames[day.source])}, ${at(view, day.imported_at)}`,
        ],
      ],
      'pairs across',
    )}
  </section>`;
}
