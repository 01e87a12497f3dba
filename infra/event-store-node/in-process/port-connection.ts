import shared from '@eventstore/db-client/generated/shared_pb.js';
import services from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { Metadata } from '@grpc/grpc-js';
import { EventEmitter } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { decodeReply } from '#shared/platform/event-store/batch-append/decode.ts';
import type { StoreConnection } from '#shared/platform/event-store/connection.ts';
import { decodeAnswer } from '#shared/platform/event-store/reading/decode.ts';
import { encodeRead } from '#shared/platform/event-store/reading/encode.ts';
import { asClientError, StoreUnavailable } from '#shared/platform/event-store/store-unavailable.ts';
import { createFrameParser } from '../protocol/framing.ts';
import { GRPC, encodeHeaderText } from '../protocol/grpc-status.ts';
import type { GrpcStatus } from '../protocol/grpc-status.ts';
import { PACKET, createPacketOutbox, decodeNumber, encodeNumber, readPackets } from './packets.ts';
import type { PacketOutbox } from './packets.ts';
import { createPausable } from './pausable.ts';

const paths = services.StreamsService;

const NODE_ENDED: GrpcStatus = {
  code: GRPC.unavailable,
  message: 'The event store node has ended.',
};

/** A connection to the event store node of another thread of this process. */
export function connectPort(port: MessagePort): StoreConnection {
  const outbox = createPacketOutbox(port);
  const calls = new Map<number, ClientCall<unknown>>();
  let calledBefore = 0;
  let hasEnded = false;

  function call<Message>(path: string, decode: (message: Buffer) => Message): ClientCall<Message> {
    const id = (calledBefore = nextId(calledBefore, calls));
    const opened = new ClientCall({ id, outbox, decode, onOver: () => calls.delete(id) });
    calls.set(id, opened);
    outbox.send(id, PACKET.open, Buffer.from(path));
    if (hasEnded) setImmediate(() => opened.receive(NODE_ENDED));
    return opened;
  }
  function request<Message>(path: string, message: Uint8Array, decode: (bytes: Buffer) => Message) {
    const requested = call(path, decode);
    requested.write(message);
    requested.end();
    return requested;
  }

  port.on('message', (message: ArrayBuffer) => {
    readPackets(message, (id, kind, payload) => {
      if (kind === PACKET.data) calls.get(id)?.receive(payload);
      else if (kind === PACKET.end)
        calls.get(id)?.receive(JSON.parse(payload.toString('utf8')) as GrpcStatus);
      else if (kind === PACKET.began) calls.get(id)?.began(decodeNumber(payload));
    });
  });
  port.on('close', () => {
    hasEnded = true;
    for (const open of calls.values()) open.receive(NODE_ENDED);
  });

  return {
    read: async (question) => request(paths.read.path, encodeRead(question), decodeAnswer),
    appendCalls: (begin) => {
      let current: ClientCall<ReturnType<typeof decodeReply>> | undefined;
      return async () => {
        if (current && !current.isOver()) return current;
        current = call(paths.batchAppend.path, decodeReply);
        begin(current);
        return current;
      };
    },
    tombstone: (stream, deadlineMs) => {
      const deletion = request(paths.tombstone.path, encodeTombstone(stream), (bytes) => bytes);
      return inTime(deletion, deadlineMs);
    },
    close: async () => {
      outbox.flush();
      port.close();
    },
  };
}

/** Numbers have 32 bits, and calls may last as long as the process. */
function nextId(before: number, open: ReadonlyMap<number, unknown>): number {
  let id = before;
  do id = (id + 1) >>> 0;
  while (open.has(id));
  return id;
}

function encodeTombstone(stream: string): Uint8Array {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(new Uint8Array(Buffer.from(stream)));
  const options = new streams.TombstoneReq.Options();
  options.setStreamIdentifier(identifier);
  options.setAny(new shared.Empty());
  const message = new streams.TombstoneReq();
  message.setOptions(options);
  return message.serializeBinary();
}

/** The one answer of a call. @throws the client's error for a refusal, or that there was none */
async function inTime<Answer>(call: ClientCall<Answer>, deadlineMs: number): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const timer = setTimeout(() => {
    reject(new StoreUnavailable(`no answer from the event store within ${deadlineMs} ms`));
    call.cancel();
  }, deadlineMs);
  call.on('data', resolve);
  call.on('error', (error) => reject(asClientError(error)));
  return promise.finally(() => clearTimeout(timer));
}

type ClientCallParts<Message> = {
  readonly id: number;
  readonly outbox: PacketOutbox;
  readonly decode: (message: Buffer) => Message;
  readonly onOver: () => void;
};

/** No message of the node is larger: events have at most 16 MB. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

type Events<Message> = { data: [Message]; error: [Error]; end: []; metadata: [Metadata] };

/** The client's side of a call, with the events of a gRPC client's call. */
class ClientCall<Message> extends EventEmitter<Events<Message>> {
  readonly #parts: ClientCallParts<Message>;
  readonly #parser: ReturnType<typeof createFrameParser>;
  readonly #incoming = createPausable<Buffer | GrpcStatus>((packet) => this.#handle(packet));
  #over = false;

  constructor(parts: ClientCallParts<Message>) {
    super();
    this.#parts = parts;
    this.#parser = createFrameParser(MAX_MESSAGE_BYTES, (message) => {
      if (!this.#over) this.emit('data', parts.decode(message));
    });
  }

  write(message: Uint8Array): void {
    if (!this.#over) this.#parts.outbox.send(this.#parts.id, PACKET.data, message);
  }

  end(): void {
    if (!this.#over) this.#parts.outbox.send(this.#parts.id, PACKET.end);
  }

  cancel(): void {
    if (this.#over) return;
    this.#parts.outbox.send(this.#parts.id, PACKET.cancel);
    this.#finish();
  }

  isOver(): boolean {
    return this.#over;
  }

  isPaused(): boolean {
    return this.#incoming.isPaused();
  }

  pause(): void {
    this.#incoming.pause();
  }

  resume(): void {
    this.#incoming.resume();
  }

  began(atMs: number): void {
    const headers = new Metadata();
    headers.set('date', new Date(atMs).toUTCString());
    this.emit('metadata', headers);
  }

  receive(packet: Buffer | GrpcStatus): void {
    this.#incoming.receive(packet);
  }

  #handle(packet: Buffer | GrpcStatus): void {
    if (this.#over) return;
    if (!Buffer.isBuffer(packet)) return this.#ended(packet);
    try {
      this.#parser.push(packet);
    } catch (error) {
      this.cancel();
      const { message } = error as Error;
      this.#fail({ code: GRPC.internal, message });
      return;
    }
    // Beyond its limit the node stops sending until this is acknowledged.
    this.#parts.outbox.send(this.#parts.id, PACKET.consumed, encodeNumber(packet.length));
  }

  #ended(status: GrpcStatus): void {
    this.#finish();
    if (status.code === GRPC.ok) this.emit('end');
    else this.#fail(status);
  }

  #fail({ code, message = '', trailers = {} }: GrpcStatus): void {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(trailers))
      metadata.set(name, encodeHeaderText(value));
    this.emit('error', Object.assign(new Error(message), { code, details: message, metadata }));
  }

  #finish(): void {
    this.#over = true;
    this.#incoming.clear();
    this.#parts.onOver();
  }
}
