import type { SwitchedOff } from '#shared/domain/provider/switch.ts';
import { badge, html, notice, type Html } from '#shared/platform/pages/index.ts';
import {
  breakerTypes,
  readBreakers,
  type BreakerReport,
  type BreakerReports,
} from '../../api/providers/breakers.ts';
import { countedAtMost, findHealth, type ProviderHealth } from '../../api/providers/health.ts';
import { accountTexts } from '../accounts/texts.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { at, count, heading, renderTable, tabs, timesIn } from '../../frame/components.ts';
import { action } from '../action-link.ts';
import { accountsPage } from '../actions/accounts.ts';
import { switchOff, switchOn } from '../actions/providers.ts';
import { consoleView, type Console, type ConsoleView, type ConsoleContext } from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { typeNames } from '../../frame/names.ts';
import { common } from '#shared/application/pages/translations.ts';
import { healthCells, healthColumns, healthSection } from './health-view.ts';
import { providerTexts as texts } from './texts.ts';

/** What the figures cover, in hours. */
const windows = { day: 24, week: 168, month: 720 } as const;
type Window = keyof typeof windows;
const windowNames = Object.keys(windows) as Window[];

export async function providersPage(c: ConsoleContext, console: Console): Promise<PageContent> {
  const view = consoleView(c);
  const { t } = view;
  const window = windowNames.find((each) => each === c.req.query('window')) ?? 'day';
  const since = new Date(console.now() - windows[window] * 3_600_000);
  const [{ off }, figures, breakers] = await Promise.all([
    fromStore(console.directory.providers('now')),
    findHealth(console.db, since),
    readBreakers(console.store, console.providers),
  ]);
  const health = figures ?? new Map<string, ProviderHealth>();
  // A provider that is no longer configured may still have figures.
  const names = [...new Set([...console.providers, ...health.keys()])];
  const windowHref = (each: Window) => `/providers?window=${each}`;
  const periods = tabs(
    t(texts.window),
    windowHref(window),
    windowNames.map((each) => [windowHref(each), t(texts[each])]),
  );
  const overview = renderTable(view, {
    caption: t(common.providers),
    columns: [common.provider, texts.routing, ...healthColumns, texts.lastReport, common.actions],
    rows: names.map((name) => {
      const isOff = off.get(name);
      const figuresOf = health.get(name);
      const isConfigured = console.providers.includes(name);
      return [
        html`${name}${isConfigured && accountsLink(view, name)}`,
        html`${renderState(view, isOff, isConfigured)}${renderBreakers(view, breakers.get(name))}`,
        ...healthCells(view, figuresOf?.all),
        at(view, figuresOf?.lastReportAt),
        isConfigured ? switchButton(view, name, isOff) : '',
      ];
    }),
  });
  const body = html`${heading(t(common.providers), '', html`${t(texts.about)} ${timesIn(view)}`)}${periods}
    ${!figures && notice('warning', html`<p>${t(texts.noFigures)}</p>`)} ${overview}
    <p class="muted small">${t(texts.counted)} ${count(view, countedAtMost)}.</p>
    ${names.flatMap((name) => {
      const providerHealth = health.get(name);
      return providerHealth?.all ? [healthSection(view, name, providerHealth)] : [];
    })}`;
  return { title: t(common.providers), body };
}

/** Any process's newest report on its own calls, for payments and payouts. */
const renderBreakers = (view: ConsoleView, reports: BreakerReports = {}): Html =>
  html`${breakerTypes.map((type) => {
    const figures = reports[type];
    return figures ? html`<br />${view.t(typeNames[type])}: ${renderBreaker(view, figures)}` : '';
  })}`;

function renderBreaker(view: ConsoleView, report: BreakerReport): Html {
  const { t } = view;
  if (report.opened === undefined)
    return html`<span class="muted small">${t(texts.answersAgain)} ${at(view, report.at)}</span>`;
  const { calls, unknown } = report.opened;
  return html`${badge('warning', t(texts.failing), 'warning')} ${at(view, report.at)}
    <span class="muted small"
      >${t(texts.unknown)}: ${count(view, unknown)} / ${count(view, calls)}</span
    >`;
}

/** Whether the provider is in routing; if not, since when, by whom and why. */
function renderState(view: ConsoleView, off: SwitchedOff | undefined, isConfigured: boolean): Html {
  const { t } = view;
  if (!isConfigured) return badge('neutral', t(texts.unconfigured), 'slash');
  if (!off) return badge('success', t(common.on));
  const operator = off.by.replace(/^operator:/, '');
  return html`${badge('danger', t(common.off), 'slash')} ${at(view, off.since)}
    <span class="muted">${operator}</span><br />${off.reason}`;
}

function accountsLink(view: ConsoleView, name: string): Html | string {
  if (!view.may('GET /admin/v1/providers/:provider/accounts')) return '';
  return html`<br /><a class="small" href="${accountsPage(name)}"
      >${view.t(accountTexts.title)}</a
    >`;
}

function switchButton(
  view: ConsoleView,
  name: string,
  off: SwitchedOff | undefined,
): Html | string {
  return action(view, off ? switchOn : switchOff, {
    params: { provider: name },
    text: off ? common.switchOn : common.switchOff,
    tone: off ? 'primary' : 'danger',
  });
}
