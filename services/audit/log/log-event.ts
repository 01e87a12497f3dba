/**
 * An event of the log as an auditor reads it: its place, its name, and its bytes as they are
 * stored.
 */
export {
  createdMsOf,
  type RawEvent as LogEvent,
} from '#shared/platform/event-store/reading/raw-event.ts';
