import type { HtmlEscapedString } from 'hono/utils/html';

export { html, raw } from 'hono/html';

/** Markup. Everything else in an `html` template is escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** HTML as a string, for answers without Hono. @throws when a part of it is a promise */
export function renderToText(page: Html): string {
  if (page instanceof Promise) throw new Error('the page waits for a part of itself');
  return page.toString();
}
