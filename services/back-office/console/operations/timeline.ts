import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import { maskNumbers } from '../../api/operations/mask.ts';
import { shownMetadata } from '../../api/operations/read.ts';
import { renderActor, at, duration, json } from '../../frame/components.ts';
import type { ConsoleView } from '../env.ts';
import type { Words } from '#shared/application/pages/translations.ts';
import { eventName } from '../event-names.ts';
import { flatten } from './flatten.ts';

const texts = {
  raw: { ru: 'Событие целиком', en: 'Full event' },
  late: { ru: 'после завершения', en: 'after the end' },
  stateThen: { ru: 'состояние здесь', en: 'state here' },
  revision: { ru: 'ревизия', en: 'revision' },
  timeline: { ru: 'События', en: 'Events' },
} as const satisfies Record<string, Words>;

/** Shown elsewhere on the page, or not useful. */
const unsaid = new Set(['operation_id', 'shop_id', 'merchant_id', 'body_hash', 'type']);

type TimelineInput = {
  operationId: string;
  /** The operation's, where there is one. */
  method: string | undefined;
  /** The events of the operation and of its late facts, in the order of the log. */
  events: readonly StoredEvent[];
  /** The revision that the page shows. */
  shown: number;
  /** The page shows an earlier revision than the last. */
  past: boolean;
};

/** Every event as the log has it, numbers masked; later ones than the revision shown are dimmed. */
export function timeline(
  view: ConsoleView,
  { operationId, method, events, shown, past }: TimelineInput,
): Html {
  const { t } = view;
  return html`<ol class="timeline events" aria-label="${t(texts.timeline)}">
    ${events.map((event, index) => {
      const isLate = event.stream !== `operation-${operationId}`;
      const named = eventName(event.type);
      const isShown = !isLate && event.revision === shown;
      const before = events[index - 1];
      const classes = [
        named?.tone ?? 'neutral',
        past && !isLate && event.revision > shown ? 'later' : '',
      ]
        .join(' ')
        .trim();
      return html`<li
        class="${classes}"
        id="r${isLate && 'late-'}${event.revision}"
        ${isShown && past && html` aria-current="step"`}
      >
        <div class="event-head">
          <h3>${named ? t(named) : event.type}</h3>
          <code class="plain">${event.type}</code>
          <span class="event-place"
            >${isLate ? t(texts.late) : html`<a href="/operations/${operationId}?revision=${event.revision}#state" title="${t(texts.stateThen)}">${t(texts.revision)} ${event.revision}</a>`}</span
          >
        </div>
        <p class="event-meta">
          ${at(view, event.created)}${before && html` <span class="muted">+${duration(view, Math.max(0, event.created.getTime() - before.created.getTime()) / 1_000)}</span>`}
          · ${renderActor(event.metadata.actor)}
        </p>
        ${facts(event, method)}
        <details>
          <summary>${t(texts.raw)}</summary>
          ${json(rawEvent(event, method), `${t(texts.raw)}: ${event.type} ${event.revision}`)}
        </details>
      </li>`;
    })}
  </ol>`;
}

function facts({ data }: StoredEvent, method: string | undefined): Html | string {
  const factPairs = flatten(maskNumbers(data, method), unsaid);
  if (factPairs.length === 0) return '';
  return html`<dl class="event-facts">
    ${factPairs.map(
      ({ name, value }) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** The event as `GET /admin/v1/operations/{operation_id}/events` shows it. */
function rawEvent(
  { id, type, stream, revision, position, created, data, metadata }: StoredEvent,
  method: string | undefined,
) {
  const about = { event_id: id, type, stream, revision, position: String(position) };
  return {
    ...about,
    timestamp: created.toISOString(),
    data: maskNumbers(data, method),
    metadata: shownMetadata(metadata),
  };
}
