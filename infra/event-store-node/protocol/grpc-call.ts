import { constants } from 'node:http2';
import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { MalformedMessageError } from '#shared/platform/protobuf/reader.ts';
import { RefusedMessage, createFrameParser } from './framing.ts';
import { GRPC, HANDLER_THREW, STATUS_OK, encodeHeaderText } from './grpc-status.ts';
import type { GrpcStatus } from './grpc-status.ts';

/** One call of a client. Sending to a call that is over does nothing. */
export type GrpcCall = {
  /** Sends one or more framed messages. */
  readonly send: (frames: Buffer) => void;
  /** Calls back once, when the client has taken all that was sent; at once if nothing waits. */
  readonly onDrain: (callback: () => void) => void;
  /** Bytes that the client has not taken yet. */
  readonly bufferedBytes: () => number;
  /**
   * Runs later work of the call, outside of its messages: if it throws, the call ends, not the
   * process.
   */
  readonly guard: (action: () => void) => void;
  /** Ends the call; later ends are ignored. */
  readonly end: (status?: GrpcStatus) => void;
  readonly isOver: () => boolean;
  /** Called once, when the call has ended for any reason. */
  readonly onOver: (callback: () => void) => void;
  /** Pauses and resumes reading the client's messages. */
  readonly pause: () => void;
  readonly resume: () => void;
};

/** Handles the messages of a call. */
export type CallHandler = {
  readonly onMessage: (message: Buffer) => void;
  /** The client sends no more messages. */
  readonly onHalfClose: () => void;
};

export type GrpcMethod = (call: GrpcCall) => CallHandler;

/** Events of 16 MB can't be written, but a client may pack that much into one message. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

const RESPONSE_HEADERS: OutgoingHttpHeaders = {
  ':status': 200,
  'content-type': 'application/grpc',
  server: 'Kestrel',
};

/** Runs `method` on an HTTP/2 stream that asked for it. `onBug` gets unexpected errors. */
export function runCall(
  stream: ServerHttp2Stream,
  method: GrpcMethod,
  onBug: (error: unknown) => void,
): void {
  // A client that disconnects is no error: `close` follows, and cleans everything up.
  stream.on('error', () => undefined);
  const call = new StreamCall(stream, onBug);
  call.guard(() => {
    const handler = method(call);
    const parser = createFrameParser(MAX_MESSAGE_BYTES, (message) => {
      if (!call.hasEnded()) handler.onMessage(message);
    });
    stream.on('data', (chunk: Buffer) => {
      if (!call.hasEnded()) call.guard(() => parser.push(chunk));
    });
    stream.on('end', () => {
      if (!call.hasEnded()) call.guard(handler.onHalfClose);
    });
  });
}

class StreamCall implements GrpcCall {
  readonly #stream: ServerHttp2Stream;
  readonly #onBug: (error: unknown) => void;
  #ended = false;
  #status: GrpcStatus = STATUS_OK;

  constructor(stream: ServerHttp2Stream, onBug: (error: unknown) => void) {
    this.#stream = stream;
    this.#onBug = onBug;
  }

  send(frames: Buffer): void {
    if (this.isOver()) return;
    this.#respond();
    this.#stream.write(frames);
  }

  end(last: GrpcStatus = STATUS_OK): void {
    if (this.isOver()) return;
    const stream = this.#stream;
    this.#ended = true;
    this.#status = last;
    if (!stream.headersSent && last.code !== GRPC.ok) {
      const headers = { ...RESPONSE_HEADERS, 'content-length': 0, ...toTrailers(last) };
      stream.respond(headers, { endStream: true });
      stream.once('finish', () => discardBody(stream));
    } else {
      this.#respond();
      stream.end();
    }
    // The client's remaining data is not needed, but has to be read: otherwise its end is never
    // seen.
    stream.resume();
  }

  guard(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.end(statusOfError(error, this.#onBug));
    }
  }

  onDrain(callback: () => void): void {
    if (this.#stream.writableNeedDrain) this.#stream.once('drain', () => this.guard(callback));
    else setImmediate(() => this.guard(callback));
  }

  bufferedBytes(): number {
    return this.#stream.writableLength;
  }

  /** Whether the node has ended it; the client may have disconnected before that. */
  hasEnded(): boolean {
    return this.#ended;
  }

  isOver(): boolean {
    return this.#ended || this.#stream.destroyed;
  }

  onOver(callback: () => void): void {
    this.#stream.once('close', callback);
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  #respond(): void {
    const stream = this.#stream;
    if (stream.headersSent) return;
    stream.respond(RESPONSE_HEADERS, { waitForTrailers: true });
    stream.on('wantTrailers', () => {
      stream.sendTrailers(toTrailers(this.#status));
      discardBody(stream);
    });
  }
}

/** Answers a call of an unknown method. */
export function unimplemented(path: string): GrpcMethod {
  const message = `${path} is not implemented by the event store node.`;
  return (call) => {
    call.end({ code: GRPC.unimplemented, message });
    return { onMessage: () => undefined, onHalfClose: () => undefined };
  };
}

function toTrailers({ code, message, trailers }: GrpcStatus): Record<string, string> {
  const headers: Record<string, string> = { 'grpc-status': String(code) };
  if (message !== undefined) headers['grpc-message'] = encodeHeaderText(message);
  for (const [name, value] of Object.entries(trailers ?? {}))
    headers[name] = encodeHeaderText(value);
  return headers;
}

/** How a call ends whose handler threw: a bad message is the client's fault, the rest a bug. */
export function statusOfError(error: unknown, onBug: (error: unknown) => void): GrpcStatus {
  if (error instanceof RefusedMessage) return { code: error.code, message: error.message };
  if (error instanceof MalformedMessageError)
    return { code: GRPC.internal, message: error.message };
  onBug(error);
  return HANDLER_THREW;
}

/**
 * Closes a call whose client still sends. In the next turn, because a reset in this turn would
 * arrive before the status.
 */
function discardBody(stream: ServerHttp2Stream): void {
  setImmediate(() => {
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
  });
}
