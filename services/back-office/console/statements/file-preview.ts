import { computeSums } from '#shared/application/statements/import-statement.ts';
import type { ImportMade } from '#shared/application/statements/read-imports.ts';
import { statementFileColumns } from '#shared/application/statements/files/csv.ts';
import {
  decimals,
  delimiterNames,
  formats,
  type Dialect,
} from '#shared/application/statements/files/detect.ts';
import { encodings } from '#shared/application/statements/files/encoding.ts';
import type { OtherAccount } from '#shared/application/statements/files/accounts.ts';
import type { StatementFileContent } from '#shared/application/statements/read-file.ts';
import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import type { StatementOf, StoredLine } from '#shared/domain/statements/events.ts';
import type { Field } from '../../frame/form-fields.ts';
import { badge, formatAmount, html, notice, type Html } from '#shared/platform/pages/index.ts';
import { fileFaults } from '../../api/statements/faults.ts';
import type { WrongFile } from '../../api/statements/import-file.ts';
import { count, renderTable, type Pair } from '../../frame/components.ts';
import type { ConsoleView } from '../env.ts';
import {
  dialectNames,
  dialectTexts,
  fileTexts,
  lineKindNames,
  providerStatementTexts,
} from './texts.ts';

const faultsShown = 50;
const linesShown = 5;

/** The fields to correct the detected dialect of the file. */
export function dialectFields({ t }: ConsoleView): Field[] {
  const choices = (names: readonly (keyof typeof dialectNames)[]) => [
    { value: '', text: t(dialectTexts.detect) },
    ...names.map((value) => ({ value, text: t(dialectNames[value]) })),
  ];
  const field = (name: keyof Dialect, names: readonly (keyof typeof dialectNames)[]): Field => ({
    name,
    label: dialectTexts[name],
    kind: 'choice',
    optional: true,
    choices: choices(names),
  });
  return [
    {
      name: 'account_number',
      label: fileTexts.accountNumber,
      hint: fileTexts.accountNumberHint,
      kind: 'text',
      optional: true,
    },
    field('format', formats),
    field('encoding', encodings),
    field('delimiter', delimiterNames),
    field('decimal', decimals),
  ];
}

function dialectIn({ t }: ConsoleView, { format, encoding, delimiter, decimal }: Dialect): string {
  const labels = [t(dialectNames[format]), t(dialectNames[encoding])];
  if (delimiter) labels.push(`${t(dialectTexts.separator)}: ${t(dialectNames[delimiter])}`);
  if (decimal) labels.push(`${t(dialectTexts.sign)}: ${t(dialectNames[decimal])}`);
  return labels.join(', ');
}

type ReadFileContent = Extract<StatementFileContent, { ok: true }>;
type PreviewInput = {
  of: StatementOf;
  read: ReadFileContent;
  newest: ImportMade | undefined;
  row: Pair;
};

/** Shows what a file contains before it is imported, in case it is the wrong file. */
export async function renderPreview(
  view: ConsoleView,
  { of, read, newest, row }: PreviewInput,
): Promise<Pair[]> {
  const { t, language } = view;
  const { lines, balances } = read;
  const { openingBalance: opening, closingBalance: closing } = balances;
  const sums = await computeSums({ lines, ...balances });
  const amount = (value: string) => formatAmount(language, value, of.currency);
  return [
    [t(dialectTexts.read), dialectIn(view, read.dialect)],
    [t(fileTexts.account), accountIn(read.account)],
    [t(providerStatementTexts.lines), countKinds(view, lines)],
    [t(providerStatementTexts.came), amount(sums.in)],
    [t(providerStatementTexts.went), amount(sums.out)],
    [t(dialectTexts.moved), formatDayRange(lines)],
    [t(dialectTexts.first), renderFirstLines(view, of, lines)],
    [t(providerStatementTexts.opening), opening && amount(opening)],
    [t(providerStatementTexts.closing), closing && amount(closing)],
    [t(fileTexts.balances), balanceCheck(view, of, { ...balances, sums })],
    [t(fileTexts.leftOut), leftOut(view, of, read)],
    row,
    [
      t(providerStatementTexts.becomes),
      newest?.digest === sums.digest
        ? t(providerStatementTexts.sameAgain)
        : newest?.source === 'provider'
          ? badge('warning', t(providerStatementTexts.replacesProvider))
          : undefined,
    ],
  ];
}

type ReadAccount = Pick<OtherAccount, 'number' | 'currency'>;

/** Undefined if the file does not name it, as CSV. */
const accountIn = ({ number, currency }: ReadAccount): string | undefined =>
  [number, currency].filter(Boolean).join(', ') || undefined;

/** Whether the lines lead from the opening to the closing balance, with the sum. */
function balanceCheck(
  { t, language }: ConsoleView,
  { currency }: StatementOf,
  { openingBalance: opening, closingBalance: closing, sums }: BalancesRead,
): Html | string | undefined {
  if (opening === undefined && closing === undefined) return t(fileTexts.noBalances);
  if (opening === undefined || closing === undefined) return undefined;
  const amount = (value: string) => formatAmount(language, value, currency);
  const follows = fromMinor(toMinor(opening) + toMinor(sums.in) - toMinor(sums.out));
  const state =
    follows === closing
      ? badge('success', t(fileTexts.adds))
      : badge('warning', `${t(fileTexts.follows)} ${amount(follows)}`);
  return html`${state}
    <div>${amount(opening)} + ${amount(sums.in)} − ${amount(sums.out)} = ${amount(follows)}</div>`;
}

type BalancesRead = ReadFileContent['balances'] & { sums: { in: string; out: string } };

/** What of the file is not of this statement, and why. */
function leftOut(
  view: ConsoleView,
  of: StatementOf,
  { others, notBooked }: Pick<ReadFileContent, 'others' | 'notBooked'>,
): Html | undefined {
  const { t } = view;
  const accounts = others.map((other) => {
    const why = other.currency === of.currency ? fileTexts.otherNumber : fileTexts.otherCurrency;
    const lines = `${t(providerStatementTexts.lines).toLowerCase()}: ${count(view, other.lines)}`;
    return `${accountIn(other) ?? '—'}: ${t(why)}, ${other.lines === 0 ? t(fileTexts.noMoney) : lines}`;
  });
  const entries = notBooked > 0 ? [`${t(fileTexts.notBooked)}: ${count(view, notBooked)}`] : [];
  const all = [...accounts, ...entries];
  return all.length === 0 ? undefined : html`${all.map((each) => html`<div>${each}</div>`)}`;
}

function countKinds(view: ConsoleView, lines: readonly StoredLine[]): string {
  const kinds = [...Map.groupBy(lines, ({ kind }) => kind)].map(
    ([kind, all]) => `${view.t(lineKindNames[kind])}: ${count(view, all.length)}`,
  );
  return `${count(view, lines.length)}${kinds.length > 0 ? ` (${kinds.join(', ')})` : ''}`;
}

/** The days of the first and the last movement. */
function formatDayRange(lines: readonly StoredLine[]): string {
  const days = lines.map(({ completed_at: at }) => at.slice(0, 10)).toSorted();
  const [first = '—', last = first] = [days[0], days.at(-1)];
  return first === last ? first : `${first} – ${last}`;
}

function renderFirstLines(
  { t, language }: ConsoleView,
  { currency }: StatementOf,
  lines: readonly StoredLine[],
): Html | string {
  if (lines.length === 0) return '—';
  return html`<ol>
    ${lines.slice(0, linesShown).map(
      ({ leg_id: id, kind, direction, amount, completed_at: at }) =>
        html`<li>
          ${at.slice(0, 10)} ${t(lineKindNames[kind])}
          ${direction === 'in' ? '+' : '−'}${formatAmount(language, amount, currency)}
          <code class="plain">${id}</code>
        </li>`,
    )}
  </ol>`;
}

/** Each wrong line with its field and what to do. */
export function wrongLines(view: ConsoleView, { wrong, dialect }: WrongFile): Html {
  const { t } = view;
  const rows = wrong.slice(0, faultsShown).map(({ line, code, difference, lines }) => {
    // Other faults are of the line or the file as a whole.
    const field = statementFileColumns.find((name) => name === code);
    return [
      count(view, line),
      field === undefined ? '—' : html`<code class="plain">${field}</code>`,
      [
        t(fileFaults[code]),
        ...(difference === undefined ? [] : [`${t(fileTexts.difference)}: ${difference}`]),
        ...(lines === undefined ? [] : [`${t(fileTexts.has)}: ${count(view, lines)}`]),
      ].join('. '),
    ];
  });
  const many = wrong.length > faultsShown ? html`<p>${t(fileTexts.andMore)}</p>` : '';
  return html`${notice(
      'danger',
      html`<h2>${t(fileTexts.wrong)}: ${count(view, wrong.length, 100)}</h2>
        <p>${t(dialectTexts.read)}: ${dialectIn(view, dialect)}.</p>
        <p>${t(fileTexts.mend)}</p>
        ${many}`,
      { urgent: true },
    )}
    <div class="wrong-lines">
      ${renderTable(view, {
        caption: t(fileTexts.wrong),
        columns: [fileTexts.line, fileTexts.field, fileTexts.todo],
        rows,
      })}
    </div>`;
}

export function aboutFiles({ t }: ConsoleView): Html {
  const [header, optional] = [statementFileColumns.slice(0, -3), statementFileColumns.slice(-3)];
  const code = (names: readonly string[]) =>
    names.map((name, index) => html`${index > 0 && ', '}<code class="plain">${name}</code>`);
  const example = [
    header.join(','),
    'transfer,in,t-1001,100.00,RUB,2026-01-31T10:00:00Z',
    'fee,out,f-17,3.00,RUB,2026-01-31T11:00:00Z',
  ].join('\n');
  return html`<section class="card stack">
    <h2>${t(fileTexts.aboutTitle)}</h2>
    <p>${t(dialectTexts.banks)}</p>
    <p>${t(fileTexts.columns)} ${code(header)}. ${t(fileTexts.optional)} ${code(optional)}.</p>
    <pre tabindex="0" role="group" aria-label="${t(fileTexts.example)}">${example}</pre>
    <p class="muted">${t(fileTexts.bounds)}</p>
  </section>`;
}
