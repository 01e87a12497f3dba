import type { Page } from 'playwright-core';
import type { TestStack } from '#infra/verify/harness/stacks/test-stack.ts';

/**
 * One picture, `<name>-<language>-<theme>.webp`, in the languages and themes that documents show.
 */
export type Shot = {
  readonly name: string;
  readonly viewport: keyof typeof viewports;
  /** Prepares the page; language and theme are the browser's. */
  readonly open: (page: Page) => Promise<void>;
};

/** The pictures of a page, on a running stack. */
export type Shots = (
  stack: TestStack,
) => Promise<{ shots: readonly Shot[]; close(): Promise<void> }>;

export const viewports = {
  phone: { width: 390, height: 844 },
  desktop: { width: 1280, height: 800 },
} as const;
