import { frame } from '../protocol/framing.ts';
import type { GrpcCall } from '../protocol/grpc-call.ts';

type Replies = {
  readonly send: (message: Buffer) => void;
  /** Ends the call after what was sent. */
  readonly end: () => void;
};

/**
 * Sends all answers of a commit to a connection in one write: a write for each answer would cost
 * more than the answer itself.
 */
export function createReplies(call: GrpcCall): Replies {
  let frames: Buffer[] = [];
  let ending = false;

  function flush(): void {
    const batch = frames;
    frames = [];
    if (batch.length > 0)
      call.send(batch.length === 1 ? (batch[0] as Buffer) : Buffer.concat(batch));
    if (ending) call.end();
  }

  return {
    send(message) {
      frames.push(frame(message));
      if (frames.length === 1) queueMicrotask(flush);
    },
    end() {
      ending = true;
      if (frames.length === 0) flush();
    },
  };
}
