import {
  addAccount,
  removeAccount,
  renameAccount,
  replaceAccountCredentials,
  switchAccountOff,
  switchAccountOn,
} from './accounts.ts';
import type { Action } from './action.ts';
import { adjustBalance } from './adjust.ts';
import { closeOperation } from './close.ts';
import { eraseClient } from './erase.ts';
import { issueKey, revokeKey } from './keys.ts';
import { switchOff, switchOn } from './providers.ts';
import { addMember, issueMemberLink, removeMember } from './members.ts';
import { reviewOperation } from './review.ts';
import { replaceRoutes } from './routes.ts';
import { changeShop, createMerchant, createShop } from './shops.ts';
import { askForStatement, importStatementFile } from './statement-imports.ts';
import { closeStatementFinding } from './statements.ts';
import { resolveLate } from './suspense.ts';
import { issueToken, revokeToken } from './tokens.ts';
import { pingWebhook, redeliverMany, redeliverOne, rotateSecret, setWebhook } from './webhooks.ts';

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
  askForStatement,
  issueToken,
  revokeToken,
];
