import type { Act } from './action.ts';
import { confirmPayouts } from './payouts.ts';
import { issueApiKeyAct, revokeApiKeyAct } from './keys.ts';
import { addMemberAct, issueLinkAct, removeMemberAct } from './members.ts';
import {
  addEndpointAct,
  deleteEndpointAct,
  editEndpoint,
  pingEndpoint,
  rotateEndpointSecret,
} from './endpoints.ts';
import { resendShown, resendMessage } from './webhooks.ts';

/** Everything that admins of a shop change here. */
export const acts: readonly Act[] = [
  issueApiKeyAct,
  revokeApiKeyAct,
  addEndpointAct,
  editEndpoint,
  rotateEndpointSecret,
  pingEndpoint,
  deleteEndpointAct,
  resendShown,
  resendMessage,
  confirmPayouts,
  addMemberAct,
  issueLinkAct,
  removeMemberAct,
];
