import { errorMessage } from '#shared/platform/error-message.ts';
import type { WriteRequest, WriteResult } from '../streams/write-request.ts';
import type { LogWriter, StreamEvent } from './log-writer.ts';

type PendingWrite = {
  readonly request: WriteRequest;
  /** Bytes of the events' data and metadata, for the limit of the queue. */
  readonly bytes: number;
  /** Until when the writer waits, in milliseconds of `performance.now()`. */
  readonly expiresAtMs: number;
  readonly onResult: (result: WriteResult) => void;
};

type Transactions = {
  readonly begin: () => void;
  readonly commit: () => void;
  readonly rollback: () => void;
};

type Options = {
  readonly transactions: Transactions;
  readonly writer: LogWriter;
  readonly onWritten: (events: readonly StreamEvent[]) => void;
  /** The disk has failed: the node has to stop. */
  readonly onFatal: (error: unknown) => void;
  /** Writes were refused because the disk is full. Later ones may succeed. */
  readonly onRefused: (error: unknown) => void;
};

const STOPPING: WriteResult = { kind: 'failed', message: 'The event store node is stopping.' };

const MAX_QUEUED_BYTES = 32 * 1024 * 1024;
const MAX_QUEUED_WRITES = 20_000;
const MAX_TRANSACTION_BYTES = 4 * 1024 * 1024;
const MAX_TRANSACTION_WRITES = 1000;

/**
 * Group commit: all writes that arrive in one turn of the event loop are one transaction. They are
 * answered, and sent to subscribers, only when it is on the disk.
 */
export class WriteQueue {
  readonly #options: Options;
  #queue: PendingWrite[] = [];
  #queuedBytes = 0;
  #scheduled = false;
  #closed = false;
  #broken = false;
  #waiting: (() => void)[] = [];

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * True when senders should stop for a while; `onRoom` calls back, once, when there is room again.
   */
  isFull(): boolean {
    return this.#queuedBytes >= MAX_QUEUED_BYTES || this.#queue.length >= MAX_QUEUED_WRITES;
  }

  onRoom(callback: () => void): void {
    this.#waiting.push(callback);
  }

  push(write: PendingWrite): void {
    if (this.#closed) {
      write.onResult(STOPPING);
      return;
    }
    this.#queue.push(write);
    this.#queuedBytes += write.bytes;
    this.#schedule();
  }

  /** Commits the waiting writes, and takes no more: later writes are answered as failed. */
  close(): void {
    this.#closed = true;
    // Each turn takes at least one write, so this ends.
    while (this.#queue.length > 0) this.#flush();
  }

  #schedule(): void {
    if (this.#scheduled || this.#queue.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
      this.#schedule();
    });
  }

  #flush(): void {
    const { writer, onWritten } = this.#options;
    const batch = this.#takeBatch();
    if (batch.length === 0) return;
    const results = this.#write(batch);
    const written = writer.takeWritten();
    for (const [index, write] of batch.entries()) write.onResult(results[index] as WriteResult);
    if (written.length > 0) onWritten(written);
    if (this.#waiting.length > 0 && !this.isFull()) {
      const callbacks = this.#waiting;
      this.#waiting = [];
      for (const callback of callbacks) callback();
    }
  }

  #takeBatch(): readonly PendingWrite[] {
    const queue = this.#queue;
    let bytes = 0;
    let count = 0;
    while (
      count < queue.length &&
      count < MAX_TRANSACTION_WRITES &&
      bytes < MAX_TRANSACTION_BYTES
    ) {
      bytes += (queue[count] as PendingWrite).bytes;
      count += 1;
    }
    this.#queuedBytes -= bytes;
    if (count < queue.length) return queue.splice(0, count);
    this.#queue = [];
    return queue;
  }

  #write(batch: readonly PendingWrite[]): readonly WriteResult[] {
    if (this.#broken) return batch.map(() => STOPPING);
    const { transactions, writer } = this.#options;
    const nowMs = performance.now();
    try {
      transactions.begin();
      const results = batch.map(({ request, expiresAtMs }): WriteResult =>
        expiresAtMs <= nowMs ? { kind: 'timeout' } : writer.apply(request),
      );
      transactions.commit();
      return results;
    } catch (error) {
      return this.#recover(batch, error);
    }
  }

  /**
   * Nothing of the batch is in the log: fails all its writes, and stops the node if the disk has
   * failed.
   */
  #recover(batch: readonly PendingWrite[], error: unknown): readonly WriteResult[] {
    const { transactions, writer, onRefused } = this.#options;
    const message = `The write failed: ${errorMessage(error)}`;
    try {
      transactions.rollback();
      writer.reset();
      if (isFatal(error)) this.#stopWriting(error);
      else onRefused(error);
    } catch (second) {
      this.#stopWriting(second);
    }
    return batch.map((): WriteResult => ({ kind: 'failed', message }));
  }

  #stopWriting(error: unknown): void {
    this.#closed = true;
    this.#broken = true;
    this.#options.onFatal(error);
  }
}

// SQLite's READONLY, IOERR, CORRUPT, CANTOPEN, PROTOCOL and NOTADB. A full disk is not fatal: the
// file stays valid.
const FATAL_CODES = new Set([8, 10, 11, 14, 15, 26]);

/** True if the disk failed, for example after a failed fsync: then no write can be guaranteed. */
function isFatal(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    FATAL_CODES.has(error.errcode & 0xff)
  );
}
