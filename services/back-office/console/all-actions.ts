import {
  addAccountAction,
  removeAccountAction,
  renameAccountAction,
  replaceAccountCredentials,
  switchAccountOff,
  switchAccountOn,
} from './actions/accounts.ts';
import type { Action } from './actions/action.ts';
import { adjustBalance } from './actions/adjust.ts';
import { closeOperation } from './actions/close.ts';
import { eraseClient } from './actions/erase.ts';
import { issueKeyAction, revokeKeyAction } from './actions/keys.ts';
import { switchOff, switchOn } from './actions/providers.ts';
import { addMemberAction, issueMemberLink, removeMemberAction } from './actions/members.ts';
import { reviewOperation } from './actions/review.ts';
import { replaceRoutesAction } from './routes/action.ts';
import { changeShopAction, createMerchantAction, createShopAction } from './actions/shops.ts';
import { fetchMissingStatementsAction } from './actions/missing-statements.ts';
import { fetchStatementAction, importStatementFile } from './actions/statement-imports.ts';
import { closeStatementFindingAction } from './actions/statements.ts';
import { resolveLate } from './actions/suspense.ts';
import { issueTokenAction, revokeTokenAction } from './actions/tokens.ts';
import {
  pingWebhook,
  redeliverManyAction,
  redeliverOne,
  rotateSecretAction,
  setWebhook,
} from './actions/webhooks.ts';

/** Everything that the console lets operators do: one for each command of the admin API. */
export const actions: readonly Action[] = [
  createMerchantAction,
  createShopAction,
  changeShopAction,
  issueKeyAction,
  revokeKeyAction,
  addMemberAction,
  issueMemberLink,
  removeMemberAction,
  replaceRoutesAction,
  switchOff,
  switchOn,
  addAccountAction,
  replaceAccountCredentials,
  renameAccountAction,
  switchAccountOff,
  switchAccountOn,
  removeAccountAction,
  setWebhook,
  rotateSecretAction,
  pingWebhook,
  redeliverOne,
  redeliverManyAction,
  adjustBalance,
  eraseClient,
  reviewOperation,
  closeOperation,
  resolveLate,
  closeStatementFindingAction,
  importStatementFile,
  fetchStatementAction,
  fetchMissingStatementsAction,
  issueTokenAction,
  revokeTokenAction,
];
