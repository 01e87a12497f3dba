import type { Consumer, ConsumerMessages, JsMsg } from 'nats';

const pullExpiresMs = 4_000;
/** How many messages wait here. */
const maxPulled = 500;

/** Messages that a consumer has pulled and that are not taken yet. */
export class PulledMessages {
  /** By sequence: a message that is redelivered while it waits here replaces the first copy. */
  readonly #waiting = new Map<number, JsMsg>();
  readonly #signal: AbortSignal;
  readonly #stop = () => void this.#messages?.close();
  #messages: ConsumerMessages | undefined;
  #closed: Promise<void | Error> | undefined;
  #wake = Promise.withResolvers<void>();
  #ended = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Pulls until `close`, until the signal, or until the stream or its consumer is deleted. */
  async open(consumer: Consumer): Promise<void> {
    this.#messages = await consumer.consume({
      max_messages: maxPulled,
      expires: pullExpiresMs,
      abort_on_missing_resource: true,
      callback: (message) => {
        this.#waiting.set(message.seq, message);
        this.#wake.resolve();
      },
    });
    this.#closed = this.#messages.closed().then((error) => {
      this.#ended = true;
      this.#wake.resolve();
      return error;
    });
    this.#signal.addEventListener('abort', this.#stop, { once: true });
  }

  take(atMost: number): JsMsg[] {
    const batch = [...this.#waiting.values()].slice(0, atMost);
    for (const { seq } of batch) this.#waiting.delete(seq);
    return batch;
  }

  /** Waits until there are messages, or until the end. */
  async more(): Promise<void> {
    await this.#wake.promise;
    this.#wake = Promise.withResolvers();
  }

  /** It has ended, and all messages are taken. */
  isOver(): boolean {
    return this.#ended && this.#waiting.size === 0;
  }

  /** Returns the error that ended it, if any. */
  async close(): Promise<Error | undefined> {
    this.#signal.removeEventListener('abort', this.#stop);
    await this.#messages?.close();
    return (await this.#closed) ?? undefined;
  }
}
