import { personalKeyPrefix } from '#shared/domain/personal-data/events.ts';
import type { LogEvent } from '../log/log-event.ts';

/** The only streams of which the gateway keeps no history. */
const shortLived = 'api-key-use-';
const limits = ['$maxAge', '$maxCount', '$tb'];

/** Why what is written to a system stream takes history away; undefined if it does not. */
export function truncationBy({ stream, type, data }: LogEvent): string | undefined {
  if (type === '$streamDeleted') return `${stream} is deleted`;
  if (!stream.startsWith('$$')) return undefined;
  const subject = stream.slice(2);
  if (subject.startsWith(shortLived) || subject.startsWith('$')) return undefined;
  let settings: unknown;
  try {
    settings = JSON.parse(data.toString('utf8'));
  } catch {
    return undefined;
  }
  const given = limits.filter(
    (name) => (settings as Record<string, unknown> | null)?.[name] !== undefined,
  );
  return given.length > 0 ? `${subject} is cut off by ${given.join(', ')}` : undefined;
}

/** A client's key was destroyed: the one stream that the gateway ever deletes. */
export const isDestroyedKey = ({ stream, type }: Pick<LogEvent, 'stream' | 'type'>): boolean =>
  type === '$streamDeleted' && stream.startsWith(personalKeyPrefix);

/** Whether a stream's events stay for good. Keys are cleaned away once they are destroyed. */
export const isKept = (stream: string): boolean =>
  !isPassing(stream) && !stream.startsWith(personalKeyPrefix);

/**
 * Streams that the store itself writes and cleans up, and those of which only the newest event is
 * kept.
 */
export const isPassing = (stream: string): boolean =>
  stream.startsWith('$') || stream.startsWith(shortLived);
