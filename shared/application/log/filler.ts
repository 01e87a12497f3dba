import { hash } from 'node:crypto';
import { retainsOnlyNewest } from '#shared/domain/log/retention.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';

/** The only streams of which a scavenged log may lack revisions. */
export const isShortened = ({ stream, revision }: RawEvent): boolean =>
  retainsOnlyNewest(stream) && revision > 0;

/**
 * A replacement for an event that the source no longer has, so that the next one gets its revision:
 * the same use of the key again, which no reader sees.
 */
export const fillerFor = (event: RawEvent, revision: number): RawEvent => ({
  ...event,
  revision,
  id: fillerId(event.stream, revision),
});

export const isFiller = ({ stream, revision, id }: RawEvent): boolean =>
  retainsOnlyNewest(stream) && id === fillerId(stream, revision);

/** A UUID that no event of a gateway has. */
function fillerId(stream: string, revision: number): string {
  const digits = hash('sha256', `filler ${stream} ${revision}`, 'hex');
  return digits.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-8$3-8$4-$5');
}
