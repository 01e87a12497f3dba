import type { Act } from './act.ts';
import { issueApiKey, revokeApiKey } from './keys.ts';
import { addMember, issueLink, removeMember } from './members.ts';
import { pingWebhook, resendExhausted, resendMessage, rotateSecret } from './webhooks.ts';

/** Everything that admins of a shop change here. */
export const acts: readonly Act[] = [
  issueApiKey,
  revokeApiKey,
  rotateSecret,
  pingWebhook,
  resendExhausted,
  resendMessage,
  addMember,
  issueLink,
  removeMember,
];
