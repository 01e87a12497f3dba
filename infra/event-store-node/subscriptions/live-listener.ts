import type { WrittenEvent } from '../storage/log-writer.ts';

/** Takes what was written, in the order of the log. */
export type LiveListener = (events: readonly WrittenEvent[]) => void;
