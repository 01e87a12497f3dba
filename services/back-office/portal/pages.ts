import { common } from '#shared/application/pages/translations.ts';
import {
  addEndpointAct,
  deleteEndpointAct,
  editEndpoint,
  pingEndpoint,
  rotateEndpointSecret,
} from './actions/endpoints.ts';
import { issueApiKeyAct, revokeApiKeyAct } from './actions/keys.ts';
import { addMemberAct, issueLinkAct, removeMemberAct } from './actions/members.ts';
import { confirmPayouts } from './actions/payouts.ts';
import { resendMessage, resendShown } from './actions/webhooks.ts';
import { journalPage } from './balances/journal.ts';
import { portalBalancesPage } from './balances/page.ts';
import { monthlyStatementPage } from './balances/statement-page.ts';
import { statementTexts } from './balances/statement-texts.ts';
import { sendStatementCsv, sendStatementJson } from './balances/statement.ts';
import { keysPage } from './keys/page.ts';
import { membersPage } from './members/page.ts';
import { portalOperationsPage } from './operations/list.ts';
import { portalOperationPage } from './operations/operation-page.ts';
import { redirectToReceipt } from './operations/receipts.ts';
import type { PortalSection } from './page-entry.ts';
import { batchPage, sendBatchResult } from './payouts/batch.ts';
import { payoutTexts } from './payouts/texts.ts';
import { payoutsPage, sendTemplate, uploadPayouts } from './payouts/upload.ts';
import { messagePage } from './webhooks/message.ts';
import { portalWebhooksPage } from './webhooks/page.ts';

/** The pages and actions of the portal, in the order of its navigation. */
export const portalSections: readonly PortalSection[] = [
  {
    path: '/operations',
    name: common.operations,
    discloses: ['operation'],
    render: portalOperationsPage,
    csv: 'operations',
    below: [
      {
        path: '/operations/:operation_id',
        discloses: ['operation'],
        render: portalOperationPage,
      },
      {
        path: '/operations/:operation_id/receipts/:receipt_id',
        discloses: ['receipt'],
        render: redirectToReceipt,
      },
    ],
  },
  {
    path: '/payouts',
    name: payoutTexts.title,
    discloses: ['payout_file_names'],
    render: payoutsPage,
    post: uploadPayouts,
    below: [
      // Before the page of a file: it is no file's id.
      { path: '/payouts/template.csv', render: sendTemplate },
      {
        path: '/payouts/:batch_id',
        discloses: ['payout_file_names', 'payout_rows', 'operation'],
        render: batchPage,
        actions: [confirmPayouts],
      },
      { path: '/payouts/:batch_id/result.csv', render: sendBatchResult },
    ],
  },
  {
    path: '/balances',
    name: common.balances,
    render: portalBalancesPage,
    csv: 'balances',
    below: [{ path: '/balances/:currency', render: journalPage, csv: 'journal' }],
  },
  {
    path: '/statement',
    name: statementTexts.title,
    render: monthlyStatementPage,
    below: [
      { path: '/statement.json', render: sendStatementJson },
      { path: '/statement.csv', render: sendStatementCsv },
    ],
  },
  {
    path: '/webhooks',
    name: common.webhooks,
    render: portalWebhooksPage,
    csv: 'webhook-deliveries',
    actions: [
      addEndpointAct,
      editEndpoint,
      rotateEndpointSecret,
      pingEndpoint,
      deleteEndpointAct,
      resendShown,
    ],
    below: [
      { path: '/webhooks/messages/:message_id', render: messagePage, actions: [resendMessage] },
    ],
  },
  {
    path: '/keys',
    name: common.apiKeys,
    render: keysPage,
    actions: [issueApiKeyAct, revokeApiKeyAct],
  },
  {
    path: '/members',
    name: { ru: 'Сотрудники', en: 'Members' },
    render: membersPage,
    actions: [addMemberAct, issueLinkAct, removeMemberAct],
  },
];
