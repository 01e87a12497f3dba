import type { Secret } from './secret-once.ts';

/** An event that an action wrote, as the log has it. */
export type NoticeEvent = { type: string; stream: string; revision: number; id: string };

/** The message that the next page shows once about an action. */
export type Notice = {
  /** The completed action, in the user's language. */
  done: string;
  /**
   * The events that it wrote, for operators. Empty: nothing changed. `unread`: it was done, but the
   * log can't be read now.
   */
  events?: readonly NoticeEvent[] | 'unread';
  /** Then the message is not shown as a success. */
  hadNoEffect?: boolean;
  /** The outcome of each of several commands. */
  outcomes?: readonly CommandOutcome[];
  /** Shown only once: a key, a token, a signing secret. */
  secret?: Secret;
};

/** The outcome of one of several commands. */
export type CommandOutcome = { id: string; href: string; text: string; done: boolean };
