import { hash } from 'node:crypto';
import type { LogEvent } from '#services/audit/log/log-event.ts';

/** The only streams of which a scavenged log has no longer all revisions. */
export const isShortened = ({ stream, revision }: LogEvent): boolean =>
  stream.startsWith('api-key-use-') && revision > 0;

/**
 * An event in the place of one that the source has no longer, so that the next one gets its
 * revision: the same use of the key once more, which no reader sees.
 */
export const fillerFor = (event: LogEvent, revision: number): LogEvent => ({
  ...event,
  revision,
  id: idOf(event.stream, revision),
});

export const isFiller = ({ stream, revision, id }: LogEvent): boolean =>
  stream.startsWith('api-key-use-') && id === idOf(stream, revision);

/** A UUID that no event of a gateway has. */
function idOf(stream: string, revision: number): string {
  const digits = hash('sha256', `filler ${stream} ${revision}`, 'hex');
  return digits.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-8$3-8$4-$5');
}
