import { filesFrom, type Files } from './base.ts';
import { wrongEntries } from './entries.ts';
import { wrongGrammar } from './grammar.ts';
import { misleading } from './misleading.ts';
import { wrongSignatures } from './signatures.ts';

export type { Files } from './base.ts';
export { goodFiles } from './good.ts';

/** They mislead, or are no statements: both verifiers print the same line of each. */
export const hostileFiles: readonly Files[] = filesFrom([
  ...misleading,
  ...wrongEntries,
  ...wrongSignatures,
  ...wrongGrammar,
]);
