import { z } from 'zod';
import { inOneChunk } from '#shared/application/statements/files/source.ts';
import { readImports, type ImportMade } from '#shared/application/statements/read-imports.ts';
import { newestDay } from '#shared/application/statements/days.ts';
import {
  defaultAccount,
  statementDaySchema,
  statementStream,
  type StatementOf,
} from '#shared/domain/statements/events.ts';
import type { Field } from '../../frame/form-fields.ts';
import { badge, html, type Html } from '#shared/platform/pages/index.ts';
import { invalidRequest, validate } from '#shared/platform/http/validate.ts';
import { hasEnvironments } from '../../api/accounts/check.ts';
import type { StatementRequest } from '../../api/statements/fetch.ts';
import {
  incomingFiles,
  fileType,
  maxFileBytes,
  oneFile,
  parseStatementFile,
  requireAccount,
  requireDay,
  WrongFile,
} from '../../api/statements/import-file.ts';
import { dialectSchema, fileQuery } from '../../api/statements/routes.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { renderActor, at, count, type Pair } from '../../frame/components.ts';
import type { Console, ConsoleView } from '../env.ts';
import { accountChoices, currencyChoices, splitAccount } from '../statements/accounts.ts';
import {
  aboutFiles,
  dialectFields,
  renderPreview,
  wrongLines,
} from '../statements/file-preview.ts';
import { dayFields, statementPath } from '../statements/paths.ts';
import { fileTexts, sourceNames, providerStatementTexts } from '../statements/texts.ts';
import { common } from '#shared/application/pages/translations.ts';
import { buildPath, type Action, type ActionContent, type Done, type Params } from './action.ts';
import { givenAmount } from './shop.ts';
import type { Values } from '#shared/platform/sessions/form.ts';

const route = 'POST /admin/v1/statements/:provider/:account/:currency/:day';
const list = '/statements';

const ofParams = (params: Params): StatementOf => {
  const { provider = '', account = '', currency = '', day = '' } = params;
  return { provider, account, currency, day };
};
const streams = ({ params }: Done) => [statementStream(ofParams(params))];
/** Only the last event is shown: a large statement is written as hundreds of events. */
const shows = { types: ['StatementImported'], among: 4 };

/** The fields that choose a statement: an account that exists or existed, and a finished day. */
async function statementFields(console: Console, view: ConsoleView): Promise<Field[]> {
  return [
    {
      name: 'account',
      label: providerStatementTexts.account,
      kind: 'choice',
      choices: await accountChoices(console, view),
    },
    { name: 'currency', label: common.currency, kind: 'choice', choices: currencyChoices(console) },
    {
      name: 'day',
      label: providerStatementTexts.day,
      hint: providerStatementTexts.dayHint,
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
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value = '']) =>
      value.trim() === '' ? [] : [[name, value]],
    ),
  );

const chosen = (values: Values): StatementOf => ({
  ...splitAccount(values['account']),
  currency: values['currency'] ?? '',
  day: values['day'] ?? '',
});

const readBalanceFields = (values: Values): Record<string, string> =>
  withoutEmpty({
    opening_balance: givenAmount(values, 'opening_balance'),
    closing_balance: givenAmount(values, 'closing_balance'),
  });

const readDialect = (values: Values): Record<string, string> =>
  withoutEmpty(
    Object.fromEntries(dialectSchema.keyof().options.map((name) => [name, values[name]])),
  );

/** The day's current statement, and the row that shows it. */
async function currentStatement(
  console: Console,
  view: ConsoleView,
  of: StatementOf,
): Promise<{ newest: ImportMade | undefined; row: Pair }> {
  const { imports } = await fromStore(readImports(console.store, of));
  const [newest] = imports;
  const { t } = view;
  const row = [
    t(providerStatementTexts.current),
    newest ? importedAs(view, newest) : t(providerStatementTexts.nothingStands),
  ] as const;
  return { newest, row };
}

/** A short description of an import: its source, who imported it and when. */
function importedAs(view: ConsoleView, made: ImportMade): Html {
  return html`${view.t(sourceNames[made.source])}, ${renderActor(made.imported_by)},
  ${at(view, made.imported_at)}; ${view.t(providerStatementTexts.lines).toLowerCase()}:
  ${count(view, made.lines)}`;
}

export const importStatementFile: Action = {
  path: `${list}/import`,
  route: `${route}/import`,
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
    fields: [
      'account',
      'currency',
      'day',
      'opening_balance',
      'closing_balance',
      ...dialectSchema.keyof().options,
    ],
  },
  request: (values) => ({
    params: chosen(values),
    query: { ...readBalanceFields(values), ...readDialect(values) },
  }),
  prepare: async (console, { view }): Promise<ActionContent> => {
    const balance = { kind: 'number', optional: true, hint: fileTexts.balanceHint } as const;
    return {
      about: [],
      fields: [
        ...(await statementFields(console, view)),
        { name: 'opening_balance', label: providerStatementTexts.opening, ...balance },
        { name: 'closing_balance', label: providerStatementTexts.closing, ...balance },
        {
          name: 'file',
          label: common.file,
          hint: fileTexts.fileHint,
          kind: 'file',
          accept: '.csv,.txt,.xml,.sta,.940,text/csv,text/plain,application/xml',
        },
        ...dialectFields(view),
      ],
      aside: aboutFiles(view),
    };
  },
  check: async (console, _, params, { values, file }) => {
    const of = ofParams(params);
    await requireWhich(console, of, values);
    validate(fileQuery, { ...readBalanceFields(values), ...readDialect(values) });
    const detail = 'choose the file';
    if (!file) throw invalidRequest([{ pointer: '/file', code: 'field_required', detail }]);
  },
  outcome: async (console, { view, params, values, file }) => {
    const of = ofParams(params);
    const { opening_balance: openingBalance, closing_balance: closingBalance } =
      readBalanceFields(values);
    const source = inOneChunk(file?.bytes ?? new Uint8Array());
    const { account_number: accountNumber, ...dialect } = validate(
      dialectSchema,
      readDialect(values),
    );
    const known = { ...dialect, openingBalance, closingBalance, accountNumber };
    const read = await oneFile(() => parseStatementFile(of, { source, known }));
    return renderPreview(view, { of, read, ...(await currentStatement(console, view, of)) });
  },
  explainFault: (view, problem) =>
    problem instanceof WrongFile ? wrongLines(view, problem) : undefined,
  streams,
  shows,
  describeDone: ({ answer }) => {
    const { outcome, lines } = answer as { outcome: string; lines: number };
    if (outcome === 'unchanged') return providerStatementTexts.sameAgain;
    return {
      ru: `Выписка загружена, строк: ${lines}.`,
      en: `The statement is imported; lines: ${lines}.`,
    };
  },
  next: nextPage,
};

/** The page of the statement, which waits until the tables have this import. */
function nextPage({ params, answer }: Done): string {
  const { import: number } = answer as { import: number };
  return `${statementPath(ofParams(params))}?import=${number}`;
}

export const fetchStatementAction: Action = {
  path: `${list}/ask`,
  route: `${route}/fetch`,
  title: { ru: 'Запросить выписку у провайдера', en: 'Request a statement from the provider' },
  explain: {
    ru: 'Провайдера спрашивают о выписке дня, до 25 секунд. Если она есть и отличается, она заменяет нынешнюю. Деньги не двигаются, операции не меняются.',
    en: 'The day’s statement is requested from the provider, for 25 seconds at most. If it differs from the current one, it replaces it. No money moves, and no operation changes.',
  },
  button: { ru: 'Запросить сейчас', en: 'Request now' },
  done: { ru: 'Выписка загружена.', en: 'The statement is imported.' },
  request: (values) => ({ params: chosen(values) }),
  prepare: async (console, { view }) => ({
    about: [],
    fields: await statementFields(console, view),
  }),
  check: async (console, _, params, { values }) => {
    const of = ofParams(params);
    await requireWhich(console, of, values);
    const detail = 'the environment has no account with the provider now: import a file';
    if (of.account === defaultAccount && !(await hasEnvironments(console, of.provider)))
      throw invalidRequest([{ pointer: '/account', code: 'field_invalid', detail }]);
  },
  outcome: async (console, { view, params }) => {
    const { newest, row } = await currentStatement(console, view, ofParams(params));
    if (newest?.source !== 'file') return [row];
    return [
      row,
      [
        view.t(providerStatementTexts.becomes),
        badge('warning', view.t(providerStatementTexts.replacesFile)),
      ],
    ];
  },
  streams,
  shows,
  describeDone: ({ answer }) => {
    const response = answer as StatementRequest;
    if (response.outcome === 'imported')
      return {
        ru: `Провайдер прислал выписку, строк: ${response.lines}.`,
        en: `The provider’s statement is imported; lines: ${response.lines}.`,
      };
    if (response.outcome === 'unchanged') return providerStatementTexts.sameAgain;
    const cause =
      'cause' in response && response.outcome === 'unknown' ? ` (${response.cause})` : '';
    const outcomeText = outcomeTexts[response.outcome];
    return {
      ru: outcomeText.ru.replace('{cause}', cause),
      en: outcomeText.en.replace('{cause}', cause),
    };
  },
  hadNoEffect: ({ answer }) => !('import' in (answer as StatementRequest)),
  next: (done) =>
    'import' in (done.answer as StatementRequest)
      ? nextPage(done)
      : buildPath(fetchStatementAction.path, {}, dayFields(ofParams(done.params))),
};

const outcomeTexts = {
  not_yet: {
    ru: 'У провайдера ещё нет выписки за весь день. Запросите позже.',
    en: 'The provider does not have a statement for the whole day yet. Request it again later.',
  },
  unknown: {
    ru: 'Есть ли выписка, неизвестно: провайдер не ответил как следует{cause}. Запросите ещё раз через минуту.',
    en: 'It is unknown whether there is a statement: the provider gave no clear answer{cause}. Request it again in a minute.',
  },
  unsupported: {
    ru: 'Этот провайдер не отдаёт выписки по запросу. Загрузите файл.',
    en: 'This provider has no statements to request. Import a file.',
  },
} as const;
