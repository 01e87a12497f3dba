import { randomInt } from 'node:crypto';
import type { StatusWatch } from './watch.ts';

/** Longer than a payment usually takes, so that abandoned connections end. */
const maxLifeMs = 15 * 60_000;
/** Proxies drop connections that are silent for a minute. */
const heartbeatMs = 25_000;
/** Never equal, so that all pages of a server that stopped do not come back at once. */
const reconnectAfterMs = { least: 2_000, most: 5_000 };

const encoder = new TextEncoder();

/**
 * Announces changes as server-sent events: `changed`, with the page's new version. Undefined if all
 * places are taken.
 */
export function changesStream(
  watch: StatusWatch,
  { operationId, ...visit }: { operationId: string; lastVersion: string; address: string },
): ReadableStream<Uint8Array<ArrayBuffer>> | undefined {
  let end: () => void = () => undefined;
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  const send = (text: string) => controller?.enqueue(encoder.encode(text));
  const remove = watch.add(operationId, {
    ...visit,
    changed: (version) => send(`event: changed\ndata: ${version}\n\n`),
    ended: () => end(),
  });
  if (!remove) return undefined;
  const heartbeat = setInterval(() => send(':\n\n'), heartbeatMs);
  const life = setTimeout(() => end(), maxLifeMs);
  const clean = () => {
    remove();
    clearInterval(heartbeat);
    clearTimeout(life);
    controller = undefined;
  };
  end = () => {
    const open = controller;
    clean();
    open?.close();
  };
  return new ReadableStream({
    start: (streamController) => {
      controller = streamController;
      send(`retry: ${randomInt(reconnectAfterMs.least, reconnectAfterMs.most)}\n\n`);
    },
    cancel: clean,
  });
}
