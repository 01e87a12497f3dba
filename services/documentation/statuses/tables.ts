import type { OperationType } from '#shared/domain/operation-type.ts';
import { webhookStatuses } from '#shared/domain/operation/due-steps/webhooks.ts';
import { isTerminal, type OperationStatus } from '#shared/domain/operation/state.ts';
import { badge } from '#shared/platform/pages/components.ts';
import type { Language, Translations } from '#shared/platform/pages/language.ts';
import { tableHtml } from '../markdown/blocks.ts';
import { inline } from '../markdown/inline.ts';
import { renderToText } from '#shared/platform/pages/html.ts';
import { transitions, type Transition } from '#shared/domain/operation/transitions.ts';
import { causes, createdText, meanings, tones } from './texts.ts';

const texts = {
  ru: {
    change: 'Переход',
    into: 'в',
    because: 'Причина',
    status: 'Статус',
    means: 'Значит',
    webhook: 'Вебхук',
    yes: 'да',
    no: 'нет',
    end: 'конечный',
    of: { payment: 'только платёж', payout: 'только выплата' },
  },
  en: {
    change: 'Change',
    into: 'to',
    because: 'Reason',
    status: 'Status',
    means: 'Meaning',
    webhook: 'Webhook',
    yes: 'yes',
    no: 'no',
    end: 'terminal',
    of: { payment: 'payments only', payout: 'payouts only' },
  },
} satisfies Translations<object>;

export const renderStatusBadge = (status: Transition['from'], language: Language): string =>
  renderToText(
    badge(
      tones[status],
      status === 'created' ? createdText[language] : status,
      ...(status === 'pending' || status === 'awaiting_confirmation'
        ? (['clock'] as const)
        : status === 'created'
          ? (['check'] as const)
          : []),
    ),
  );

/** Every change of status in words: what the diagram shows. */
export function transitionTable(type: OperationType, language: Language): string {
  const { change, into, because } = texts[language];
  const rows = transitions[type].map((each) => [
    `<span class="change">${renderStatusBadge(each.from, language)} <span aria-hidden="true">→</span><span class="visually-hidden">${into}</span> ${renderStatusBadge(each.to, language)}</span>`,
    each.causes.map((cause) => causes[cause][language]).join('; '),
  ]);
  return tableHtml([change, because], rows);
}

export function meaningTable(language: Language): string {
  const { status, means, webhook, yes, no, end, of } = texts[language];
  const has = (type: OperationType, each: OperationStatus) =>
    transitions[type].some(({ to }) => to === each);
  const rows = (Object.keys(meanings) as OperationStatus[]).map((each) => {
    const notes = [
      ...(isTerminal(each) ? [end] : []),
      ...(has('payout', each) ? [] : [of.payment]),
      ...(has('payment', each) ? [] : [of.payout]),
    ];
    const note = notes.length === 0 ? '' : `<br><small class="muted">${notes.join(', ')}</small>`;
    return [
      `${renderStatusBadge(each, language)}${note}`,
      inline(meanings[each][language]),
      each in webhookStatuses ? yes : no,
    ];
  });
  return tableHtml([status, means, webhook], rows);
}
