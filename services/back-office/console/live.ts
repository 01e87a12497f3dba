import { hash } from 'node:crypto';
import type { Context } from 'hono';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import { unreadNotice } from '../frame/polled-section.ts';
import type { ConsoleContext, ConsoleView } from './env.ts';

/**
 * Lists that refresh while they are open (`scripts/live.client.js`). The page requests its own URL
 * with the tag of its rows; if that is still current, the answer is empty.
 */

const header = 'x-live';

/** Whether the request is a page's poll, not the user's. */
export const isPoll = (c: Context): boolean => c.req.header(header) !== undefined;

/** A tag for the rows as they are now. */
export const hashRows = (rows: unknown): string =>
  hash('sha256', JSON.stringify(rows), 'base64url').slice(0, 22);

/** The list, marked for the script. */
export function liveList(view: ConsoleView, tag: string, list: Html): Html {
  const { t } = view;
  const words = {
    fresh: t({ ru: 'Новых: {n}', en: '{n} new' }),
    gone: t({ ru: 'больше не в этом списке', en: 'no longer in this list' }),
    over: t({
      ru: 'Обновление остановлено: войдите снова.',
      en: 'Updates have stopped: sign in again.',
    }),
  };
  return html`<div data-over hidden>${notice('warning', words.over, { urgent: true })}</div>
    ${unreadNotice(view)}
    <div class="live" data-live="${tag}" data-fresh="${words.fresh}" data-gone="${words.gone}">
      ${list}
    </div>`;
}

/** Whether the polling page is up to date. */
export const isSame = (c: ConsoleContext, tag: string): boolean => c.req.header(header) === tag;

/** The answer to a poll: only the list. */
export async function answerPoll(c: ConsoleContext, tag: string, list: Html): Promise<Response> {
  c.header(header, tag);
  return c.html(list);
}
