import { createChain, portableRecord } from '#shared/application/log/chain.ts';
import { createdMs, type RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { logStream } from '#shared/domain/log/events.ts';
import { isPermanent } from '#shared/domain/log/retention.ts';
import { canHoldTime } from '#shared/platform/event-store/reading/recorded-before.ts';
import { CopyCursor } from './cursor.ts';
import { isFiller } from '#shared/application/log/filler.ts';
import { isTombstone, type CopyLogs } from './logs.ts';

/** The target differs from the source: nothing is copied to it. */
export class NotACopy extends Error {}

/** The gateway runs on the target already, or may run on it. */
export class AlreadyMoved extends NotACopy {}

export type Digest = { events: number; source: string; target: string };

/**
 * Compares the target with the source, event by event and in their order, as far as the target
 * goes. The target alone shows how far that is.
 */
export class LogComparison {
  readonly #logs: CopyLogs;
  readonly #source: CopyCursor;
  readonly #target: CopyCursor;
  /** Of each side, what was read of it. */
  readonly #chains = { source: createChain(), target: createChain() };
  #events = 0;
  #positionsDiffer = false;

  constructor(logs: CopyLogs) {
    this.#logs = logs;
    this.#source = new CopyCursor(logs.source.raw);
    this.#target = new CopyCursor(logs.target.raw);
  }

  /** Events that both have. */
  get events(): number {
    return this.#events;
  }

  /** The events of the source after this position are not in the target. */
  get passed(): number {
    return this.#source.passed;
  }

  /** Whether an event has another position in the target. */
  get positionsDiffer(): boolean {
    return this.#positionsDiffer;
  }

  digest(): Digest {
    const { source, target } = this.#chains;
    return { events: source.events(), source: source.hash(), target: target.hash() };
  }

  /** Compares up to the end of the target. @throws NotACopy */
  async toEnd(onEvents: () => void = () => undefined): Promise<void> {
    const [source, target] = [this.#source, this.#target];
    while (target.current !== undefined || (await target.more())) {
      if (source.current === undefined) await source.more();
      const copy = target.current as RawEvent;
      const original = source.current;
      if (original !== undefined && this.#isSame(original, copy)) this.#takeBoth(original, copy);
      else await this.#skip(original, copy);
      if (this.#events % 1_000 === 0) onEvents();
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#source.close(), this.#target.close()]);
  }

  #takeBoth(original: RawEvent, copy: RawEvent): void {
    if (isPermanent(original.stream)) {
      this.#chains.source.add(portableRecord(original));
      this.#chains.target.add(portableRecord(copy));
    }
    // A tombstone is the store's own, and no row is made from it.
    this.#positionsDiffer ||= original.position !== copy.position && !isTombstone(original);
    this.#events += 1;
    this.#source.advance();
    this.#target.advance();
  }

  /** Events that one side may lack: of destroyed keys, and fillers of gaps. */
  async #skip(original: RawEvent | undefined, copy: RawEvent): Promise<void> {
    if (isFiller(copy)) return this.#target.advance();
    const isDestroyed = ({ stream }: RawEvent) => this.#logs.source.isDeleted(stream);
    if (original !== undefined && !isTombstone(original) && (await isDestroyed(original)))
      return this.#source.advance();
    if (!isTombstone(copy) && (await isDestroyed(copy))) return this.#target.advance();
    if (original === undefined && copy.stream === logStream && copy.type === 'LogMoved')
      throw new AlreadyMoved('The log was moved to this target already.');
    throw new NotACopy(
      `The target holds ${describeEvent(copy)} where the log that is copied has ` +
        `${original === undefined ? 'no event' : describeEvent(original)}: name an empty store.`,
    );
  }

  #isSame(original: RawEvent, copy: RawEvent): boolean {
    if (original.stream !== copy.stream || original.type !== copy.type) return false;
    // The store makes a tombstone itself.
    if (isTombstone(original)) return true;
    const keepsTime = this.#logs.target.asRecorded || canHoldTime(original);
    return (
      original.revision === copy.revision &&
      original.id === copy.id &&
      original.contentType === copy.contentType &&
      (!keepsTime || createdMs(original) === createdMs(copy)) &&
      original.data.equals(copy.data) &&
      original.metadata.equals(copy.metadata)
    );
  }
}

const describeEvent = ({ stream, revision, type }: RawEvent): string =>
  isFinite(revision) && revision < Number.MAX_SAFE_INTEGER
    ? `${type} (${stream}, revision ${revision})`
    : `the deletion of ${stream}`;
