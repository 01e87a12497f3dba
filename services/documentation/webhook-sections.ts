import type { Status } from '#shared/domain/operation/state.ts';
import { variables } from '#shared/platform/config/variables.ts';
import type { Language, Translated } from '#shared/platform/pages/language.ts';
import { createDocument } from '#shared/api/openapi/document.ts';
import { webhookSchema } from '#shared/api/openapi/webhooks.ts';
import { tableHtml } from './markdown/blocks.ts';
import { codeBlock } from './markdown/code.ts';
import { inline } from './markdown/inline.ts';
import { meanings } from './statuses/texts.ts';

const texts = {
  ru: {
    type: 'Тип',
    when: 'Что случилось',
    disabled:
      'Другой адрес магазина отключён, или все попытки к нему час подряд неудачны; операции в этом вебхуке нет.',
    ping: 'Оператор или вы проверяете адрес; операции в этом вебхуке нет.',
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
    disabled:
      'Another endpoint of the shop is disabled, or every attempt to it has failed for an hour; this webhook has no operation.',
    ping: 'An operator or you test the endpoint; this webhook has no operation.',
    attempt: 'Attempt',
    pause: 'After the previous one',
    atOnce: 'at once',
    units: { s: 's', m: 'min', h: 'h' },
    headers: 'Headers',
    body: 'Body',
  },
} satisfies Translated<object>;

/** Every type of message. */
/** The types for money returned after the end, which is no status. */
const returned = {
  charged_back: {
    ru: 'После завершения деньги платежа вернулись плательщику (чарджбэк). Статус и суммы операции не меняются; `data.returned` говорит, сколько вернулось сейчас и всего. Приходит на каждый возврат.',
    en: 'After the terminal status, money of the payment went back to the payer (a chargeback). Status and figures of the operation stay; `data.returned` has this amount and the total so far. Sent for each return.',
  },
  returned: {
    ru: 'После завершения деньги выплаты вернулись от получателя. Статус и суммы операции не меняются; `data.returned` говорит, сколько вернулось сейчас и всего. Приходит на каждый возврат.',
    en: 'After the terminal status, money of the payout came back from the payee. Status and figures of the operation stay; `data.returned` has this amount and the total so far. Sent for each return.',
  },
};

export function typesTable(language: Language): string {
  const { type, when, disabled, ping } = texts[language];
  const rows = webhookSchema.shape.type.options.map((each) => {
    const name = each.slice(each.indexOf('.') + 1);
    const meaning = name in returned ? returned[name as keyof typeof returned] : undefined;
    return [`<code>${each}</code>`, inline((meaning ?? meanings[name as Status])[language])];
  });
  return tableHtml(
    [type, when],
    [...rows, ['<code>endpoint.disabled</code>', disabled], ['<code>ping</code>', ping]],
  );
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
