import type { GrpcCall } from './grpc-call.ts';
import type { GrpcStatus } from './grpc-status.ts';

/** If a client has not taken this many bytes, nothing more is read for it until it has. */
const MAX_BUFFERED_BYTES = 64 * 1024;

/** The result of one step of a read. */
export type ReadStep = {
  readonly frames: readonly Buffer[];
  /** `undefined`: there are more steps. */
  readonly end?: 'end' | GrpcStatus | undefined;
};

/**
 * Runs steps until one ends the call, no faster than the client reads. Other work runs between the
 * steps.
 */
export function sendSteps(call: GrpcCall, next: () => ReadStep): void {
  const run = (): void => {
    if (call.isOver()) return;
    const { frames, end } = next();
    if (frames.length > 0) call.send(Buffer.concat(frames));
    if (end === undefined) whenReady(call, run);
    else call.end(end === 'end' ? undefined : end);
  };
  run();
}

/**
 * Calls back, guarded, when the client has taken enough of the sent bytes, and never before the
 * next turn.
 */
export function whenReady(call: GrpcCall, callback: () => void): void {
  if (call.bufferedBytes() > MAX_BUFFERED_BYTES) call.onDrain(callback);
  else setImmediate(() => call.guard(callback));
}

const PAGE_BYTES = 64 * 1024;
const MIN_PAGE_EVENTS = 4;
const MAX_PAGE_EVENTS = 128;

/**
 * Chooses how many events to read at a time: about `PAGE_BYTES`, by the size of the page before.
 */
export function createPageSizer() {
  let limit = 32;
  return {
    limit: () => limit,
    adjust(frames: readonly Buffer[]): void {
      if (frames.length === 0) return;
      const bytes = frames.reduce((sum, frame) => sum + frame.length, 0);
      const fitting = Math.floor((PAGE_BYTES * frames.length) / bytes);
      limit = Math.max(MIN_PAGE_EVENTS, Math.min(MAX_PAGE_EVENTS, fitting));
    },
  };
}
