import type { Hono } from 'hono';
import type { SwitchedOff } from '#shared/domain/provider/switch.ts';
import { badge, html, type Html } from '#shared/platform/pages/index.ts';
import { fromStore } from '../../store.ts';
import { action, at, heading, table } from '../components.ts';
import { viewOf, type Console, type ConsoleEnv, type View } from '../env.ts';
import { show } from '../frame.ts';
import { common } from '../words.ts';
import { providerTexts as texts } from './texts.ts';

export function registerProvidersPage(app: Hono<ConsoleEnv>, console: Console): void {
  app.get('/providers', async (c) => {
    const view = viewOf(c);
    const { t } = view;
    const { off } = await fromStore(console.directory.switches('now'));
    const body = html`${heading(t(texts.title), '', t(texts.about))}${table({
      caption: t(texts.title),
      columns: [common.provider, texts.routing, texts.reason, common.actions].map((words) => ({
        name: t(words),
      })),
      rows: console.providers.map((name) => [name, ...switchCells(view, name, off.get(name))]),
      empty: '—',
    })}`;
    return show(c, console, { title: t(texts.title), section: 'providers', body });
  });
}

/** Whether the provider is in routing, since when, by whom and why, and how to change it. */
function switchCells(view: View, name: string, off: SwitchedOff | undefined): (Html | string)[] {
  const { t } = view;
  const route = `POST /admin/v1/providers/:provider/switch-${off ? 'on' : 'off'}`;
  const href = `/providers/${encodeURIComponent(name)}/switch-${off ? 'on' : 'off'}`;
  const button = action(view, {
    route,
    href,
    text: off ? texts.switchOn : texts.switchOff,
    tone: off ? 'primary' : 'danger',
  });
  if (!off) return [badge('success', t(texts.on)), '—', button];
  const who = off.by.replace(/^operator:/, '');
  const since = html`${badge('danger', t(texts.off), 'slash')} ${at(view, off.since)}
    <span class="muted">${who}</span>`;
  return [since, off.reason, button];
}
