import type { MessagePort } from 'node:worker_threads';
import type { CallHandler, GrpcCall, GrpcMethod } from '../protocol/grpc-call.ts';
import { statusOfError } from '../protocol/grpc-call.ts';
import { STATUS_OK } from '../protocol/grpc-status.ts';
import type { GrpcStatus } from '../protocol/grpc-status.ts';
import { PACKET, createPacketOutbox, decodeNumber, encodeNumber, readPackets } from './packets.ts';
import type { PacketOutbox } from './packets.ts';
import { createPausable } from './pausable.ts';

export type ServedPort = {
  /** Sends the packets that wait, and accepts no more calls. */
  readonly close: () => void;
};

/** Serves the node's methods to another thread of its process. `onBug` gets unexpected errors. */
export function servePort(
  port: MessagePort,
  methodFor: (path: string) => GrpcMethod,
  onBug: (error: unknown) => void,
): ServedPort {
  const outbox = createPacketOutbox(port);
  const calls = new Map<number, PortCall>();

  function open(id: number, path: string): void {
    const call = new PortCall({ id, outbox, onBug });
    calls.set(id, call);
    call.onOver(() => calls.delete(id));
    call.guard(() => call.begin(methodFor(path)));
  }

  port.on('message', (message: ArrayBuffer) => {
    readPackets(message, (id, kind, payload) => {
      if (kind === PACKET.open) open(id, payload.toString('utf8'));
      else if (kind === PACKET.data) calls.get(id)?.receive(payload);
      else if (kind === PACKET.end) calls.get(id)?.receive('end');
      else if (kind === PACKET.consumed) calls.get(id)?.consumed(decodeNumber(payload));
      else if (kind === PACKET.cancel) calls.get(id)?.cancel();
    });
  });
  port.on('close', () => {
    for (const call of calls.values()) call.cancel();
  });
  return {
    close: () => {
      outbox.flush();
      port.close();
    },
  };
}

type PortCallParts = {
  readonly id: number;
  readonly outbox: PacketOutbox;
  readonly onBug: (error: unknown) => void;
};

/** A call of another thread. */
class PortCall implements GrpcCall {
  readonly #parts: PortCallParts;
  readonly #whenOver: (() => void)[] = [];
  readonly #incoming = createPausable<Buffer | 'end'>((packet) => this.#handle(packet));
  #handler: CallHandler | undefined;
  #began = false;
  #over = false;
  #bufferedBytes = 0;
  #drained: (() => void) | undefined;

  constructor(parts: PortCallParts) {
    this.#parts = parts;
  }

  begin(method: GrpcMethod): void {
    this.#handler = method(this);
  }

  receive(packet: Buffer | 'end'): void {
    this.#incoming.receive(packet);
  }

  consumed(bytes: number): void {
    this.#bufferedBytes -= bytes;
    if (this.#bufferedBytes > 0 || this.#drained === undefined) return;
    const callback = this.#drained;
    this.#drained = undefined;
    this.guard(callback);
  }

  cancel(): void {
    if (!this.#over) this.#finish();
  }

  send(frames: Buffer): void {
    if (this.#over) return;
    const { id, outbox } = this.#parts;
    if (!this.#began) outbox.send(id, PACKET.began, encodeNumber(Date.now()));
    this.#began = true;
    outbox.send(id, PACKET.data, frames);
    this.#bufferedBytes += frames.length;
  }

  onDrain(callback: () => void): void {
    if (this.#bufferedBytes > 0) this.#drained = callback;
    else setImmediate(() => this.guard(callback));
  }

  bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  guard(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.end(statusOfError(error, this.#parts.onBug));
    }
  }

  end(status: GrpcStatus = STATUS_OK): void {
    if (this.#over) return;
    const { id, outbox } = this.#parts;
    outbox.send(id, PACKET.end, Buffer.from(JSON.stringify(status)));
    this.#finish();
  }

  isOver(): boolean {
    return this.#over;
  }

  onOver(callback: () => void): void {
    this.#whenOver.push(callback);
  }

  pause(): void {
    this.#incoming.pause();
  }

  resume(): void {
    this.#incoming.resume();
  }

  #handle(packet: Buffer | 'end'): void {
    if (this.#over) return;
    this.guard(() => {
      if (packet === 'end') this.#handler?.onHalfClose();
      else this.#handler?.onMessage(packet);
    });
  }

  #finish(): void {
    this.#over = true;
    this.#incoming.clear();
    this.#drained = undefined;
    for (const callback of this.#whenOver) callback();
  }
}
