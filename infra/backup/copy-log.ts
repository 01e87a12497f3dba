import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { nextRemaining } from '#infra/move/copy.ts';
import type { CopyCursor } from '#infra/move/cursor.ts';
import type { CopySource } from '#infra/move/logs.ts';
import type { BackupWriter } from './writer.ts';

/** A segment has at most about this much, uncompressed. */
const mostTogether = { events: 20_000, bytes: 8 * 1024 * 1024 };

type CopyOptions = {
  signal: AbortSignal;
  /** Ends at the event at this position, or at the end of the log. */
  until: number;
  /** For how long a read event waits for others of its segment. */
  holdMs: number;
  now?: () => number;
  onWritten?(): void;
};

/** Copies what the log has after the cursor. The next segment is read while one is written. */
export async function copyAvailable(
  source: CopySource,
  { cursor, writer }: { cursor: CopyCursor; writer: BackupWriter },
  { signal, until, holdMs, now = () => performance.now(), onWritten }: CopyOptions,
): Promise<void> {
  let writing = Promise.resolve();
  let [events, bytes]: [RawEvent[], number] = [[], 0];
  let heldSince = 0;
  const write = async () => {
    const [first, ...others] = events;
    [events, bytes] = [[], 0];
    await writing;
    if (!first) return;
    const together = async (): Promise<void> => {
      await writer.write([first, ...others]);
      onWritten?.();
    };
    writing = together();
    writing.catch(() => undefined);
  };
  try {
    while (!signal.aborted && cursor.passed < until) {
      const { read, remaining } = await nextRemaining(cursor, source);
      if (read === 0) break;
      if (events.length === 0) heldSince = now();
      for (const event of remaining) {
        events.push(event);
        bytes += event.data.length + event.metadata.length;
      }
      const isFull = events.length >= mostTogether.events || bytes >= mostTogether.bytes;
      // Under a steady load no read is empty.
      if (isFull || now() - heldSince >= holdMs) await write();
    }
    await write();
  } finally {
    // A write that ends after the next backup began would take the name of its segment.
    await writing.catch(() => undefined);
  }
  await writing;
}
