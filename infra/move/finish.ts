import { setTimeout as delay } from 'node:timers/promises';
import { toNewEvent } from '#shared/application/commands/new-events.ts';
import { decodeLogEvent, isClosedBy, logStream } from '#shared/domain/log/events.ts';
import { appendAtHead, type StoredEvent } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { beginsWithinMs } from '#shared/platform/event-store/log-gate.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { toStoredEvent } from '#shared/platform/event-store/reading/stored-event.ts';
import {
  commonName,
  isSignedBy,
  readCommonSignature,
  type LogKey,
} from '#shared/platform/event-store/signature.ts';
import { errorMessage } from '#shared/platform/error-message.ts';
import { NotACopy, type Digest } from './compare.ts';
import type { MoveLog, Logs } from './logs.ts';
import type { LogCopy } from './move.ts';

type Finish = {
  /** The hosts of the two stores. */
  from: string;
  to: string;
  signal: AbortSignal;
  /** Called when nothing can be appended to the source any more. */
  onClosed?: () => void;
};

/** How long a store that can't be closed may still write what it has begun. */
const writesWithinMs = 2_000;
const settleMs = 500;
/** The longest time with refused appends, after which the move is given up. */
const outageMs = 10_000;

/**
 * Closes the log, copies what is left, and opens the copy. If it fails before that, the log is
 * opened again. @returns for how long nothing could be appended
 */
export async function finish(
  { source, target }: Logs,
  copying: LogCopy,
  { from, to, signal, onClosed = () => undefined }: Finish,
): Promise<{ digest: Digest; closedMs: number }> {
  const startedAt = performance.now();
  let digest: Digest;
  try {
    await close(source, to);
    if (!source.closable) await delay(beginsWithinMs + writesWithinMs, undefined, { signal });
    onClosed();
    await copyRest(source, copying, signal);
    digest = copying.digest();
    if (digest.source !== digest.target) throw new NotACopy('The digests of the two sides differ.');
  } catch (error) {
    const isOpen = await reopen(source, 'the move failed').then(
      () => true,
      () => false,
    );
    if (isOpen) throw error;
    const reason = errorMessage(error);
    throw new Error(`${reason}. The log stays closed: run it again with --finish, or --reopen.`, {
      cause: error,
    });
  }
  const moved = { from, events: digest.events, digest: digest.source };
  await append(target, 'LogMoved', moved);
  return { digest, closedMs: performance.now() - startedAt };
}

/** Copies until nothing more comes. @throws when it was stopped */
async function copyRest(
  { closable }: MoveLog,
  copying: LogCopy,
  signal: AbortSignal,
): Promise<void> {
  let copiedBefore: number;
  do {
    copiedBefore = copying.events();
    await copying.copyRest(outageMs);
    if (!closable) await delay(settleMs, undefined, { signal });
  } while (!closable && copiedBefore !== copying.events());
  signal.throwIfAborted();
}

/**
 * @param keys also those that all services share, which go only by what is signed with these
 * @throws NotACopy where the log was closed for a move to another store, and may be there
 */
export async function refuseOtherMove(
  { raw }: Pick<MoveLog, 'raw'>,
  { to, keys = [] }: { to: string; keys?: readonly LogKey[] | undefined },
): Promise<void> {
  const common = keys.filter(({ service }) => service === commonName);
  const counts = (each: RawEvent) => common.length === 0 || isSignedByOne(common, each);
  const newest = (await raw.stream(logStream)).findLast(counts);
  const event = newest && decodeLogEvent(toStoredEvent(newest));
  if (event?.type === 'LogClosed' && event.data.to !== to)
    throw new NotACopy(`The log was closed for a move to ${event.data.to}, not to ${to}.`);
}

function isSignedByOne(keys: readonly LogKey[], event: RawEvent): boolean {
  const signature = readCommonSignature(event.metadata);
  const key = keys.find(({ id }) => id === signature?.keyId);
  return key !== undefined && signature !== undefined && isSignedBy(key, signature, event);
}

/** Even if it seems to be closed: services go only by a `LogClosed` that is signed. */
const close = (source: MoveLog, to: string): Promise<void> => append(source, 'LogClosed', { to });

/**
 * Also if somebody else has seemingly opened it: services go only by a `LogReopened` that is signed.
 * @returns whether it was ever closed. @throws when that is not known
 */
export async function reopen(source: MoveLog, reason: string): Promise<boolean> {
  const events = await source.store.read(logStream);
  if (!events.some(({ type }) => isClosedBy(type))) return false;
  await append(source, 'LogReopened', { reason });
  return true;
}

/** The newest event about the log's location. */
export async function readNewestLocation({ store }: MoveLog): Promise<StoredEvent | undefined> {
  return (await store.read(logStream, { direction: 'backwards', maxCount: 1 }))[0];
}

async function append({ store }: MoveLog, type: string, data: object): Promise<void> {
  const event = toNewEvent({ type, data }, { actor: 'service:move', correlationId: newId() });
  const appended = await appendAtHead(store, logStream, [event]);
  if (appended.outcome === 'undecided')
    throw new Error(`It is not known whether ${type} was written: run it again.`, {
      cause: appended.cause,
    });
}
