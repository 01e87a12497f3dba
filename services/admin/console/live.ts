import { hash } from 'node:crypto';
import type { Context } from 'hono';
import { html, type Html } from '#shared/platform/pages/index.ts';
import type { ConsoleContext, View } from './env.ts';

/**
 * Lists that are read again while somebody looks at them (`scripts/live.client.js`). The page asks
 * its own address with the tag of what it has; where that is what there is, the answer is empty.
 */

const header = 'x-live';

/** Whether a page that is open asks, and not its user. */
export const isPoll = (c: Context): boolean => c.req.header(header) !== undefined;

/** Stands for rows as they are shown now. */
export const tagOf = (rows: unknown): string =>
  hash('sha256', JSON.stringify(rows), 'base64url').slice(0, 22);

/** The list, marked for the script. */
export function liveList({ t }: View, tag: string, list: Html): Html {
  const words = {
    fresh: t({ ru: 'Новых: {n}', en: '{n} new' }),
    gone: t({ ru: 'больше не в этом списке', en: 'no longer in this list' }),
    over: t({
      ru: 'Обновление остановлено: войдите снова.',
      en: 'Updates have stopped: sign in again.',
    }),
  };
  return html`<div
    class="live"
    data-live="${tag}"
    data-fresh="${words.fresh}"
    data-gone="${words.gone}"
    data-over="${words.over}"
  >
    ${list}
  </div>`;
}

/** Whether the page that asks has that already. */
export const isSame = (c: ConsoleContext, tag: string): boolean => c.req.header(header) === tag;

/** The answer to a page that asks: the list alone. */
export async function answerPoll(c: ConsoleContext, tag: string, list: Html): Promise<Response> {
  c.header(header, tag);
  return c.html(list);
}
