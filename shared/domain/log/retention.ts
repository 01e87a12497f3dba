import { keyUsePrefix } from '../key-use/events.ts';
import { personalKeyPrefix } from '../personal-data/events.ts';

/** The only streams of which no more than the newest event is retained. */
export const retainsOnlyNewest = (stream: string): boolean => stream.startsWith(keyUsePrefix);

/** Whether events may be missing: the store cleans up its own streams too. */
export const mayLoseEvents = (stream: string): boolean =>
  stream.startsWith('$') || retainsOnlyNewest(stream);

/** Whether a stream's events are retained forever; keys are scavenged once they are destroyed. */
export const isPermanent = (stream: string): boolean =>
  !mayLoseEvents(stream) && !stream.startsWith(personalKeyPrefix);
