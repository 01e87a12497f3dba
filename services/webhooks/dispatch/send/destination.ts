import { LRUCache } from 'lru-cache';
import { refuseUrl } from '#shared/application/webhooks/refuse-url.ts';
import { DestinationRefused } from '../guard/guard.ts';

/** The destination of a webhook, or why it is refused. */
type Destination = { origin: string; path: string } | { refusal: string };

const maxCached = 10_000;

/**
 * Checks and parses URLs, each text only once. The addresses of a host name are checked with every
 * connection (`createGuard`).
 */
export function createDestinations(options: {
  allowPrivate: boolean;
}): (url: string) => Destination {
  const cache = new LRUCache<string, Destination>({ max: maxCached });
  return (text) => {
    const cached = cache.get(text);
    if (cached) return cached;
    const destination = judge(text, options);
    cache.set(text, destination);
    return destination;
  };
}

function judge(text: string, options: { allowPrivate: boolean }): Destination {
  const refusal = refuseUrl(text, options);
  if (refusal !== undefined) return { refusal: new DestinationRefused(refusal).message };
  const url = new URL(text);
  url.hash = '';
  // `search` is the same for an empty query and for none.
  return { origin: url.origin, path: url.href.slice(url.origin.length) };
}
