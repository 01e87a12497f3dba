import { createDropOldest } from '#shared/platform/drop-oldest.ts';
import { DestinationRefused, refuseUrl } from '../guard/guard.ts';

/** Where a webhook goes, or why it may not go there. */
export type Destination = { origin: string; path: string } | { refusal: string };

const maxKnown = 10_000;

/**
 * Judges URLs and takes them apart, each once: that depends on the text alone. The addresses behind a host's name are
 * judged with every connection (`guardedConnector`).
 */
export function createDestinations(options: { allowPrivate: boolean }): (url: string) => Destination {
  const known = new Map<string, Destination>();
  const dropOldest = createDropOldest(known);
  return (text) => {
    const found = known.get(text);
    if (found) return found;
    const destination = judge(text, options);
    if (known.size >= maxKnown) dropOldest();
    known.set(text, destination);
    return destination;
  };
}

function judge(text: string, options: { allowPrivate: boolean }): Destination {
  const refusal = refuseUrl(text, options);
  if (refusal !== undefined) return { refusal: new DestinationRefused(refusal).message };
  const { origin, pathname, search } = new URL(text);
  return { origin, path: `${pathname}${search}` };
}
