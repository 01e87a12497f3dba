import { retainsOnlyNewest } from '#shared/domain/log/retention.ts';
import { personalKeyPrefix } from '#shared/domain/personal-data/events.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';

const limits = ['$maxAge', '$maxCount', '$tb'];

/** Why a write to a system stream removes history; undefined if it does not. */
export function truncationBy({ stream, type, data }: RawEvent): string | undefined {
  if (type === '$streamDeleted') return `${stream} is deleted`;
  if (!stream.startsWith('$$')) return undefined;
  const subject = stream.slice(2);
  if (retainsOnlyNewest(subject) || subject.startsWith('$')) return undefined;
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
export const isDestroyedKey = ({ stream, type }: Pick<RawEvent, 'stream' | 'type'>): boolean =>
  type === '$streamDeleted' && stream.startsWith(personalKeyPrefix);
