import type { EventLog } from '../storage/event-log.ts';
import type { WriteQueue } from '../storage/write-queue.ts';
import type { StreamReader } from '../streams/stream-reader.ts';
import type { LiveEvents } from '../subscriptions/live-events.ts';

/** What the services share. */
export type NodeContext = {
  readonly log: EventLog;
  readonly reader: StreamReader;
  readonly live: LiveEvents;
  readonly writes: WriteQueue;
  /** The position after the newest record. */
  readonly logEnd: () => number;
  /** The address that gossip gives to clients. */
  readonly advertised: { readonly host: string; readonly port: number };
  readonly instanceId: Buffer;
  /** A live subscriber that is further behind, in events, is ended; undefined: never. */
  readonly maxEventsBehind: number | undefined;
};
