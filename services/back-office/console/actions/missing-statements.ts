import { statementStream } from '#shared/domain/statements/events.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { StatementRequests } from '../../api/statements/fetch.ts';
import { listMissing } from '../../api/statements/missing.ts';
import { parseAccountPath } from '../../api/statements/parameters.ts';
import { count } from '../../frame/components.ts';
import { providerStatementTexts } from '../statements/texts.ts';
import { common } from '#shared/application/pages/translations.ts';
import type { Action } from './action.ts';

/** Events of at most this many days are shown. */
const streamsShown = 5;
const imported = ({ days }: StatementRequests) => days.filter((each) => 'import' in each);

export const fetchMissingStatementsAction: Action = {
  path: '/statements/missing/:provider/:account/:currency/ask',
  route: 'POST /admin/v1/missing-statements/:provider/:account/:currency/fetch',
  title: { ru: 'Запросить все недостающие выписки', en: 'Request all missing statements' },
  explain: {
    ru: 'Провайдера спрашивают о каждом дне без выписки, начиная с последнего, до 25 секунд. Деньги не двигаются, операции не меняются.',
    en: 'Each day without a statement is requested from the provider, newest first, for 25 seconds at most. No money moves, and no operation changes.',
  },
  button: { ru: 'Запросить сейчас', en: 'Request now' },
  done: { ru: 'Выписки запрошены.', en: 'The statements were requested.' },
  prepare: async (console, { params, view }) => {
    const of = parseAccountPath(params);
    const { t } = view;
    const { missing } = await listMissing(console, console.now());
    const period = missing.find((each) =>
      (['provider', 'account', 'currency'] as const).every((name) => each[name] === of[name]),
    );
    if (!period) throw new Problem('not_found');
    const first = period.days.at(-1) ?? '';
    return {
      about: [
        [t(providerStatementTexts.account), `${of.provider} / ${of.account}`],
        [t(common.currency), of.currency],
        [
          t(providerStatementTexts.missing),
          `${first} – ${period.days[0] ?? ''}: ${count(view, period.days.length)}`,
        ],
      ],
    };
  },
  streams: ({ params, answer }) =>
    imported(answer as StatementRequests)
      .slice(0, streamsShown)
      .map(({ day }) => statementStream({ ...parseAccountPath(params), day })),
  shows: { types: ['StatementImported'], among: 4 },
  describeDone: ({ answer }) => {
    const { days, left } = answer as StatementRequests;
    const done = imported(answer as StatementRequests).length;
    const [cause] = days.flatMap((each) => (each.outcome === 'unknown' && each.cause) || []);
    const why = cause === undefined ? '' : ` (${cause})`;
    if (left === 0)
      return {
        ru: `Выписки загружены, дней: ${done}.`,
        en: `The statements are imported; days: ${done}.`,
      };
    return {
      ru: `Выписки загружены, дней: ${done}. Без выписки осталось дней: ${left}${why}. Запросите ещё раз позже.`,
      en: `The statements are imported; days: ${done}. Days still without one: ${left}${why}. Request them again later.`,
    };
  },
  hadNoEffect: ({ answer }) => imported(answer as StatementRequests).length === 0,
};
