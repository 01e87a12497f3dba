import { z } from 'zod';
import { readImports, type ImportMade } from '#shared/application/statements/imports.ts';
import { newestDay } from '#shared/application/statements/days.ts';
import { sumsOf } from '#shared/application/statements/import.ts';
import { fileColumns } from '#shared/application/statements/read-file.ts';
import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import {
  defaultAccount,
  statementDaySchema,
  statementStream,
  type StatementOf,
  type StoredLine,
} from '#shared/domain/statements/events.ts';
import type { Field } from '#shared/application/pages/form-fields.ts';
import { badge, formatAmount, html, notice, type Html } from '#shared/platform/pages/index.ts';
import { invalidRequest, validate } from '#shared/platform/http/validate.ts';
import { hasEnvironments } from '../../api/accounts/check.ts';
import { fieldOf, fileFaults } from '../../api/statements/faults.ts';
import type { AskedStatement } from '../../api/statements/fetch.ts';
import {
  incomingFiles,
  fileType,
  maxFileBytes,
  oneFile,
  readLines,
  requireAccount,
  requireDay,
  WrongFile,
} from '../../api/statements/import.ts';
import { fileQuery } from '../../api/statements/routes.ts';
import { fromStore } from '../../store.ts';
import { actorOf, at, count, table } from '../components.ts';
import type { Console, View } from '../env.ts';
import { accountChoices, currencyChoices, splitAccount } from '../statements/accounts.ts';
import { askPath, pathOf } from '../statements/paths.ts';
import { fileTexts, lineKindNames, sourceNames, texts } from '../statements/texts.ts';
import { common } from '../words.ts';
import type { Action, Done, Params, Prepared } from './action.ts';
import { givenAmount } from './shop.ts';
import type { Values } from '#shared/platform/sessions/form.ts';

const route = 'POST /admin/v1/statements/:provider/:account/:currency/:day';
const list = '/statements';
const faultsShown = 50;

const trailOf = ({ t }: View) => [{ href: list, text: t(texts.title) }];
const ofParams = (params: Params): StatementOf => {
  const { provider = '', account = '', currency = '', day = '' } = params;
  return { provider, account, currency, day };
};
const streams = ({ params }: Done) => [statementStream(ofParams(params))];
/** A large statement is written as hundreds of events. */
const shows = { types: ['StatementImported'], among: 4 };

/** The fields that choose the statement: an account that exists or existed, and a finished day. */
async function whichDay(console: Console, view: View): Promise<Field[]> {
  return [
    {
      name: 'account',
      label: texts.account,
      kind: 'choice',
      choices: await accountChoices(console, view),
    },
    { name: 'currency', label: common.currency, kind: 'choice', choices: currencyChoices(console) },
    {
      name: 'day',
      label: texts.day,
      hint: texts.dayHint,
      kind: 'date',
      between: ['2000-01-01', newestDay(console.now())],
    },
  ];
}

const which = z.strictObject({
  account: z.string().min(1),
  currency: z.string().regex(/^[A-Z]{2,10}$/),
  day: statementDaySchema,
});

/** @throws Problem invalid_request, not_found */
async function requireWhich(console: Console, of: StatementOf, values: Values): Promise<void> {
  const { account, currency, day } = values;
  validate(which, withoutEmpty({ account, currency, day }));
  await requireAccount(console, of);
  requireDay(of);
}

const withoutEmpty = (values: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => (value ?? '').trim() !== ''));

const chosen = (values: Values): StatementOf => ({
  ...splitAccount(values['account']),
  currency: values['currency'] ?? '',
  day: values['day'] ?? '',
});

const balancesOf = (values: Values): Record<string, string> => {
  const [opening, closing] = [
    givenAmount(values, 'opening_balance'),
    givenAmount(values, 'closing_balance'),
  ];
  return {
    ...(opening !== undefined && { opening_balance: opening }),
    ...(closing !== undefined && { closing_balance: closing }),
  };
};

/** The day's present statement, and what will happen to it. */
async function standing(
  console: Console,
  view: View,
  of: StatementOf,
): Promise<{ newest: ImportMade | undefined; row: readonly [string, Html | string] }> {
  const { imports } = await fromStore(readImports(console.store, of));
  const [newest] = imports;
  const { t } = view;
  const row = [
    t(texts.stands),
    newest ? importedAs(view, newest) : t(texts.nothingStands),
  ] as const;
  return { newest, row };
}

/** An import in a few words: where it came from, who brought it and when. */
function importedAs(view: View, made: ImportMade): Html {
  return html`${view.t(sourceNames[made.source])}, ${actorOf(made.imported_by)},
  ${at(view, made.imported_at)}; ${view.t(texts.lines).toLowerCase()}: ${count(view, made.lines)}`;
}

export const importStatementFile: Action = {
  path: `${list}/import`,
  route: `${route}/import`,
  section: 'statements',
  title: { ru: 'Загрузить выписку из файла', en: 'Import a statement from a file' },
  explain: {
    ru: 'Файл берётся целиком или не берётся вовсе. Он заменяет выписку этого дня, если она есть. Деньги не двигаются, операции не меняются.',
    en: 'A file is imported as a whole or not at all. If the day has a statement, the file replaces it. No money moves, and no operation changes.',
  },
  button: { ru: 'Загрузить выписку', en: 'Import the statement' },
  done: { ru: 'Выписка загружена.', en: 'The statement is imported.' },
  file: {
    maxBytes: maxFileBytes,
    type: fileType,
    incoming: incomingFiles,
    fields: ['account', 'currency', 'day', 'opening_balance', 'closing_balance'],
  },
  request: (values) => ({ params: chosen(values), query: balancesOf(values) }),
  prepare: async (console, { view }): Promise<Prepared> => {
    const balance = { kind: 'number', optional: true, hint: fileTexts.balanceHint } as const;
    return {
      about: [],
      fields: [
        ...(await whichDay(console, view)),
        { name: 'opening_balance', label: texts.opening, ...balance },
        { name: 'closing_balance', label: texts.closing, ...balance },
        {
          name: 'file',
          label: fileTexts.file,
          hint: fileTexts.fileHint,
          kind: 'file',
          accept: '.csv,text/csv',
        },
      ],
      aside: aboutFiles(view),
      back: list,
      trail: trailOf(view),
    };
  },
  check: async (console, _, params, { values, file }) => {
    const of = ofParams(params);
    await requireWhich(console, of, values);
    validate(fileQuery, balancesOf(values));
    const detail = 'choose the file';
    if (!file) throw invalidRequest([{ pointer: '/file', code: 'field_required', detail }]);
  },
  outcome: async (console, { view, params, values, file }) => {
    const of = ofParams(params);
    const lines = await oneFile(() => readLines(of, file?.bytes ?? new Uint8Array()));
    return whatTheFileSays(console, view, { of, lines, values });
  },
  explainFault: (view, problem) =>
    problem instanceof WrongFile ? wrongLines(view, problem.wrong) : undefined,
  streams,
  shows,
  say: ({ answer }) => {
    const { outcome, lines } = answer as { outcome: string; lines: number };
    if (outcome === 'unchanged') return texts.sameAgain;
    return {
      ru: `Выписка загружена, строк: ${lines}.`,
      en: `The statement is imported; lines: ${lines}.`,
    };
  },
  next: nextPage,
};

/** The statement, as soon as the tables have this import. */
function nextPage({ params, answer }: Done): string {
  const { import: number } = answer as { import: number };
  return `${pathOf(ofParams(params))}?import=${number}`;
}

type Said = { of: StatementOf; lines: readonly StoredLine[]; values: Values };

/** Shows what a file contains before it is imported, in case it is the wrong file. */
async function whatTheFileSays(
  console: Console,
  view: View,
  { of, lines, values }: Said,
): Promise<(readonly [string, Html | string])[]> {
  const { t, language } = view;
  const { opening_balance: openingBalance, closing_balance: closingBalance } = balancesOf(values);
  const sums = await sumsOf({ lines, openingBalance, closingBalance });
  const { newest, row } = await standing(console, view, of);
  const amount = (value: string) => formatAmount(language, value, of.currency);
  const kinds = Map.groupBy(lines, ({ kind }) => kind);
  const byKind = [...kinds].map(
    ([kind, all]) => `${t(lineKindNames[kind])}: ${count(view, all.length)}`,
  );
  const told: (readonly [string, Html | string])[] = [
    [
      t(texts.lines),
      `${count(view, lines.length)}${byKind.length > 0 ? ` (${byKind.join(', ')})` : ''}`,
    ],
    [t(texts.came), amount(sums.in)],
    [t(texts.went), amount(sums.out)],
  ];
  if (openingBalance !== undefined && closingBalance !== undefined) {
    const follows = fromMinor(toMinor(openingBalance) + toMinor(sums.in) - toMinor(sums.out));
    const adds = follows === closingBalance;
    told.push([
      t(fileTexts.balances),
      badge(
        adds ? 'success' : 'warning',
        adds ? t(fileTexts.adds) : `${t(fileTexts.follows)} ${amount(follows)}`,
      ),
    ]);
  }
  if (newest?.digest === sums.digest) return [...told, row, [t(texts.becomes), t(texts.sameAgain)]];
  if (newest?.source === 'provider')
    return [...told, row, [t(texts.becomes), badge('warning', t(texts.replacesProvider))]];
  return [...told, row];
}

/** Each wrong line with its field and what to do. */
function wrongLines(view: View, wrong: WrongFile['wrong']): Html {
  const { t } = view;
  const rows = wrong.slice(0, faultsShown).map(({ line, code }) => {
    const field = fieldOf(code);
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
        <p>${t(fileTexts.mend)}</p>
        ${many}`,
      { urgent: true },
    )}
    <div class="wrong-lines">
      ${table({
        caption: t(fileTexts.wrong),
        columns: [
          { name: t(fileTexts.line) },
          { name: t(fileTexts.field) },
          { name: t(fileTexts.todo) },
        ],
        rows,
        empty: '',
      })}
    </div>`;
}

function aboutFiles({ t }: View): Html {
  const [header, optional] = [fileColumns.slice(0, -3), fileColumns.slice(-3)];
  const code = (names: readonly string[]) =>
    names.map((name, index) => html`${index > 0 ? ', ' : ''}<code class="plain">${name}</code>`);
  const example = [
    header.join(','),
    'transfer,in,t-1001,100.00,RUB,2026-01-31T10:00:00Z',
    'fee,out,f-17,3.00,RUB,2026-01-31T11:00:00Z',
  ].join('\n');
  return html`<section class="card stack">
    <h2>${t(fileTexts.aboutTitle)}</h2>
    <p>${t(fileTexts.columns)} ${code(header)}. ${t(fileTexts.optional)} ${code(optional)}.</p>
    <pre tabindex="0" role="group" aria-label="${t(fileTexts.example)}">${example}</pre>
    <p class="muted">${t(fileTexts.bounds)}</p>
  </section>`;
}

export const askForStatement: Action = {
  path: `${list}/ask`,
  route: `${route}/fetch`,
  section: 'statements',
  title: { ru: 'Запросить выписку у провайдера', en: 'Ask the provider for a statement' },
  explain: {
    ru: 'Провайдера спрашивают о выписке дня, до 25 секунд. Если она есть и отличается, она заменяет нынешнюю. Деньги не двигаются, операции не меняются.',
    en: 'The provider is asked for the day’s statement, for 25 seconds at most. If it differs from the current one, it replaces it. No money moves, and no operation changes.',
  },
  button: { ru: 'Запросить сейчас', en: 'Ask now' },
  done: { ru: 'Выписка загружена.', en: 'The statement is imported.' },
  request: (values) => ({ params: chosen(values) }),
  prepare: async (console, { view }) => ({
    about: [],
    fields: await whichDay(console, view),
    back: list,
    trail: trailOf(view),
  }),
  check: async (console, _, params, { values }) => {
    const of = ofParams(params);
    await requireWhich(console, of, values);
    const detail = 'the environment has no account with the provider now: import a file';
    if (of.account === defaultAccount && !(await hasEnvironments(console, of.provider)))
      throw invalidRequest([{ pointer: '/account', code: 'field_invalid', detail }]);
  },
  outcome: async (console, { view, params }) => {
    const { newest, row } = await standing(console, view, ofParams(params));
    if (newest?.source !== 'file') return [row];
    return [row, [view.t(texts.becomes), badge('warning', view.t(texts.replacesFile))]];
  },
  streams,
  shows,
  say: ({ answer }) => {
    const asked = answer as AskedStatement;
    if (asked.outcome === 'imported')
      return {
        ru: `Провайдер прислал выписку, строк: ${asked.lines}.`,
        en: `The provider’s statement is imported; lines: ${asked.lines}.`,
      };
    if (asked.outcome === 'unchanged') return texts.sameAgain;
    const cause = 'cause' in asked && asked.outcome === 'unknown' ? ` (${asked.cause})` : '';
    const said = askedTexts[asked.outcome];
    return { ru: said.ru.replace('{cause}', cause), en: said.en.replace('{cause}', cause) };
  },
  hadNoEffect: ({ answer }) => !('import' in (answer as AskedStatement)),
  next: (done) =>
    'import' in (done.answer as AskedStatement) ? nextPage(done) : askPath(ofParams(done.params)),
};

const askedTexts = {
  not_yet: {
    ru: 'У провайдера ещё нет выписки за весь день. Запросите позже.',
    en: 'The provider does not have a statement for the whole day yet. Ask again later.',
  },
  unknown: {
    ru: 'Есть ли выписка, неизвестно: провайдер не ответил как следует{cause}. Запросите ещё раз через минуту.',
    en: 'It is unknown whether there is a statement: the provider gave no clear answer{cause}. Ask again in a minute.',
  },
  unsupported: {
    ru: 'Этот провайдер не отдаёт выписки по запросу. Загрузите файл.',
    en: 'This provider can’t be asked for statements. Import a file.',
  },
} as const;
