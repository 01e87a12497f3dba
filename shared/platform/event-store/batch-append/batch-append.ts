import { randomUUID } from 'node:crypto';
import { StoreUnavailable } from '../store-unavailable.ts';
import type { AppendCall, AppendCalls } from './call.ts';
import { createNumbered, type NumberedItems } from './numbered.ts';

type Place = { revision: number; position: bigint };
type PendingAppend = {
  since: number;
  bytes: number;
  resolve(place: Place): void;
  reject(error: unknown): void;
};
type Call = {
  wire: AppendCall;
  waiting: NumberedItems<PendingAppend>;
  /**
   * The first four groups of this call's correlation ids; the fifth is the number of the append.
   */
  idPrefix: string;
  /** Bytes of all pending appends, which stay in memory until they are acknowledged. */
  waitingBytes: number;
  ended: { error: unknown } | undefined;
};

/** Much longer than the 2 s after which the store gives up a write, so no reply can follow. */
const forgottenAfterMs = 30_000;
/** The limit of one connection; the largest append has about 1 MiB. */
const maxWaitingBytes = 64 * 1024 * 1024;

/**
 * Appends with a codec of the gateway's own. Each call has its own pending appends: if it breaks,
 * only those are rejected, and a late reply is dropped. Callers must wait for a reply with a
 * deadline, and must not treat a missing reply as an outcome.
 */
export function createBatchAppend<Request>(
  appendCalls: AppendCalls,
  encode: (correlationId: string, request: Request) => Buffer,
): (request: Request) => Promise<Place> {
  const calls = new WeakMap<AppendCall, Call>();
  const open = appendCalls((wire) => calls.set(wire, beginCall(wire)));
  return async (request) => {
    const call = calls.get(await open());
    if (!call) throw new Error('the open call was not registered');
    if (call.ended) throw call.ended.error;
    forget(call);
    const { promise, resolve, reject } = Promise.withResolvers<Place>();
    const bytes = encode(toCorrelationId(call, call.waiting.next), request);
    if (call.waitingBytes + bytes.length > maxWaitingBytes)
      throw new Error('too many appends are waiting for the event store');
    call.waiting.add({ since: performance.now(), bytes: bytes.length, resolve, reject });
    call.waitingBytes += bytes.length;
    call.wire.write(bytes);
    return promise;
  };
}

/** Drops appends whose callers stopped waiting long ago. */
function forget(call: Call): void {
  const before = performance.now() - forgottenAfterMs;
  while ((call.waiting.oldest()?.since ?? Infinity) <= before)
    noLongerWaiting(call, call.waiting.takeOldest())?.reject(
      new StoreUnavailable('the event store never replied'),
    );
}

/** Deducts the bytes of an append that no longer waits. */
function noLongerWaiting(call: Call, append: PendingAppend | undefined): PendingAppend | undefined {
  call.waitingBytes -= append?.bytes ?? 0;
  return append;
}

const prefixLength = 24;

/** A UUID: the call's own first four groups, and the append's number in the fifth. */
function toCorrelationId({ idPrefix }: Call, number: number): string {
  return idPrefix + number.toString(16).padStart(12, '0');
}

function parseCorrelationId({ idPrefix }: Call, correlationId: string): number {
  return correlationId.startsWith(idPrefix)
    ? Number.parseInt(correlationId.slice(prefixLength), 16)
    : NaN;
}

function beginCall(wire: AppendCall): Call {
  const call: Call = {
    wire,
    waiting: createNumbered(),
    waitingBytes: 0,
    idPrefix: randomUUID().slice(0, prefixLength),
    ended: undefined,
  };
  const end = (error: unknown) => {
    call.ended ??= { error };
    while (call.waiting.oldest()) noLongerWaiting(call, call.waiting.takeOldest())?.reject(error);
  };
  wire.on('data', (reply) => {
    const append = noLongerWaiting(
      call,
      call.waiting.take(parseCorrelationId(call, reply.correlationId)),
    );
    if ('error' in reply) append?.reject(reply.error);
    else append?.resolve(reply);
  });
  wire.on('error', end);
  wire.on('end', () => {
    end(new StoreUnavailable('the event store ended the call'));
    // The client opens a new call only after this one has ended in both directions.
    wire.end();
  });
  return call;
}
