import { listProjections, type ProjectionStatus } from '#projections/status.ts';
import { badge, html, notice, type Html } from '#shared/platform/pages/index.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { count, duration, heading, renderTable } from '../../frame/components.ts';
import type { TonedWords } from '../../frame/names.ts';
import { consoleView, type Console, type ConsoleView, type ConsoleContext } from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';

const texts = {
  about: {
    ru: 'Таблицы, которые строятся из журнала событий. Их читают списки и графики консоли; страница операции читает сам журнал.',
    en: 'Tables built from the event log. The console’s lists and charts read them; the page of an operation reads the log itself.',
  },
  name: { ru: 'Модель', en: 'Read model' },
  position: { ru: 'Позиция', en: 'Position' },
  events: { ru: 'Отставание, событий', en: 'Lag, events' },
  wait: { ru: 'Отставание, время', en: 'Lag, time' },
  stopped: { ru: 'остановилась на событии', en: 'stopped at an event' },
  help: {
    ru: 'Попытка повторяется каждые 30 с. Причина указана ниже; остальные модели работают.',
    en: 'It retries every 30 s. The reason is below; the other read models keep running.',
  },
} as const satisfies Record<string, Words>;

const stateNames: Readonly<Record<ProjectionStatus['status'], TonedWords>> = {
  live: { tone: 'success', ru: 'актуальна', en: 'live' },
  catching_up: { tone: 'info', ru: 'догоняет', en: 'catching up' },
  rebuilding: { tone: 'info', ru: 'перестраивается', en: 'rebuilding' },
  stopped: { tone: 'danger', ru: 'остановилась', en: 'stopped' },
  not_running: { tone: 'warning', ru: 'не запущена', en: 'not running' },
};

export function projectionBadge({ t }: ConsoleView, status: ProjectionStatus['status']): Html {
  const name = stateNames[status];
  return badge(name.tone, t(name), name.tone === 'info' ? 'clock' : undefined);
}

export async function projectionsPage(c: ConsoleContext, console: Console): Promise<PageContent> {
  const view = consoleView(c);
  const { t } = view;
  const projections = await fromDatabase(listProjections(console.db, console.store));
  const rows = projections.map((each) => [
    html`<code>${each.name}</code>`,
    projectionBadge(view, each.status),
    each.position ?? '—',
    each.lag_events === null ? '?' : count(view, each.lag_events, 1_000),
    each.lag_ms === null ? '—' : duration(view, each.lag_ms / 1_000),
  ]);
  const failed = projections.flatMap(({ name, failed: why }) => (why ? [{ name, ...why }] : []));
  return {
    title: t(common.readModels),
    body: html`${heading(t(common.readModels), '', t(texts.about))}
    ${failed.map(({ name, event_id, stream, revision, reason }) =>
      notice(
        'danger',
        html`<h2><code>${name}</code>: ${t(texts.stopped)}</h2>
          <p>${t(texts.help)}</p>
          <p>
            <code>${stream ?? '?'}</code> @ ${revision ?? '?'} · <code>${event_id ?? '?'}</code>
          </p>
          <p lang="en">${reason}</p>`,
      ),
    )}
    ${renderTable(view, {
      caption: t(common.readModels),
      columns: [
        texts.name,
        common.status,
        { amount: texts.position },
        { amount: texts.events },
        { amount: texts.wait },
      ],
      rows,
    })}`,
  };
}
