import {
  addAccount,
  removeAccount,
  renameAccount,
  replaceAccountCredentials,
  switchAccountOff,
  switchAccountOn,
} from './actions/accounts.ts';
import type { Action } from './actions/action.ts';
import { adjustBalance } from './actions/adjust.ts';
import { closeOperation } from './actions/close.ts';
import { eraseClient } from './actions/erase.ts';
import { issueKey, revokeKey } from './actions/keys.ts';
import { switchOff, switchOn } from './actions/providers.ts';
import { addMember, issueMemberLink, removeMember } from './actions/members.ts';
import { reviewOperation } from './actions/review.ts';
import { replaceRoutes } from './routes/action.ts';
import { changeShop, createMerchant, createShop } from './actions/shops.ts';
import { fetchMissingStatements } from './actions/missing-statements.ts';
import { fetchStatement, importStatementFile } from './actions/statement-imports.ts';
import { closeStatementFinding } from './actions/statements.ts';
import { resolveLate } from './actions/suspense.ts';
import { issueToken, revokeToken } from './actions/tokens.ts';
import {
  pingWebhook,
  redeliverMany,
  redeliverOne,
  rotateSecret,
  setWebhook,
} from './actions/webhooks.ts';

/** Everything that the console lets operators do: one for each command of the admin API. */
export const actions: readonly Action[] = [
  createMerchant,
  createShop,
  changeShop,
  issueKey,
  revokeKey,
  addMember,
  issueMemberLink,
  removeMember,
  replaceRoutes,
  switchOff,
  switchOn,
  addAccount,
  replaceAccountCredentials,
  renameAccount,
  switchAccountOff,
  switchAccountOn,
  removeAccount,
  setWebhook,
  rotateSecret,
  pingWebhook,
  redeliverOne,
  redeliverMany,
  adjustBalance,
  eraseClient,
  reviewOperation,
  closeOperation,
  resolveLate,
  closeStatementFinding,
  importStatementFile,
  fetchStatement,
  fetchMissingStatements,
  issueToken,
  revokeToken,
];
