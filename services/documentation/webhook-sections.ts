import type { OperationStatus } from '#shared/domain/operation/state.ts';
import { variables } from '#shared/platform/config/variables.ts';
import type { Language, Translations } from '#shared/platform/pages/language.ts';
import { createDocument } from '#shared/api/openapi/document.ts';
import { webhookTable, webhookTypes } from '#shared/domain/webhook/types.ts';
import { tableHtml } from './markdown/blocks.ts';
import { codeBlock } from './markdown/code.ts';
import { inline } from './markdown/inline.ts';
import { meanings } from './statuses/texts.ts';

const texts = {
  ru: {
    type: 'Тип',
    when: 'Что случилось',
    attempt: 'Попытка',
    pause: 'После предыдущей',
    atOnce: 'сразу',
    units: { s: 'с', m: 'мин', h: 'ч' },
    headers: 'Заголовки',
    body: 'Тело',
  },
  en: {
    type: 'Type',
    when: 'What happened',
    attempt: 'Attempt',
    pause: 'After the previous one',
    atOnce: 'at once',
    units: { s: 's', m: 'min', h: 'h' },
    headers: 'Headers',
    body: 'Body',
  },
} satisfies Translations<object>;

/** Every type of webhook, with what happened. */
export function typesTable(language: Language): string {
  const { type: heading, when } = texts[language];
  const rows = webhookTypes.map((type) => {
    const status = type.slice(type.indexOf('.') + 1) as OperationStatus;
    const meaning = webhookTable[type].meaning ?? meanings[status];
    return [`<code>${type}</code>`, inline(meaning[language])];
  });
  return tableHtml([heading, when], rows);
}

/** The pauses between attempts, with the default schedule. */
export function retriesTable(language: Language): string {
  const { attempt, pause, atOnce, units } = texts[language];
  const rows = variables.WEBHOOK_RETRY_SCHEDULE.parse(undefined).map((delayMs, index) => [
    String(index + 1),
    delayMs === 0 ? atOnce : duration(delayMs, units),
  ]);
  return tableHtml([attempt, pause], rows);
}

function duration(ms: number, units: Readonly<Record<'s' | 'm' | 'h', string>>): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds} ${units.s}`;
  return seconds < 3600 ? `${seconds / 60} ${units.m}` : `${seconds / 3600} ${units.h}`;
}

const headers = `POST /your/path HTTP/1.1
content-type: application/json
webhook-id: 8d1c2f5e-7c1b-4a55-9b0e-4a1f3c5d7e90
webhook-timestamp: 1769860980
webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
webhook-secret-hint: 3f9a02c1`;

/** An example of a message: its `headers` or its `body`. */
export function webhookExample(part: string, language: Language): string {
  const words = texts[language];
  if (part === 'headers') {
    return codeBlock({ language: 'http', label: words.headers, code: headers }, language);
  }
  const { value } =
    createDocument().webhooks.operation.post.requestBody.content['application/json'].examples
      .completed;
  const code = JSON.stringify(value, null, 2);
  return codeBlock({ language: 'json', label: words.body, code }, language);
}
