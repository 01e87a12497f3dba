import { sql, type Kysely } from 'kysely';
import { hostname } from 'node:os';
import type { ProjectionTarget } from './checkpoint.ts';

const workerStates = [
  'starting',
  'standby',
  'catching_up',
  'live',
  'rebuilding',
  'stopped',
] as const;
type WorkerState = (typeof workerStates)[number];

/** What metrics show: `disconnected` is a worker that does not reach its stores. */
export const shownStates = [...workerStates, 'disconnected'] as const;

export type WorkerFailure = {
  event_id: string | undefined;
  stream: string | undefined;
  revision: number | undefined;
  reason: string;
};

/** How long stores may be down before the worker counts as not ready. */
const troubleAllowedMs = 10_000;

/** A worker's state: in memory for probes and metrics, and in projections.status for others. */
export class WorkerStatus {
  readonly name: string;
  readonly streamPrefixes: readonly string[];
  state: WorkerState = 'starting';
  position: bigint | undefined;
  failure: WorkerFailure | undefined;
  events = 0;
  batches = 0;
  conflicts = 0;
  #troubleSince: number | undefined;
  /** When the database last answered. A frozen one fails no query for half a minute. */
  #heardAt = Number.NEGATIVE_INFINITY;
  readonly #target: ProjectionTarget;

  constructor(target: ProjectionTarget) {
    this.name = target.model.name;
    this.streamPrefixes = target.model.streamPrefixes;
    this.#target = target;
  }

  move(state: WorkerState, position: bigint | undefined): void {
    const wasStopped = this.state === 'stopped';
    // Reading the log again is no progress: the next event is the one that stopped it.
    if (wasStopped && state === 'catching_up' && position === this.position) return;
    this.position = position;
    this.state = state;
    this.heard();
    if (state === 'catching_up' && !wasStopped) return;
    this.#troubleSince = undefined;
    this.failure = undefined;
  }

  applied(position: bigint, events: number): void {
    this.position = position;
    this.events += events;
    this.batches += 1;
    this.heard();
    if (events === 0) return;
    this.#troubleSince = undefined;
    this.failure = undefined;
    if (this.state === 'stopped') this.state = 'catching_up';
  }

  /** @returns false if it failed in the same way before */
  fail(failure: WorkerFailure): boolean {
    const isNew =
      this.failure?.event_id !== failure.event_id || this.failure?.reason !== failure.reason;
    this.state = 'stopped';
    this.failure = failure;
    return isNew;
  }

  trouble(): void {
    this.#troubleSince ??= performance.now();
  }

  heard(): void {
    this.#heardAt = performance.now();
  }

  get shownState(): (typeof shownStates)[number] {
    return this.#isDisconnected() ? 'disconnected' : this.state;
  }

  #isDisconnected(): boolean {
    const sinceHeard = performance.now() - this.#heardAt;
    const isSilent = ['live', 'catching_up'].includes(this.state) && sinceHeard > troubleAllowedMs;
    const since = this.#troubleSince;
    const inTrouble = since !== undefined && performance.now() - since > troubleAllowedMs;
    return this.state !== 'stopped' && (isSilent || inTrouble);
  }

  /** Why it is not ready, in words that are safe to show to anyone; undefined if it is. */
  notReady(): string | undefined {
    if (this.state === 'stopped')
      return `projection ${this.name} is stopped, see projections.status`;
    if (this.state === 'starting' || this.state === 'rebuilding')
      return `projection ${this.name} is ${this.state}`;
    return this.#isDisconnected()
      ? `projection ${this.name} has lost its database or the event store`
      : undefined;
  }

  async write<DB>(db: Kysely<DB>, as?: 'not_running'): Promise<void> {
    if (this.state === 'standby' || this.state === 'starting') return;
    const { model, schema } = this.#target;
    const failure = this.failure;
    // The reason for a stop still applies when its process has ended.
    const state = this.state === 'stopped' ? this.state : (as ?? this.state);
    // A rebuild that has moved the checkpoint since has ended the stop. The position is unknown if
    // the worker's own rebuild failed.
    const ifStillThere =
      this.state === 'stopped' && this.position !== undefined
        ? sql`and position = ${this.position.toString()}`
        : sql``;
    await sql`
      update projections.status set
        state = ${state},
        failed_event_id = ${failure?.event_id ?? null},
        failed_stream = ${failure?.stream ?? null},
        failed_revision = ${failure?.revision ?? null},
        failed_reason = ${failure?.reason ?? null},
        worker = ${`${hostname()}:${process.pid}`},
        heartbeat_at = now()
      where schema = ${schema} and name = ${model.name} ${ifStillThere}`.execute(db);
  }
}
