import { Problem } from '#shared/platform/http/problems.ts';
import type { ReaderPace } from './reader-pace.ts';

export type ExportLimits = {
  /** Each holds a connection, and for moments a second one, for checks before rows are sent. */
  atOnce: number;
  /** The most concurrent files of one holder, at most half, so that none keeps others waiting. */
  perHolder: number;
  /**
   * Files of `atOnce` that are reserved for holders who have none in progress, so that a few don't
   * take all.
   */
  reservedForNew: number;
  /** A long snapshot keeps PostgreSQL from vacuuming. */
  maxMs: number;
};

/** A file that is being written. */
export type OpenFile = {
  holder: string;
  pace: ReaderPace;
  /** Ends it before its end, so that its reader can see that it is incomplete. */
  breakOff?(): Promise<void>;
};

/** The concurrent files, shared out among their holders. */
export function createExportSlots(limits: ExportLimits) {
  const files = new Set<OpenFile>();
  const isTooMany = (holder: string, count = files.size): boolean => {
    const own = [...files].filter((file) => file.holder === holder).length;
    return (
      count >= limits.atOnce ||
      own >= limits.perHolder ||
      (own > 0 && count >= limits.atOnce - limits.reservedForNew)
    );
  };
  /** The file of another holder whose reader is furthest behind. */
  const slowest = (holder: string): OpenFile | undefined =>
    [...files]
      .filter((file) => file.holder !== holder && file.pace.creditBytes < 0)
      .toSorted((one, other) => one.pace.creditBytes - other.pace.creditBytes)[0];
  return {
    /**
     * Adds a file. Where only others' files leave no slot, one whose reader is too slow is ended.
     * @throws Problem rate_limited
     */
    add: async (file: OpenFile): Promise<void> => {
      const { holder } = file;
      if (isTooMany(holder) && !isTooMany(holder, files.size - 1))
        await slowest(holder)?.breakOff?.();
      if (isTooMany(holder)) throw tooMany();
      files.add(file);
    },
    remove: (file: OpenFile) => void files.delete(file),
  };
}

const tooMany = () =>
  new Problem('rate_limited', {
    detail: 'the maximum number of exports is in progress; retry when one has finished',
    retryAfterMs: 30_000,
  });
