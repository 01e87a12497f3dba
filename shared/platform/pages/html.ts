import type { HtmlEscapedString } from 'hono/utils/html';

export { html, raw } from 'hono/html';

/** Text that is HTML already. Everything else in an `html` template is escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/**
 * HTML as a string, where an answer is made without Hono. @throws when a part of it is still to
 * come
 */
export function textOf(page: Html): string {
  if (page instanceof Promise) throw new Error('the page waits for a part of itself');
  return page.toString();
}
