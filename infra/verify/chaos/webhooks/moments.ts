import type { HangPoint } from './part-process.ts';

export const killable = ['relay', 'ingest', 'dispatch'] as const;
export type Killable = (typeof killable)[number];

export type NamedMoment = HangPoint & { name: string };

/** Both sides of a step: before the request, and after its execution without an answer. */
const around = (name: string, store: HangPoint['store'], pattern: RegExp): NamedMoment[] => [
  { name: `before ${name}`, store, pattern, heard: false },
  { name: `after ${name}`, store, pattern, heard: true },
];

/** The steps of each part, as they are visible from outside of its process. */
export const moments: Readonly<Record<Killable, readonly NamedMoment[]>> = {
  relay: [
    ...around('a publish', 'nats', /PUB gateway\.events\.operation /),
    ...around('its checkpoint', 'postgres', /update webhooks\.relay\s+set position = greatest/),
  ],
  ingest: [
    { name: 'after a pull', store: 'nats', pattern: /CONSUMER\.MSG\.NEXT\./, heard: true },
    {
      name: 'before it read the operations',
      store: 'eventStore',
      pattern: /operation-[0-9a-f]{8}-/,
      heard: false,
    },
    ...around('its insert', 'postgres', /insert into webhooks\.message/),
    ...around('its commit', 'postgres', /\bcommit\b/),
    ...around('its acknowledgement', 'nats', /\+ACK/),
  ],
  dispatch: [
    ...around('its claim', 'postgres', /claim_token = /),
    ...around('its attempts are written', 'postgres', /set status = 'delivered'/),
    ...around('its commit', 'postgres', /\bcommit\b/),
  ],
};
