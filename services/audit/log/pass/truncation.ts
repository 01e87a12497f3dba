import { personalKeyPrefix } from '#shared/domain/personal-data/events.ts';
import type { LogEvent } from '../log-event.ts';

/** The only streams of which the gateway does not retain all events. */
const shortLived = 'api-key-use-';
const limits = ['$maxAge', '$maxCount', '$tb'];

/** Why a write to a system stream removes history; undefined if it does not. */
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
  const setLimits = limits.filter(
    (name) => (settings as Record<string, unknown> | null)?.[name] !== undefined,
  );
  return setLimits.length > 0 ? `${subject} is truncated by ${setLimits.join(', ')}` : undefined;
}

/** A client's key was destroyed: the only kind of stream that the gateway deletes. */
export const isDestroyedKey = ({ stream, type }: Pick<LogEvent, 'stream' | 'type'>): boolean =>
  type === '$streamDeleted' && stream.startsWith(personalKeyPrefix);

/** Whether a stream's events are retained forever; keys are scavenged once they are destroyed. */
export const isPermanent = (stream: string): boolean =>
  !isPassing(stream) && !stream.startsWith(personalKeyPrefix);

/**
 * Streams that the store writes and cleans up itself, and those that retain only their newest
 * event.
 */
export const isPassing = (stream: string): boolean =>
  stream.startsWith('$') || stream.startsWith(shortLived);
