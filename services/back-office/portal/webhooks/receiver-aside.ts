import { gatewayUrl } from '#shared/platform/config/gateway-url.ts';
import type { Words } from '#shared/application/pages/translations.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import type { PortalView } from '../env.ts';

const texts = {
  title: { ru: 'Что должен делать ваш сервер', en: 'What your server has to do' },
  verify: {
    ru: 'Проверить подпись секретом, который появится на следующей странице.',
    en: 'Verify the signature, with the secret that the next page shows.',
  },
  answer: {
    ru: 'Сохранить сообщение и за 15 секунд ответить 2xx. Всё остальное — неудача, и шлюз повторит.',
    en: 'Store the message and respond with 2xx within 15 seconds. Anything else is a failure, and is retried.',
  },
  once: {
    ru: 'Не обрабатывать дважды: один webhook-id может прийти снова.',
    en: 'Process it once: the same webhook-id may arrive again.',
  },
  docs: { ru: 'Примеры кода и все правила', en: 'Code examples and all rules' },
} as const satisfies Record<string, Words>;

/** What is required of the server behind a new endpoint. */
export const receiverAside = ({ t }: PortalView): Html =>
  html`<div class="card stack">
    <h2>${t(texts.title)}</h2>
    <ol class="steps">
      ${[texts.verify, texts.answer, texts.once].map((step) => html`<li>${t(step)}</li>`)}
    </ol>
    <p><a href="${gatewayUrl()}/docs/webhooks">${t(texts.docs)}</a></p>
  </div>`;
