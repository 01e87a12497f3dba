import { copyButton, html, notice, type Html } from '#shared/platform/pages/index.ts';
import type { View } from './env.ts';
import type { Notice } from './notice.ts';
import type { Words } from './words.ts';

const texts = {
  nothing: {
    ru: 'Всё уже было так: новых событий нет.',
    en: 'It was so already: no event had to be written.',
  },
  unread: {
    ru: 'Журнал сейчас не читается: события видны на странице, когда он ответит.',
    en: 'The log can’t be read right now: the events show on the page once it answers.',
  },
  wrote: { ru: 'В журнал записано:', en: 'Written to the log:' },
  revision: { ru: 'ревизия', en: 'revision' },
  event: { ru: 'событие', en: 'event' },
  once: {
    ru: 'Показывается один раз. Сохраните сейчас: позже его нельзя увидеть нигде.',
    en: 'Shown this once. Keep it now: it can be seen nowhere later.',
  },
} as const satisfies Record<string, Words>;

/** Which events an action wrote: type, stream, revision and id. */
export function writtenEvents({ t }: View, events: Notice['events']): Html {
  if (events === 'unread') return html`<p>${t(texts.unread)}</p>`;
  if (events.length === 0) return html`<p>${t(texts.nothing)}</p>`;
  return html`<p>${t(texts.wrote)}</p>
    <ul class="written">
      ${events.map(
        ({ type, stream, revision, id }) =>
          html`<li>
            <strong>${type}</strong> <code>${stream}</code> ${t(texts.revision)} ${revision}
            <span class="event-id">${t(texts.event)} <code>${id}</code></span>
          </li>`,
      )}
    </ul>`;
}

export function secretOnce({ t, language }: View, { label, value }: NonNullable<Notice['secret']>): Html {
  return notice(
    'warning',
    html`<p><strong>${label}</strong></p>
      <p class="secret"><code>${value}</code>${copyButton(language, { text: value, what: label })}</p>
      <p>${t(texts.once)}</p>`,
  );
}
