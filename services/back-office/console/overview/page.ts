import { listProjections } from '#projections/status.ts';
import { badge, html, type Html } from '#shared/platform/pages/index.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { count, duration, heading, percent, tabs, timesIn } from '../../frame/components.ts';
import { consoleView, type Console, type ConsoleView, type ConsoleContext } from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { projectionBadge } from '../projections/page.ts';
import { readSnapshot } from '#shared/platform/database/read-snapshot.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import {
  attentionMs,
  attentionSection,
  countOverpaid,
  readAttention,
  readDecliningShops,
} from './attention.ts';
import { conversionCard, createsCard, durationsCard } from './cards.ts';
import {
  maxCounted,
  readDurations,
  readFlow,
  readTotals,
  readWebhookHealth,
  bucketStarts,
  type RangeName,
  type Totals,
  type WebhookHealth,
} from './figures.ts';

const texts = {
  title: { ru: 'Обзор', en: 'Overview' },
  day: { ru: '24 часа', en: '24 hours' },
  month: { ru: '30 дней', en: '30 days' },
  range: { ru: 'Период', en: 'Period' },
  open: { ru: 'Открытые операции', en: 'Open operations' },
  negative: { ru: 'Отрицательные балансы', en: 'Negative balances' },
  pending: { ru: 'Вебхуки в очереди', en: 'Webhooks pending' },
  exhausted: { ru: 'Вебхуки не доставлены', en: 'Webhooks exhausted' },
  webhooks: { ru: 'Доставка вебхуков', en: 'Webhook delivery' },
  success: { ru: 'Успешных попыток', en: 'Success rate' },
  attempts: { ru: 'Попыток', en: 'Attempts' },
  delivery: { ru: 'Время до доставки', en: 'Time to deliver' },
  none: { ru: 'Попыток за это время не было.', en: 'No attempts in this period.' },
  behind: { ru: 'отставание', en: 'behind' },
  tooLong: {
    ru: 'База данных не успела посчитать графики. Обновите страницу или выберите меньший период.',
    en: 'The database took too long to compute the charts. Reload, or choose the shorter period.',
  },
} as const satisfies Record<string, Words>;

export async function overviewPage(c: ConsoleContext, console: Console): Promise<PageContent> {
  const view = consoleView(c);
  const { t } = view;
  const range: RangeName = c.req.query('range') === 'month' ? 'month' : 'day';
  const starts = bucketStarts(range, { nowMs: console.now(), zone: view.zone });
  const [from = new Date(0)] = starts;
  const hourAgo = new Date(console.now() - attentionMs);
  const [figures, projections, health] = await Promise.all([
    readSnapshot(console.db, async (db) => ({
      totals: await readTotals(db),
      flow: await readFlow(db, starts),
      durations: await readDurations(db, starts),
      webhooks: await readWebhookHealth(db, from),
      shops: await readDecliningShops(db, hourAgo),
      overpaid: await countOverpaid(db, console.now()),
    })),
    fromDatabase(listProjections(console.db, console.store)),
    readAttention(console),
  ]);
  const lag = lagCard(view, projections);
  const { shops, overpaid } =
    figures === 'too_long' ? { shops: undefined, overpaid: undefined } : figures;
  const attention = attentionSection(view, { ...health, shops, overpaid, projections });
  const body =
    figures === 'too_long'
      ? html`${attention}
          <div class="empty">${t(texts.tooLong)}</div>
          <div class="board">${lag}</div>`
      : html`${tiles(view, figures)} ${attention}
          <div class="board">
            ${createsCard(view, range, figures.flow)} ${conversionCard(view, range, figures.flow)}
            ${durationsCard(view, range, figures.durations)}
            <div class="stack">${webhookCard(view, figures.webhooks)}${lag}</div>
          </div>`;
  const ranges = tabs(t(texts.range), `/?range=${range}`, [
    ['/?range=day', t(texts.day)],
    ['/?range=month', t(texts.month)],
  ]);
  return {
    title: t(texts.title),
    body: html`${heading(t(texts.title), ranges, timesIn(view))}${body}`,
  };
}

/** What needs attention, each with a link to its page. */
function tiles(
  view: ConsoleView,
  { totals, webhooks }: { totals: Totals; webhooks: WebhookHealth },
): Html {
  const tile = (input: { href: string; name: Words; value: number; urgent?: boolean }) =>
    html`<li>
      <a class="tile${input.urgent && input.value > 0 && ' urgent'}" href="${input.href}"
        ><span class="tile-value">${count(view, input.value, maxCounted)}</span
        ><span>${view.t(input.name)}</span></a
      >
    </li>`;
  return html`<ul class="tiles">
    ${tile({ href: '/operations', name: texts.open, value: totals.open })}
    ${tile({ href: '/review', name: common.manualCheck, value: totals.manualCheck, urgent: true })}
    ${tile({ href: '/suspense?status=open', name: common.suspense, value: totals.suspense, urgent: true })}
    ${tile({ href: '/balances?balance=negative', name: texts.negative, value: totals.negative, urgent: true })}
    ${tile({ href: '/webhooks', name: texts.pending, value: webhooks.pending })}
    ${tile({ href: '/webhooks', name: texts.exhausted, value: webhooks.exhausted, urgent: true })}
  </ul>`;
}

function webhookCard(view: ConsoleView, health: WebhookHealth): Html {
  const { t } = view;
  const share = health.attempts === 0 ? undefined : health.succeeded / health.attempts;
  return html`<section class="card">
    <h2><a href="/webhooks">${t(texts.webhooks)}</a></h2>
    ${
      share === undefined
        ? html`<p class="muted">${t(texts.none)}</p>`
        : html`<dl class="facts">
            <div>
              <dt>${t(texts.success)}</dt>
              <dd>
                <span class="figure-large">${percent(view, share)}</span>
                <meter
                  min="0"
                  max="1"
                  low="0.9"
                  high="0.98"
                  optimum="1"
                  value="${share.toFixed(4)}"
                  aria-label="${t(texts.success)}"
                ></meter>
              </dd>
            </div>
            <div>
              <dt>${t(texts.attempts)}</dt>
              <dd>${count(view, health.attempts)}</dd>
            </div>
            <div>
              <dt>${t(texts.delivery)}</dt>
              <dd>
                ${health.p50 === null ? '—' : html`p50 ${duration(view, health.p50)} · p99 ${duration(view, health.p99 ?? 0)}`}
              </dd>
            </div>
          </dl>`
    }
  </section>`;
}

function lagCard(
  view: ConsoleView,
  projections: Awaited<ReturnType<typeof listProjections>>,
): Html {
  const { t } = view;
  return html`<section class="card">
    <h2><a href="/projections">${t(common.readModels)}</a></h2>
    <ul class="lags">
      ${projections.map(
        (each) =>
          html`<li>
            <code>${each.name}</code>${projectionBadge(view, each.status)}<span class="muted"
              >${each.lag_events === null ? badge('warning', '?') : each.lag_events === 0 ? '0' : html`${t(texts.behind)} ${count(view, each.lag_events, 1_000)}${each.lag_ms !== null && html` · ${duration(view, each.lag_ms / 1_000)}`}`}</span
            >
          </li>`,
      )}
    </ul>
  </section>`;
}
