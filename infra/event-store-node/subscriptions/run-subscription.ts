import { randomUUID } from 'node:crypto';
import type { GrpcCall } from '../protocol/grpc-call.ts';
import { GRPC } from '../protocol/grpc-status.ts';
import type { GrpcStatus } from '../protocol/grpc-status.ts';
import { caughtUpFrame, confirmationFrame } from '../protocol/read-responses.ts';
import { whenReady } from '../protocol/paced-sending.ts';
import type { StreamEvent } from '../storage/log-writer.ts';
import type { LiveListener } from './paced-listener.ts';

export type CatchUpStep = {
  readonly frames: readonly Buffer[];
  readonly state:
    | 'more'
    /** Nothing is left to read: the next events are live. */
    | 'caught_up'
    /**
     * The stream doesn't exist yet: live from now on, but "caught up" is sent only after its first
     * event.
     */
    | 'absent';
  readonly end?: GrpcStatus;
};

type LiveStep = { readonly frames: readonly Buffer[]; readonly end?: GrpcStatus };

/** The source of a subscription. Reading and listening each continue where the other stopped. */
export type SubscriptionSource = {
  readonly catchUp: () => CatchUpStep;
  readonly live: (events: readonly StreamEvent[]) => LiveStep;
  readonly listen: (listener: LiveListener) => () => void;
};

/**
 * A live subscriber that has not taken this many bytes goes back to reading from the log, at its
 * own pace.
 */
const MAX_LIVE_BYTES = 1024 * 1024;

/** How 23.10 ends a live subscription that is too far behind: the client must subscribe again. */
const CONSUMER_TOO_SLOW: GrpcStatus = {
  code: GRPC.aborted,
  message:
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
};

/**
 * Runs a subscription until the client leaves or the source ends it, or until it is further behind
 * than the limit, if there is one.
 */
export function runSubscription(
  call: GrpcCall,
  source: SubscriptionSource,
  maxEventsBehind = Number.POSITIVE_INFINITY,
): void {
  let announced = false;
  /** Messages since the client had last taken everything. */
  let behind = 0;
  let stopListening: (() => void) | undefined;

  function stop(): void {
    stopListening?.();
    stopListening = undefined;
  }

  function announce(): void {
    if (!announced) call.send(caughtUpFrame());
    announced = true;
  }

  function end(status: GrpcStatus): void {
    stop();
    call.end(status);
  }

  // The last read of the log and the start of listening happen in one turn, so nothing is written
  // in between.
  function catchUp(): void {
    if (call.isOver()) return;
    const step = source.catchUp();
    if (step.frames.length > 0) call.send(Buffer.concat(step.frames));
    if (step.end !== undefined) end(step.end);
    else if (step.state === 'more') whenReady(call, catchUp);
    else {
      if (step.state === 'caught_up') announce();
      stopListening = source.listen((events) => call.guard(() => deliver(events)));
    }
  }

  function deliver(events: readonly StreamEvent[]): void {
    if (call.isOver()) return;
    const step = source.live(events);
    if (call.bufferedBytes() === 0) behind = 0;
    const capacity = maxEventsBehind - behind;
    behind += step.frames.length;
    if (step.frames.length > 0 && capacity > 0) {
      call.send(
        Buffer.concat(behind > maxEventsBehind ? step.frames.slice(0, capacity) : step.frames),
      );
      announce();
    }
    if (behind > maxEventsBehind) end(CONSUMER_TOO_SLOW);
    else if (step.end !== undefined) end(step.end);
    else if (call.bufferedBytes() > MAX_LIVE_BYTES) {
      stop();
      call.onDrain(catchUp);
    }
  }

  call.onOver(stop);
  call.send(confirmationFrame(randomUUID()));
  catchUp();
}
