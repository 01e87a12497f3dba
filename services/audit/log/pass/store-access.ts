import { retainsOnlyNewest } from '#shared/domain/log/retention.ts';
import { createdMs, type RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { truncationBy } from './truncation.ts';

/** How many are named; the others are only counted. */
const mostNamed = 10;

/**
 * Notes who may use the store, where its log says so: access lists and settings, which are set by
 * people with access to the store and never by the gateway.
 */
export function createStoreAccess() {
  const named: string[] = [];
  let count = 0;
  return {
    /** To be called with each event of the store's own streams. */
    take: (event: RawEvent): void => {
      const subject = findSubject(event);
      if (subject === undefined || truncationBy(event) !== undefined) return;
      count += 1;
      const at = new Date(createdMs(event)).toISOString();
      if (named.length < mostNamed) named.push(`${subject} at ${at} (position ${event.position})`);
    },
    /** One line of text; none if the store is as it was set up. */
    notes: (): string[] =>
      count === 0
        ? []
        : [
            `somebody with access to the store changed its settings or the access to streams: ${named.join(', ')}${count > named.length ? ` and ${count - named.length} more` : ''}`,
          ],
  };
}

/** What an event sets the access to; undefined for the store's own streams and our one limit. */
function findSubject({ stream, data }: RawEvent): string | undefined {
  if (stream === '$settings') return stream;
  const subject = stream.startsWith('$$') ? stream.slice(2) : '';
  if (subject === '$all' || subject === '$settings') return subject;
  if (subject === '' || subject.startsWith('$')) return undefined;
  return retainsOnlyNewest(subject) && !data.includes('"$acl"') ? undefined : subject;
}
