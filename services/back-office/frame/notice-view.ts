import { badge, html, notice, type Html } from '#shared/platform/pages/index.ts';
import type { Words } from '#shared/application/pages/translations.ts';
import { shortId, type View } from './components.ts';
import type { Notice, CommandOutcome } from './notice.ts';
import { secretOnce } from './secret-once.ts';

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
function writtenEvents({ t }: View, events: NonNullable<Notice['events']>): Html {
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

/** The outcomes of several commands, including refused ones. */
function renderOutcomes({ t }: View, outcomes: readonly CommandOutcome[]): Html {
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

/** The completed action, and secrets that are shown only now. */
export function noticeView(view: View, notified: Notice): Html {
  const { done, events, secret, outcomes, hadNoEffect } = notified;
  const content = html`<p><strong>${done}</strong></p>
    ${outcomes && renderOutcomes(view, outcomes)}${events && writtenEvents(view, events)}`;
  const isWarning = hadNoEffect || outcomes?.some((each) => !each.done);
  return html`<div class="done">
    ${notice(isWarning ? 'warning' : 'success', content, { urgent: true })}${secret && secretOnce(view, secret)}
  </div>`;
}
