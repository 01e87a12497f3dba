import { foldStored, type StoredEvent } from '#shared/platform/event-store/index.ts';
import { operations } from '#shared/application/operations/streams.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import { showOperation } from '../../api/operations/read.ts';
import { json } from '../../frame/components.ts';
import type { ConsoleView } from '../env.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { flatten } from './flatten.ts';

const texts = {
  now: { ru: 'Состояние сейчас', en: 'State now' },
  past: { ru: 'Состояние на ревизии', en: 'State at revision' },
  first: { ru: 'Начало', en: 'First' },
  previous: { ru: 'Раньше', en: 'Previous' },
  next: { ru: 'Позже', en: 'Next' },
  last: { ru: 'Сейчас', en: 'Now' },
  travel: { ru: 'Ревизии', en: 'Revisions' },
  changed: { ru: 'изменено этим событием', en: 'changed by this event' },
  json: { ru: 'Состояние целиком, JSON', en: 'Full state, as JSON' },
  cancelledFirst: {
    ru: 'Отмена пришла раньше создания: операции ещё нет, но её номер уже занят.',
    en: 'The cancel request came before the create request: there is no operation yet, but its ID is reserved.',
  },
  go: { ru: 'Показать', en: 'Go' },
  revision: { ru: 'Ревизия', en: 'Revision' },
} as const satisfies Record<string, Words>;

/** Shown at the top of the page, or not useful. */
const unsaid = new Set([
  'operation_id',
  'shop_id',
  'merchant_id',
  'merchant_operation_id',
  'type',
  'method',
  'revision',
  'updated_at',
]);

/**
 * The state at a revision, as the API shows an operation, with numbers masked. Undefined before the
 * operation exists.
 */
function stateAt(events: readonly StoredEvent[], revision: number): unknown {
  const until = events.slice(0, revision + 1);
  const state = foldStored(operations, until);
  return state.phase === 'admitted' ? showOperation(until) : undefined;
}

type StatePanelInput = { operationId: string; events: readonly StoredEvent[]; shown: number };

/**
 * The state at a revision next to the changes of the last event, and links to the other revisions.
 */
export function statePanel(
  view: ConsoleView,
  { operationId, events, shown }: StatePanelInput,
): Html {
  const { t } = view;
  const last = events.length - 1;
  const state = stateAt(events, shown);
  const before = new Map(
    flatten(stateAt(events, shown - 1)).map(({ name, value }) => [name, value]),
  );
  const title =
    shown === last
      ? html`${t(texts.now)}`
      : html`${t(texts.past)} ${shown} ${t(common.of)} ${last}`;
  const rows = flatten(state, unsaid).map(({ name, value }) => {
    const changed = before.get(name) !== value;
    return html`<div${changed && html` class="changed"`}><dt>${name}</dt><dd>${value}${changed && html`<span class="visually-hidden"> (${t(texts.changed)})</span>`}</dd></div>`;
  });
  return html`<section class="state card" id="state" aria-label="${t(texts.travel)}">
    <h2>${title}</h2>
    ${travel(view, { operationId, shown, last })}
    ${
      state === undefined
        ? html`<p>${t(texts.cancelledFirst)}</p>`
        : html`<p class="small muted">
              <span class="changed-mark" aria-hidden="true"></span> ${t(texts.changed)}:
              <code>${events[shown]?.type ?? ''}</code>
            </p>
            <dl class="state-facts">${rows}</dl>
            <details>
              <summary>${t(texts.json)}</summary>
              ${json(state, t(texts.json))}
            </details>`
    }
  </section>`;
}

function travel(
  { t }: ConsoleView,
  { operationId, shown, last }: { operationId: string; shown: number; last: number },
): Html {
  const link = (text: Words, revision: number, off: boolean, rel = '') =>
    off
      ? html`<span class="button small" aria-disabled="true">${t(text)}</span>`
      : html`<a
          class="button small"
          href="/operations/${operationId}${revision !== last && `?revision=${revision}`}#state"
          ${rel !== '' && html` rel="${rel}"`}
          >${t(text)}</a
        >`;
  return html`<nav class="travel" aria-label="${t(texts.travel)}">
    ${link(texts.first, 0, shown === 0)}${link(texts.previous, shown - 1, shown === 0, 'prev')}${link(texts.next, shown + 1, shown === last, 'next')}${link(texts.last, last, shown === last)}
    <form method="get" action="/operations/${operationId}#state">
      <label class="visually-hidden" for="revision">${t(texts.revision)}</label
      ><input
        id="revision"
        name="revision"
        type="number"
        min="0"
        max="${last}"
        value="${shown}"
      /><button class="button small" type="submit">${t(texts.go)}</button>
    </form>
  </nav>`;
}
