import type { SlotOwners } from '#shared/platform/http/slots.ts';

/** The sender of a body: a key or an operation, its shop, and the address of the connection. */
export type Sender = 'sender' | 'shop' | 'address';
export type SentBy = SlotOwners<Sender>;
