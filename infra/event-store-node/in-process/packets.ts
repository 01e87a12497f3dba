import type { MessagePort } from 'node:worker_threads';

/** Kinds of packets, each about one call; who sends them, and their payload. */
export const PACKET = {
  /** Client: begins a call; the path of its method, as text. */
  open: 0,
  /** Client: one message. Node: one or more framed messages. */
  data: 1,
  /** Client: no more messages follow. Node: the status, as JSON. */
  end: 2,
  /** Client: the call is of no use any more. */
  cancel: 3,
  /** Client: how many more bytes of the node's data it has consumed. */
  consumed: 4,
  /** Node: when it began to respond, in epoch milliseconds. */
  began: 5,
} as const;

type Kind = (typeof PACKET)[keyof typeof PACKET];

/** The number of the call, the kind, and the length of the payload. */
const HEADER_BYTES = 4 + 1 + 4;

export type PacketOutbox = {
  readonly send: (call: number, kind: Kind, payload?: Uint8Array) => void;
  readonly flush: () => void;
};

const NOTHING = new Uint8Array(0);

/**
 * Sends all packets of a turn of the event loop as one transferred buffer, because a message costs
 * both threads more than its bytes.
 */
export function createPacketOutbox(port: Pick<MessagePort, 'postMessage'>): PacketOutbox {
  let packets: { call: number; kind: Kind; payload: Uint8Array }[] = [];
  let bytes = 0;

  function flush(): void {
    if (packets.length === 0) return;
    const buffer = new ArrayBuffer(bytes);
    const out = Buffer.from(buffer);
    let at = 0;
    for (const { call, kind, payload } of packets) {
      out.writeUInt32LE(call, at);
      out[at + 4] = kind;
      out.writeUInt32LE(payload.length, at + 5);
      out.set(payload, at + HEADER_BYTES);
      at += HEADER_BYTES + payload.length;
    }
    packets = [];
    bytes = 0;
    port.postMessage(buffer, [buffer]);
  }

  return {
    send(call, kind, payload = NOTHING) {
      if (packets.length === 0) setImmediate(flush);
      packets.push({ call, kind, payload });
      bytes += HEADER_BYTES + payload.length;
    },
    flush,
  };
}

/** Calls `onPacket` with each packet of a message. */
export function readPackets(
  message: ArrayBuffer,
  onPacket: (call: number, kind: Kind, payload: Buffer) => void,
): void {
  const bytes = Buffer.from(message);
  let at = 0;
  while (at < bytes.length) {
    const end = at + HEADER_BYTES + bytes.readUInt32LE(at + 5);
    onPacket(bytes.readUInt32LE(at), bytes[at + 4] as Kind, bytes.subarray(at + HEADER_BYTES, end));
    at = end;
  }
}

export function encodeNumber(number: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeDoubleLE(number);
  return bytes;
}

export const decodeNumber = (bytes: Buffer): number => bytes.readDoubleLE();
