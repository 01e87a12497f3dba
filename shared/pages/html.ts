import type { HtmlEscapedString } from 'hono/utils/html';

export { html, raw } from 'hono/html';

/** Text that is HTML already. Whatever else stands in an `html` template is escaped by it. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;
