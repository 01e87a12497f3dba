import type { Context } from 'hono';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import type { View } from './components.ts';
import type { Words } from '#shared/application/pages/translations.ts';

type Watched = {
  /** Announced when it changes. */
  state: string;
  /** The awaited change; undefined once there is none. */
  pending: Words | undefined;
  content: Html;
};

const refresh: Words = { ru: 'Обновить', en: 'Refresh' };

/**
 * A part of a page that is refreshed until nothing is pending (`watch.client.js`), within limits;
 * without a script a link does the same.
 */
export function watched({ t, preferences }: View, { state, pending, content }: Watched): Html {
  const { pathname, search } = new URL(preferences.path, 'http://page');
  const status =
    pending === undefined
      ? ''
      : html`<div data-pending>
          ${notice('info', html`<p>${t(pending)} <a href="${pathname}${search}">${t(refresh)}</a></p>`)}
        </div>`;
  return html`<div class="stack" data-watched="${state}">${status}${content}</div>`;
}

/** Whether the script requests it, not a person, for whom one-time content is reserved. */
export const isWatching = (c: Context): boolean => c.req.header('x-watch') !== undefined;
