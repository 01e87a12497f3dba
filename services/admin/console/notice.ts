/** An event that an action wrote, as the log has it. */
export type WrittenEvent = { type: string; stream: string; revision: number; id: string };

/** What a page says once about the action before it. */
export type Notice = {
  /** What was done, in the language of whoever did it. */
  done: string;
  /** None: it was so already, and nothing had to be written. `unread`: it was done, and the log can't be asked now. */
  events: readonly WrittenEvent[] | 'unread';
  /** Shown this once: a key, a token, a signing secret. */
  secret?: { label: string; value: string };
};
