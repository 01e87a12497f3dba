import { sumsOf } from '#shared/application/statements/import-statement.ts';
import type { ImportMade } from '#shared/application/statements/read-imports.ts';
import { fileColumns } from '#shared/application/statements/files/csv.ts';
import {
  decimals,
  delimiterNames,
  formats,
  type Dialect,
} from '#shared/application/statements/files/detect.ts';
import { encodings } from '#shared/application/statements/files/encoding.ts';
import type { ReadFile } from '#shared/application/statements/read-file.ts';
import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import type { StatementOf, StoredLine } from '#shared/domain/statements/events.ts';
import type { Field } from '../../frame/form-fields.ts';
import { badge, formatAmount, html, notice, type Html } from '#shared/platform/pages/index.ts';
import { fileFaults } from '../../api/statements/faults.ts';
import type { WrongFile } from '../../api/statements/import-file.ts';
import { count, table, type Pair } from '../../frame/components.ts';
import type { View } from '../env.ts';
import { dialectNames, dialectTexts, fileTexts, lineKindNames, texts } from './texts.ts';

const faultsShown = 50;
const linesShown = 5;

/** The fields to correct the detected dialect of the file. */
export function dialectFields({ t }: View): Field[] {
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
    field('format', formats),
    field('encoding', encodings),
    field('delimiter', delimiterNames),
    field('decimal', decimals),
  ];
}

function dialectIn({ t }: View, { format, encoding, delimiter, decimal }: Dialect): string {
  const labels = [t(dialectNames[format]), t(dialectNames[encoding])];
  if (delimiter) labels.push(`${t(dialectTexts.separator)}: ${t(dialectNames[delimiter])}`);
  if (decimal) labels.push(`${t(dialectTexts.sign)}: ${t(dialectNames[decimal])}`);
  return labels.join(', ');
}

type Previewed = {
  of: StatementOf;
  read: Extract<ReadFile, { ok: true }>;
  newest: ImportMade | undefined;
  row: Pair;
};

/** Shows what a file contains before it is imported, in case it is the wrong file. */
export async function previewOf(view: View, { of, read, newest, row }: Previewed): Promise<Pair[]> {
  const { t, language } = view;
  const { lines, balances } = read;
  const { openingBalance: opening, closingBalance: closing } = balances;
  const sums = await sumsOf({ lines, ...balances });
  const amount = (value: string) => formatAmount(language, value, of.currency);
  const follows = opening && fromMinor(toMinor(opening) + toMinor(sums.in) - toMinor(sums.out));
  return [
    [t(dialectTexts.read), dialectIn(view, read.dialect)],
    [t(texts.lines), kindsOf(view, lines)],
    [t(texts.came), amount(sums.in)],
    [t(texts.went), amount(sums.out)],
    [t(dialectTexts.moved), daysOf(lines)],
    [t(dialectTexts.first), firstOf(view, of, lines)],
    [t(texts.opening), opening && amount(opening)],
    [t(texts.closing), closing && amount(closing)],
    [
      t(fileTexts.balances),
      follows &&
        closing &&
        (follows === closing
          ? badge('success', t(fileTexts.adds))
          : badge('warning', `${t(fileTexts.follows)} ${amount(follows)}`)),
    ],
    row,
    [
      t(texts.becomes),
      newest?.digest === sums.digest
        ? t(texts.sameAgain)
        : newest?.source === 'provider'
          ? badge('warning', t(texts.replacesProvider))
          : undefined,
    ],
  ];
}

function kindsOf(view: View, lines: readonly StoredLine[]): string {
  const kinds = [...Map.groupBy(lines, ({ kind }) => kind)].map(
    ([kind, all]) => `${view.t(lineKindNames[kind])}: ${count(view, all.length)}`,
  );
  return `${count(view, lines.length)}${kinds.length > 0 ? ` (${kinds.join(', ')})` : ''}`;
}

/** The days of the first and the last movement. */
function daysOf(lines: readonly StoredLine[]): string {
  const days = lines.map(({ completed_at: at }) => at.slice(0, 10)).toSorted();
  const [first = '—', last = first] = [days[0], days.at(-1)];
  return first === last ? first : `${first} – ${last}`;
}

function firstOf(
  { t, language }: View,
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
export function wrongLines(view: View, { wrong, dialect }: WrongFile): Html {
  const { t } = view;
  const rows = wrong.slice(0, faultsShown).map(({ line, code }) => {
    // Other faults are of the line or the file as a whole.
    const field = fileColumns.find((name) => name === code);
    return [
      count(view, line),
      field === undefined ? '—' : html`<code class="plain">${field}</code>`,
      t(fileFaults[code]),
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
      ${table(view, {
        caption: t(fileTexts.wrong),
        columns: [fileTexts.line, fileTexts.field, fileTexts.todo],
        rows,
      })}
    </div>`;
}

export function aboutFiles({ t }: View): Html {
  const [header, optional] = [fileColumns.slice(0, -3), fileColumns.slice(-3)];
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
