import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { ledgerStream, type Entry } from '#shared/domain/ledger/events.ts';
import type { LedgerCommand } from '#shared/domain/ledger/commands.ts';
import { keysOfCommand } from '#shared/domain/ledger/reference.ts';
import { isSameRequest } from '#shared/domain/ledger/repeat.ts';
import type { AppendOutcome, EventStore, LoggedEvent } from '#shared/platform/event-store/types.ts';
import { toNewEvent } from '#shared/application/commands/new-events.ts';
import { createDeferred, type DeferredCommands } from './deferred.ts';
import { isRecorded } from './look-back.ts';
import { decideBatch, type CommandVerdict } from './batch.ts';
import {
  decodeEntry,
  findIn,
  applyPosted,
  applyAppended,
  type LedgerMemory,
  type Sizes,
} from './memory.ts';
import type { LedgerMetrics } from './metrics.ts';
import { takeBatch, waitFor, type QueuedCommand } from './queue.ts';
import {
  catchUp,
  loadMemory,
  ReadFailed,
  readLedgerEvents,
  refresh,
  type LedgerSource,
} from './reading.ts';
import type { PostedEntry, PostRequest, PostResult } from './types.ts';

export type OwnerOptions = {
  store: Pick<EventStore, 'append' | 'read'>;
  shopId: string;
  currency: string;
  /** Monotonic milliseconds. */
  now: () => number;
  sizes: Sizes;
  /** Called for every write. */
  onBatch?: LedgerMetrics['onBatch'] | undefined;
};

type CommandDecision = {
  waiting: QueuedCommand;
  verdict: Exclude<CommandVerdict, { kind: 'unexplored' }>;
};
/** The commands of a try that met a conflict, and the revision that the store reported. */
type Conflict = { batch: QueuedCommand[]; actualRevision: number };

const maxWaiting = 4_096;
const maxNewest = 128;
const maxTries = 500;
const longestPauseMs = 8;
/** A pause as long as a write, so that the owner in another process is not starved. */
const yieldEveryMs = 50;
const yieldMs = 5;

/**
 * Posts all entries of one ledger in this process. It queues commands, decides all waiting ones on
 * its memory of the ledger, and appends their entries in one write at the exact revision. If the
 * ledger has to be read back for a command, the command is deferred, and delays no other. The exact
 * revision keeps the ledger consistent: an owner in another process can only make this one slower.
 */
export class Owner {
  readonly #options: OwnerOptions;
  readonly #stream: string;
  readonly #deferred: DeferredCommands;
  readonly #queue: QueuedCommand[] = [];
  /** The newest entries in full, by revision: to answer repeated commands. */
  readonly #newest = new Map<number, Entry>();
  #memory: LedgerMemory | undefined;
  #running: Promise<void> | undefined;
  #lastYieldAt = 0;

  constructor(options: OwnerOptions) {
    this.#options = options;
    this.#stream = ledgerStream(options.shopId, options.currency);
    this.#deferred = createDeferred({
      memory: () => this.#memory,
      source: (deadline) => this.#sourceUntil(deadline),
      putBack: (commands) => {
        this.#queue.unshift(...commands);
        this.#running ??= this.#run();
      },
      now: options.now,
    });
  }

  post(request: PostRequest): Promise<PostResult> {
    const waiting = waitFor(request, this.#options.now);
    if (this.waiting() >= maxWaiting) {
      const cause = new Error(`${maxWaiting} commands wait for ${this.#stream}`);
      waiting.answer({ outcome: 'undecided', cause });
    } else {
      this.#queue.push(waiting);
      this.#running ??= this.#run();
    }
    return waiting.result;
  }

  /** Commands that wait for a decision, or for the ledger to be read back. */
  waiting(): number {
    return this.#queue.length + this.#deferred.count();
  }

  /** Whether the entry of this command is among the newest ones. */
  isPosted(command: LedgerCommand): boolean {
    const [key = ''] = keysOfCommand(command);
    const position = this.#memory && findIn(this.#memory, key);
    const entry = position && this.#newest.get(position.revision);
    return entry?.kind === command.kind && isSameRequest(entry, command);
  }

  isExplored(request: PostRequest): boolean {
    return this.#memory !== undefined && isRecorded(this.#memory, request);
  }

  /**
   * Adds the next entry, if another process posted it. A command in progress reads the new entries
   * itself, so nothing is added meanwhile.
   */
  applyPosted(event: LoggedEvent): void {
    const memory = this.#memory;
    if (!memory || !this.isIdle() || event.revision !== memory.position.revision + 1) return;
    try {
      const stored = event.read();
      applyPosted(memory, stored);
      this.#remember([decodeEntry(stored)], stored.revision);
    } catch {
      // The next command reads the ledger, and fails with the reason.
      this.#memory = undefined;
    }
  }

  /** Resolves when no command is in progress. */
  async idle(): Promise<void> {
    for (let busy = this.#busy(); busy; busy = this.#busy()) await busy;
  }

  isIdle(): boolean {
    return this.#busy() === undefined;
  }

  #busy(): Promise<void> | undefined {
    return this.#running ?? this.#deferred.reading();
  }

  #sourceUntil(deadline: number): LedgerSource {
    const { store, sizes, now } = this.#options;
    return { store, stream: this.#stream, sizes, deadlineMs: Math.max(1, deadline - now()) };
  }

  async #run(): Promise<void> {
    const { now } = this.#options;
    this.#lastYieldAt = now();
    try {
      for (;;) {
        // Commands that arrive in this turn of the event loop join the batch.
        await turn();
        if (this.#queue.length === 0) return;
        await this.#decide(this.#deferred.holdBack(takeBatch(this.#queue)));
        if (this.#queue.length > 0 && now() - this.#lastYieldAt > yieldEveryMs) {
          await delay(yieldMs);
          this.#lastYieldAt = now();
        }
      }
    } finally {
      this.#running = undefined;
    }
  }

  /** Tries until every command of the batch is answered or deferred. */
  async #decide(batch: QueuedCommand[]): Promise<void> {
    try {
      for (let attempt = 0, actualRevision: number | undefined; attempt < maxTries; attempt += 1) {
        // Nothing is posted for a caller that no longer waits.
        batch = batch.filter(({ answered }) => !answered);
        if (batch.length === 0) return;
        const conflict = await this.#tryOnce(batch, actualRevision);
        if (!conflict) return;
        ({ batch, actualRevision } = conflict);
        if (attempt > 0) await delay(Math.random() * Math.min(2 ** attempt, longestPauseMs));
      }
      answerAll(batch, { outcome: 'undecided', cause: new Error('every try met a conflict') });
    } catch (error) {
      this.#memory = undefined;
      if (error instanceof ReadFailed)
        return answerAll(batch, { outcome: 'undecided', cause: error });
      for (const waiting of batch) if (!waiting.answered) waiting.fail(error);
    }
  }

  /** `actualRevision`: the stream's, if the previous try met a conflict. */
  async #tryOnce(
    batch: readonly QueuedCommand[],
    actualRevision: number | undefined,
  ): Promise<Conflict | undefined> {
    const deadline = Math.max(...batch.map((waiting) => waiting.deadline));
    const mayBeBehind = this.#memory !== undefined && actualRevision === undefined;
    const requests = batch.map(({ request }) => request);
    let memory = (mayBeBehind && this.#memory) || (await this.#read(deadline, actualRevision));
    let { verdicts, entries } = decideBatch(memory, requests);
    if (
      mayBeBehind &&
      entries.length === 0 &&
      verdicts.some((each, at) => mayChange(each, requests[at]))
    ) {
      memory = await refresh(this.#sourceUntil(deadline), memory);
      this.#memory = memory;
      ({ verdicts, entries } = decideBatch(memory, requests));
    }
    // Before any `await`: commands that are put back meanwhile must come after these.
    const decided = this.#deferUnexplored(batch, verdicts);
    if (entries.length === 0) return this.#answerDecided(decided);
    const appended = await this.#append(decided, { memory, deadline });
    const commands = decided.map(({ waiting }) => waiting);
    if (appended.outcome === 'conflict')
      return { batch: commands, actualRevision: appended.actualRevision };
    if (appended.outcome === 'unknown') {
      // It may be in the log, now or later: the next command reads the log, and this one is not
      // decided again.
      this.#memory = undefined;
      return answerAll(commands, { outcome: 'undecided', cause: appended.cause });
    }
    this.#remember(entries, memory.position.revision + 1);
    applyAppended(memory, entries, appended.position);
    return this.#answerDecided(decided);
  }

  /** Reads the ledger, or the new entries up to the revision that a conflict reported. */
  async #read(deadline: number, actualRevision: number | undefined): Promise<LedgerMemory> {
    const source = this.#sourceUntil(deadline);
    this.#memory =
      this.#memory && actualRevision !== undefined
        ? await catchUp(source, this.#memory, actualRevision)
        : await loadMemory(source);
    return this.#memory;
  }

  /** Returns the commands that are decided. */
  #deferUnexplored(
    batch: readonly QueuedCommand[],
    verdicts: readonly CommandVerdict[],
  ): CommandDecision[] {
    const decided: CommandDecision[] = [];
    for (const [index, verdict] of verdicts.entries()) {
      const waiting = batch[index] as QueuedCommand;
      if (verdict.kind === 'unexplored') this.#deferred.add(waiting);
      else decided.push({ waiting, verdict });
    }
    return decided;
  }

  async #append(
    decided: readonly CommandDecision[],
    { memory, deadline }: { memory: LedgerMemory; deadline: number },
  ): Promise<AppendOutcome> {
    const { store, onBatch } = this.#options;
    const expectedRevision = memory.position.revision;
    const events = decided.flatMap(({ waiting, verdict }) => {
      if (verdict.kind !== 'entry') return [];
      const { origin, signer } = waiting.request;
      const event = toNewEvent({ type: 'EntryPosted', data: verdict.entry }, origin);
      return signer ? { ...event, signer } : event;
    });
    const { deadlineMs } = this.#sourceUntil(deadline);
    const appended = await store.append({
      stream: this.#stream,
      expectedRevision,
      events,
      deadlineMs,
    });
    onBatch?.(appended.outcome, events.length);
    return appended;
  }

  #answerDecided(decided: readonly CommandDecision[]): undefined {
    for (const { waiting, verdict } of decided) this.#answer(waiting, verdict);
  }

  #answer(waiting: QueuedCommand, verdict: CommandDecision['verdict']): void {
    if (waiting.answered) return;
    switch (verdict.kind) {
      case 'entry': {
        const { entry, revision } = verdict;
        return waiting.answer({ outcome: 'posted', repeated: false, entry, revision });
      }
      case 'repeat':
        return void this.#answerRepeat(waiting, verdict);
      case 'refused':
        return waiting.answer({ outcome: 'refused', code: verdict.code, balance: verdict.balance });
      case 'failed':
        return waiting.fail(verdict.error);
    }
  }

  async #answerRepeat(
    waiting: QueuedCommand,
    { entry, revision }: Extract<CommandVerdict, { kind: 'repeat' }>,
  ): Promise<void> {
    try {
      const first =
        entry ?? this.#newest.get(revision) ?? (await this.#readEntry(revision, waiting));
      answerRepeat(waiting, { entry: first, revision });
    } catch (error) {
      if (error instanceof ReadFailed) answerAll([waiting], { outcome: 'undecided', cause: error });
      else waiting.fail(error);
    }
  }

  #remember(entries: readonly Entry[], firstRevision: number): void {
    for (const [at, entry] of entries.entries()) this.#newest.set(firstRevision + at, entry);
    for (const revision of this.#newest.keys()) {
      if (this.#newest.size <= maxNewest) return;
      this.#newest.delete(revision);
    }
  }

  async #readEntry(revision: number, { deadline }: QueuedCommand): Promise<Entry> {
    const [event] = await readLedgerEvents(this.#sourceUntil(deadline), {
      fromRevision: revision,
      maxCount: 1,
    });
    if (!event) throw new Error(`${this.#stream} has no revision ${revision} any more`);
    return decodeEntry(event);
  }
}

function answerRepeat(waiting: QueuedCommand, first: PostedEntry): void {
  const { request } = waiting;
  if (waiting.answered) return;
  if (isSameRequest(first.entry, request))
    waiting.answer({ outcome: 'posted', repeated: true, ...first });
  else if (request.kind === 'adjustment')
    waiting.answer({ outcome: 'refused', code: 'adjustment_conflict' });
  else if (request.kind === 'resolution')
    waiting.answer({ outcome: 'refused', code: 'resolution_conflict' });
  else
    waiting.fail(
      new Error(`a second, different ${request.kind}: revision ${first.revision} is recorded`),
    );
}

/**
 * Whether entries of other processes may change a decision that appends nothing: the balance may
 * have changed, and a reservation may have ended. An append would meet a conflict with such
 * entries; these decisions would not notice them.
 */
function mayChange(verdict: CommandVerdict, request: PostRequest | undefined): boolean {
  switch (verdict.kind) {
    case 'failed':
      return true;
    case 'refused':
      return verdict.code === 'insufficient_funds';
    case 'repeat':
      return request?.kind === 'reserve';
    case 'entry':
    case 'unexplored':
      return false;
  }
}

function answerAll(batch: readonly QueuedCommand[], result: PostResult): undefined {
  for (const waiting of batch) if (!waiting.answered) waiting.answer(result);
}
