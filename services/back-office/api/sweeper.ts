import { createAlarm } from '#shared/platform/alarm.ts';
import { unreadableIn } from '#shared/domain/decode.ts';
import { logStreams } from '#shared/domain/log/streams.ts';
import {
  findCheckpoint,
  follow,
  readCheckpointAt,
  type CheckpointGuard,
  type EventStore,
  type LogItem,
  type StoredEvent,
} from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { SweepCheckpoints } from './sweep-checkpoints.ts';
import { createSweepProgress } from './sweep-progress.ts';

/** One kind of work that is left unfinished when the process of a command dies. */
export type SweepTask = {
  /** The name of the task, for warnings. */
  name: string;
  /** The streams that begin and end it. */
  streamPrefix: string;
  /** Time between two sweeps, milliseconds. */
  everyMs: number;
  /** Applies an event of those streams: it opens, changes or ends pending work. */
  collect(event: StoredEvent): void;
  /** Whether there is work that an event of this stream opened. */
  isOpen(stream: string): boolean;
  /** Continues open work. An error is logged, and the next sweep runs anyway. */
  sweep(signal: AbortSignal): Promise<void>;
};

type SweeperOptions = {
  store: EventStore;
  logger: Logger;
  signal: AbortSignal;
  tasks: readonly SweepTask[];
  guard: Pick<CheckpointGuard, 'verify'>;
  /**
   * The position up to which work is finished, stored across restarts; without it, the whole log is
   * read.
   */
  checkpoints?: SweepCheckpoints | undefined;
  /** Time between two saved checkpoints, milliseconds; for tests. */
  saveCheckpointEveryMs?: number;
};

const defaultSaveCheckpointEveryMs = 30_000;
const longestSleepMs = 60_000;

/**
 * Until the signal, finishes work that commands left unfinished. It is found in the log alone, read
 * from a checkpoint before which nothing is open. Nothing is swept until the log is read to its
 * end, where some of the work may be finished. Several processes may sweep at once, so each sweep
 * must be idempotent.
 */
export async function sweepUnfinished(options: SweeperOptions): Promise<void> {
  const { signal } = options;
  const { sleep, ring } = createAlarm();
  const tasks = options.tasks.map((task) => new FollowedTask(task, options, ring));
  signal.addEventListener('abort', ring, { once: true });
  while (!signal.aborted) {
    const now = performance.now();
    for (const task of tasks) task.sweepIfDue(now);
    const dueAtMs = Math.min(...tasks.map((task) => task.dueAtMs));
    await sleep(Math.min(dueAtMs - now, longestSleepMs));
  }
  await Promise.all(tasks.map((task) => task.ended()));
}

/** A task that follows its streams. A slow sweep delays only its own task. */
class FollowedTask {
  /**
   * When it is swept next; infinity until its part of the log is read, and while it is being swept.
   */
  dueAtMs = Number.POSITIVE_INFINITY;
  readonly #task: SweepTask;
  readonly #options: SweeperOptions;
  readonly #onDue: () => void;
  readonly #progress;
  readonly #following: Promise<void>;
  #sweeping: Promise<void> | undefined;
  #read = false;
  #checkpointSavedAtMs = Number.NEGATIVE_INFINITY;
  #savedPosition: bigint | undefined;

  constructor(task: SweepTask, options: SweeperOptions, onDue: () => void) {
    this.#task = task;
    this.#options = options;
    this.#onDue = onDue;
    this.#progress = createSweepProgress(task.isOpen);
    this.#following = this.#follow();
  }

  sweepIfDue(nowMs: number): void {
    if (nowMs < this.dueAtMs) return;
    this.dueAtMs = Number.POSITIVE_INFINITY;
    this.#sweeping = this.#sweep();
  }

  async ended(): Promise<void> {
    await Promise.all([this.#following, this.#sweeping]);
  }

  #due(inMs: number): void {
    this.dueAtMs = performance.now() + inMs;
    this.#onDue();
  }

  #warn(what: string) {
    const { name } = this.#task;
    return (error: unknown) => this.#options.logger.warn({ err: error }, `${name} ${what}`);
  }

  #follow(): Promise<void> {
    const { store, signal, guard } = this.#options;
    const { streamPrefix } = this.#task;
    const progress = this.#progress;
    return follow({
      store,
      guard,
      follower: `admin.${streamPrefix.replace(/-$/, '')}`,
      filter: { streamPrefixes: [streamPrefix] },
      sparse: true,
      checkpoint: async () => {
        if (progress.position() === undefined) progress.pass(await this.#findSaved());
        const position = progress.position();
        return position === undefined ? undefined : { position };
      },
      handle: async (batch) => {
        for (const item of batch) this.#take(item);
      },
      onError: this.#warn('can not be followed'),
      signal,
    });
  }

  /** Of another log, or an older copy, the whole is read. */
  async #findSaved(): Promise<bigint | undefined> {
    const { store, checkpoints } = this.#options;
    const saved = await checkpoints?.find(this.#task.streamPrefix);
    return saved && (await findCheckpoint(store, saved)) === 'in_log' ? saved.position : undefined;
  }

  #take(item: LogItem): void {
    if (item.kind === 'checkpoint') return this.#progress.pass(item.position);
    if (item.kind === 'event') return this.#progress.take(item.event, this.#collect(item.event));
    if (this.#read) return;
    this.#read = true;
    this.#due(0);
  }

  /** An event of a newer version blocks only its own stream. */
  #collect(event: StoredEvent): 'read' | 'unreadable' {
    const { name, collect } = this.#task;
    try {
      collect(event);
      return 'read';
    } catch (error) {
      if (!unreadableIn(error)) throw error;
      const { stream, revision } = event;
      const { logger } = this.#options;
      logger.error(
        { err: error, stream, revision },
        `${name}: an event can not be read by this version`,
      );
      return 'unreadable';
    }
  }

  async #sweep(): Promise<void> {
    const { signal } = this.#options;
    await this.#task.sweep(signal).catch(this.#warn('could not be finished'));
    await this.#saveCheckpoint();
    this.#due(this.#task.everyMs);
  }

  async #saveCheckpoint(): Promise<void> {
    const {
      store,
      checkpoints,
      saveCheckpointEveryMs = defaultSaveCheckpointEveryMs,
    } = this.#options;
    const position = this.#progress.finished();
    const nowMs = performance.now();
    if (
      !checkpoints ||
      position === undefined ||
      position === this.#savedPosition ||
      nowMs - this.#checkpointSavedAtMs < saveCheckpointEveryMs
    )
      return;
    this.#checkpointSavedAtMs = nowMs;
    const { streamPrefix } = this.#task;
    const save = async () => {
      const lasting = [...logStreams.lasting, streamPrefix];
      const checkpoint = await readCheckpointAt(store, position, lasting);
      if (!checkpoint) return;
      await checkpoints.keep(streamPrefix, checkpoint);
      this.#savedPosition = position;
    };
    await save().catch(this.#warn('could not save their checkpoint'));
  }
}
