import type { Context } from 'hono';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import type { View } from './components.ts';
import type { Words } from '#shared/application/pages/translations.ts';

type SectionContent = {
  /** Announced when it changes. */
  state: string;
  /** The awaited change; undefined once there is none. */
  pending: Words | undefined;
  content: Html;
};

const refresh: Words = { ru: 'Обновить', en: 'Refresh' };
const unread: Words = {
  ru: 'Сейчас не удаётся узнать, что изменилось: данные ниже могли устареть. Страница пробует снова сама.',
  en: 'The current state can’t be read at the moment, so what is shown may be out of date. The page keeps trying.',
};

/** Shown by the scripts while they can't read what the page shows. */
export const unreadNotice = ({ t }: Pick<View, 't'>): Html =>
  html`<div data-unread hidden>${notice('warning', t(unread), { urgent: true })}</div>`;

/**
 * A part of a page that is refreshed until nothing is pending (`watch.client.js`), within limits;
 * without a script a link does the same.
 */
export function renderPolledSection(view: View, { state, pending, content }: SectionContent): Html {
  const { t, preferences } = view;
  const { pathname, search } = new URL(preferences.path, 'http://page');
  const status =
    pending === undefined
      ? ''
      : html`<div data-pending>
          ${notice('info', html`<p>${t(pending)} <a href="${pathname}${search}">${t(refresh)}</a></p>`)}
        </div>`;
  return html`${unreadNotice(view)}
    <div class="stack" data-watched="${state}">${status}${content}</div>`;
}

/** Whether the script requests it, not a person, for whom one-time content is reserved. */
export const isWatching = (c: Context): boolean => c.req.header('x-watch') !== undefined;
