import { badge, html, type Html } from '#shared/platform/pages/index.ts';
import type { View } from './env.ts';
import { shortId } from './components.ts';
import type { Notice, Outcome } from './notice.ts';
import type { Words } from './words.ts';

const texts = {
  nothing: {
    ru: 'Ничего не изменилось: новых событий нет.',
    en: 'Nothing changed: no new events were written.',
  },
  unread: {
    ru: 'Журнал событий сейчас недоступен: события появятся на странице, когда он ответит.',
    en: 'The event log can’t be read right now: the events will appear on the page once it can.',
  },
  wrote: { ru: 'Записано в журнал событий:', en: 'Written to the event log:' },
  revision: { ru: 'ревизия', en: 'revision' },
  event: { ru: 'событие', en: 'event' },
  done: { ru: 'записано', en: 'recorded' },
  notDone: { ru: 'не записано', en: 'not recorded' },
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

/** What became of each of several commands, those that were refused among them. */
export function outcomesOf({ t }: View, outcomes: readonly Outcome[]): Html {
  return html`<ul class="written">
    ${outcomes.map(
      ({ id, href, text, done }) =>
        html`<li>
          ${badge(done ? 'success' : 'danger', t(done ? texts.done : texts.notDone))}
          ${shortId(id, href)} ${text}
        </li>`,
    )}
  </ul>`;
}
