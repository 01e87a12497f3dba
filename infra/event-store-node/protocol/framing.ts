/** A gRPC message on the wire: one byte (compressed or not), its length in four, its bytes. */
export const FRAME_HEADER_BYTES = 5;

/** What a peer may not send, with gRPC's code. */
export class RefusedMessage extends Error {
  override readonly name = 'RefusedMessage';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Frames a message for sending. */
export function frame(message: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(FRAME_HEADER_BYTES + message.length);
  out[0] = 0;
  out.writeUInt32BE(message.length, 1);
  out.set(message, FRAME_HEADER_BYTES);
  return out;
}

type FrameParser = { readonly push: (chunk: Buffer) => void };

/**
 * Cuts a byte stream into messages, calling `onMessage` with each. `push` throws `RefusedMessage` on a
 * compressed message, because no compression was agreed on, and on one above `maxMessageBytes`,
 * before it buffers any of its bytes.
 */
export function createFrameParser(
  maxMessageBytes: number,
  onMessage: (message: Buffer) => void,
): FrameParser {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let wantedBytes = FRAME_HEADER_BYTES;

  return {
    push(chunk) {
      if (heldBytes > 0 && heldBytes + chunk.length < wantedBytes) {
        held.push(chunk);
        heldBytes += chunk.length;
        return;
      }
      let buffer = chunk;
      if (heldBytes > 0) {
        held.push(chunk);
        buffer = Buffer.concat(held, heldBytes + chunk.length);
        held = [];
        heldBytes = 0;
      }
      let at = 0;
      wantedBytes = FRAME_HEADER_BYTES;
      while (buffer.length - at >= FRAME_HEADER_BYTES) {
        const length = lengthOfFrame(buffer, at, maxMessageBytes);
        wantedBytes = FRAME_HEADER_BYTES + length;
        if (buffer.length - at < wantedBytes) break;
        onMessage(buffer.subarray(at + FRAME_HEADER_BYTES, at + wantedBytes));
        at += wantedBytes;
        wantedBytes = FRAME_HEADER_BYTES;
      }
      if (at < buffer.length) {
        held.push(at === 0 ? buffer : buffer.subarray(at));
        heldBytes = buffer.length - at;
      }
    },
  };
}

function lengthOfFrame(buffer: Buffer, at: number, maxMessageBytes: number): number {
  if (buffer[at] !== 0) throw new RefusedMessage(12, 'Compressed messages are not supported.');
  const length = buffer.readUInt32BE(at + 1);
  if (length > maxMessageBytes) {
    throw new RefusedMessage(
      8,
      `Received message exceeds the maximum configured message size of ${maxMessageBytes} bytes.`,
    );
  }
  return length;
}
