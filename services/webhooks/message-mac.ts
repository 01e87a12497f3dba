import { createHmac, timingSafeEqual } from 'node:crypto';
import type { LogKey } from '#shared/platform/event-store/signature.ts';

/** What is sent, and where: all of a row that decides its content. */
export type MessageContent = {
  messageId: string;
  /** The event's id, where that is not `messageId`. */
  webhookId?: string | undefined;
  shopId: string;
  endpointId: string;
  operationId: string | null;
  sequence: number;
  type: string;
  body: string;
};

/** Half of SHA-256, as RFC 2104 allows. */
const macBytes = 16;

/**
 * With it the service recognises the rows that it has recorded: PostgreSQL does not have the key.
 * JSON separates what is covered, and its first member separates it from signatures of events.
 */
export const computeMessageMac = ({ secret }: Pick<LogKey, 'secret'>, of: MessageContent): string =>
  digest(secret, of).toString('base64url');

/** Whether a recorded message is as this key's holder recorded it. */
export function hasMessageMac(
  { secret }: Pick<LogKey, 'secret'>,
  message: MessageContent,
  mac: string,
): boolean {
  const bytes = Buffer.from(mac, 'base64url');
  return bytes.length === macBytes && timingSafeEqual(bytes, digest(secret, message));
}

function digest(secret: LogKey['secret'], of: MessageContent): Buffer {
  const { messageId, webhookId = messageId, shopId, endpointId, operationId } = of;
  const about = ['webhook 1', messageId, webhookId, shopId, endpointId, operationId];
  return createHmac('sha256', secret)
    .update(JSON.stringify([...about, of.sequence, of.type, of.body]))
    .digest()
    .subarray(0, macBytes);
}
