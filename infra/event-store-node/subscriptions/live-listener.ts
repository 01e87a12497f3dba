import type { WrittenEvent } from '../storage/log-writer.ts';

/** Takes the written events, in the order of the log. */
export type LiveListener = (events: readonly WrittenEvent[]) => void;
