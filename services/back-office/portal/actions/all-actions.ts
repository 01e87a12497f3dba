import type { Act } from './action.ts';
import { confirmPayouts } from './payouts.ts';
import { issueApiKey, revokeApiKey } from './keys.ts';
import { addMember, issueLink, removeMember } from './members.ts';
import {
  addEndpoint,
  deleteEndpoint,
  editEndpoint,
  pingEndpoint,
  rotateEndpointSecret,
} from './endpoints.ts';
import { resendShown, resendMessage } from './webhooks.ts';

/** Everything that admins of a shop change here. */
export const acts: readonly Act[] = [
  issueApiKey,
  revokeApiKey,
  addEndpoint,
  editEndpoint,
  rotateEndpointSecret,
  pingEndpoint,
  deleteEndpoint,
  resendShown,
  resendMessage,
  confirmPayouts,
  addMember,
  issueLink,
  removeMember,
];
