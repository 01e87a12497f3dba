import type { Heading } from './markdown/blocks.ts';

/** The part of a documentation page that is its own. */
export type PageBody = {
  title: string;
  /** Above the title: what kind of page this is. */
  kicker?: string;
  /** HTML, from the page's first paragraph on. */
  html: string;
  headings: readonly Heading[];
  /** Without a table of contents and without neighbouring pages. */
  plain?: true;
  /** The content's own language, where it is not the reader's. */
  contentLanguage?: 'en';
};
