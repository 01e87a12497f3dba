/** An event as an auditor reads it: its position, its name, and its stored bytes. */
export {
  createdMsOf,
  type RawEvent as LogEvent,
} from '#shared/platform/event-store/reading/raw-event.ts';
