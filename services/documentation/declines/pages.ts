import {
  declineReasons,
  declineReasonTable,
  type DeclineReason,
} from '#shared/domain/operation/ends/decline-reason.ts';
import type { Language, Translations } from '#shared/platform/pages/language.ts';
import { tableHtml } from '../markdown/blocks.ts';
import { codeBlock } from '../markdown/code.ts';
import { inline } from '../markdown/inline.ts';
import type { PageBody } from '../page-body.ts';

const texts = {
  ru: {
    kicker: 'Причины отказа',
    reason: 'decline_reason',
    means: 'Значит',
    cause: 'Причина',
    action: 'Что делать',
    example: 'Как это выглядит',
  },
  en: {
    kicker: 'Decline reasons',
    reason: 'decline_reason',
    means: 'Meaning',
    cause: 'Cause',
    action: 'What to do',
    example: 'What it looks like',
  },
} satisfies Translations<object>;

export const pathOfReason = (reason: DeclineReason): string =>
  `/docs/decline-reasons/${reason.replaceAll('_', '-')}`;

/** The reason in an address. */
export const reasonOfPath = (hyphenated: string): DeclineReason | undefined =>
  declineReasons.find((reason) => reason.replaceAll('_', '-') === hyphenated);

export function declineTable(language: Language): string {
  const { reason: name, means } = texts[language];
  const rows = declineReasons.map((reason) => [
    `<a href="${pathOfReason(reason)}"><code>${reason}</code></a>`,
    inline(declineReasonTable[reason].title[language]),
  ]);
  return tableHtml([name, means], rows);
}

export function declinePage(reason: DeclineReason, language: Language): PageBody {
  const words = texts[language];
  const { title, meaning, action } = declineReasonTable[reason];
  const example = `{ "status": "declined", "decline_reason": "${reason}" }`;
  return {
    title: reason,
    kicker: words.kicker,
    headings: [],
    html: `<p class="lead">${inline(title[language])}</p>
<h2>${words.cause}</h2><p>${inline(meaning[language])}</p>
<h2>${words.action}</h2><p>${inline(action[language])}</p>
<h2>${words.example}</h2>${codeBlock({ language: 'json', label: 'decline_reason', code: example }, language)}`,
  };
}
