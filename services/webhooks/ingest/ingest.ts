import { backoffMs } from '#shared/platform/backoff.ts';
import type { Kysely } from 'kysely';
import type { JsMsg, NatsConnection } from 'nats';
import { setTimeout as delay } from 'node:timers/promises';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import type { LogKey } from '#shared/platform/event-store/signature.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { spanNow } from '#shared/platform/tracing/span.ts';
import { isTracing, recordSpan } from '#shared/platform/tracing/tracing.ts';
import {
  ackWaitMs,
  decodePointer,
  ensureBus,
  maxBacklog,
  type BusNames,
  type EventPointer,
} from '../bus.ts';
import type { Component } from '../component.ts';
import type { Handover } from '../handover.ts';
import { createBuildMessages, type BuildMessages, type BuildOptions } from './build-messages.ts';
import type { NewMessage } from '../message.ts';
import { PulledMessages } from './pulled-messages.ts';
import { recordMessages } from './record.ts';

type IngestOptions = BuildOptions & {
  db: Kysely<WebhooksDatabase>;
  nats: NatsConnection;
  names: BusNames;
  logger: Logger;
  macKey?: LogKey | undefined;
  /** If a dispatcher may run in the same process. */
  handover?: Handover;
  onRecorded?: (messages: number) => void;
  /** The longest delay of a pointer that was deferred repeatedly; 30 s by default. */
  longestRetryMs?: number | undefined;
};

/** A message of the stream with its pointer; undefined if it has none. */
type PulledPointer = { message: JsMsg; pointer: EventPointer | undefined };
type Acknowledge = () => void;

/** Pointers in one transaction. */
const maxBatch = 200;
const retryPauseMs = 500;
const defaultLongestRetryMs = 30_000;
const staleAfterMs = 5_000;

/**
 * Consumes pointers from the stream and records their webhooks. A pointer is acknowledged only
 * after its messages are committed; a repeated pointer changes nothing.
 */
export class Ingest implements Component {
  readonly name = 'ingest';
  readonly #options: IngestOptions;
  readonly #build: BuildMessages;
  /** How often each waiting pointer was deferred, by its sequence number in the stream. */
  readonly #deferrals = new Map<number, number>();
  #lastActivityAt = Number.NEGATIVE_INFINITY;
  #failing = false;

  constructor(options: IngestOptions) {
    this.#options = options;
    this.#build = createBuildMessages(options);
  }

  notReady(): string | undefined {
    const stale = performance.now() - this.#lastActivityAt > staleAfterMs;
    return this.#failing || stale ? 'the ingest can’t reach its stores' : undefined;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#consume(signal).catch((error: unknown) => {
        if (!signal.aborted)
          this.#options.logger.warn({ err: error }, 'the ingest failed, and begins again');
      });
      await delay(retryPauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Runs until the signal, or until the stream or its consumer is deleted. */
  async #consume(signal: AbortSignal): Promise<void> {
    const { nats, names } = this.#options;
    await ensureBus(await nats.jetstreamManager(), names);
    const consumer = await nats.jetstream().consumers.get(names.stream, names.consumer);
    this.#deferrals.clear();
    const pulled = new PulledMessages(signal);
    await pulled.open(consumer);
    // The server sends heartbeats with every pull; a deleted stream ends the loop.
    const alive = setInterval(() => {
      if (nats.isClosed()) return;
      void consumer.info().then(
        () => this.#noteActivity(),
        () => undefined,
      );
    }, staleAfterMs / 2.5);
    this.#noteActivity();
    let end: Error | undefined;
    try {
      await this.#recordAll(pulled, signal);
    } finally {
      clearInterval(alive);
      end = await pulled.close();
    }
    if (end && !signal.aborted) throw end;
  }

  async #recordAll(pulled: PulledMessages, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !pulled.isOver()) {
      const batch = pulled.take(maxBatch);
      if (batch.length > 0) (await this.#recordUntilDone(batch, signal))?.();
      else await pulled.more();
    }
  }

  /**
   * Retries until the batch is recorded or the signal aborts it. Meanwhile the server is notified
   * that the messages are in progress, so that it does not redeliver them.
   */
  async #recordUntilDone(
    batch: readonly JsMsg[],
    signal: AbortSignal,
  ): Promise<Acknowledge | undefined> {
    const holding = setInterval(() => {
      for (const message of batch) message.working();
    }, ackWaitMs / 2);
    try {
      while (!signal.aborted) {
        try {
          const acknowledge = await this.#record(batch);
          this.#failing = false;
          this.#noteActivity();
          return acknowledge;
        } catch (error) {
          this.#failing = true;
          this.#options.logger.warn({ err: error }, 'webhooks could not be recorded, trying again');
          await delay(retryPauseMs, undefined, { signal }).catch(() => undefined);
        }
      }
      return undefined;
    } finally {
      clearInterval(holding);
    }
  }

  /** Records the expected webhooks of a batch; returns how its pointers are to be acknowledged. */
  async #record(batch: readonly JsMsg[]): Promise<Acknowledge> {
    const { db, handover, macKey, onRecorded } = this.#options;
    const pulled = batch.map((message) => ({ message, pointer: decodePointer(message.data) }));
    const { messages, retryMsByStream } = await this.#build(
      pulled.flatMap(({ pointer }) => pointer ?? []),
    );
    const beganMs = spanNow();
    const lease = await handover?.take(messages);
    const recorded = await recordMessages(db, messages, { lease, macKey });
    if (lease) handover?.send(messages, lease, recorded);
    traceRecorded(messages, {
      beganMs,
      named: new Set(pulled.map(({ pointer }) => pointer?.eventId)),
    });
    onRecorded?.(recorded.size);
    return () => {
      for (const each of pulled) this.#acknowledge(each, retryMsByStream);
    };
  }

  #acknowledge(
    { message, pointer }: PulledPointer,
    retryMsByStream: ReadonlyMap<string, number>,
  ): void {
    const firstMs = pointer && retryMsByStream.get(pointer.stream);
    if (firstMs !== undefined) {
      // Not the message's delivery count, which also grows with every redelivery in an outage.
      const before = this.#deferrals.get(message.seq) ?? 0;
      // Pointers that another process has recorded would stay here for ever.
      if (this.#deferrals.size >= maxBacklog) this.#deferrals.clear();
      this.#deferrals.set(message.seq, before + 1);
      const { longestRetryMs = defaultLongestRetryMs } = this.#options;
      message.nak(backoffMs(before, { firstMs, longestMs: longestRetryMs }));
      return;
    }
    this.#deferrals.delete(message.seq);
    const { logger } = this.#options;
    if (!pointer)
      logger.error({ sequence: message.seq }, 'a message of the stream is not a pointer');
    // The messages are recorded: a lost acknowledgement only repeats the pointer.
    message.ack();
  }

  #noteActivity(): void {
    this.#lastActivityAt = performance.now();
  }
}

/**
 * One transaction records for many traces: each gets a span of it, for the messages that were
 * pointed at.
 */
function traceRecorded(
  messages: readonly NewMessage[],
  { beganMs, named }: { beganMs: number; named: ReadonlySet<string | undefined> },
): void {
  if (!isTracing()) return;
  for (const { messageId, operationId, traceparent } of messages) {
    if (!named.has(messageId)) continue;
    const attributes = {
      'gateway.message_id': messageId,
      'gateway.operation_id': operationId ?? '',
    };
    recordSpan({ name: 'webhook record', kind: 'consumer', traceparent, attributes }, beganMs);
  }
}
