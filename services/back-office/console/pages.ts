import { common } from '#shared/application/pages/translations.ts';
import { providerAccountsPage } from './accounts/page.ts';
import {
  addAccountAction,
  removeAccountAction,
  renameAccountAction,
  replaceAccountCredentials,
  switchAccountOff,
  switchAccountOn,
} from './actions/accounts.ts';
import { adjustBalance } from './actions/adjust.ts';
import { closeOperation } from './actions/close.ts';
import { eraseClient } from './actions/erase.ts';
import { issueKeyAction, revokeKeyAction } from './actions/keys.ts';
import { addMemberAction, issueMemberLink, removeMemberAction } from './actions/members.ts';
import { fetchMissingStatementsAction } from './actions/missing-statements.ts';
import { switchOff, switchOn } from './actions/providers.ts';
import { reviewOperation } from './actions/review.ts';
import { changeShopAction, createMerchantAction, createShopAction } from './actions/shops.ts';
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
import { activityPage } from './activity/page.ts';
import { auditPage } from './audits/audit-page.ts';
import { auditsPage } from './audits/list.ts';
import { ledgerPage } from './balances/ledger.ts';
import { consoleBalancesPage } from './balances/page.ts';
import { consoleOperationsPage } from './operations/list.ts';
import { consoleOperationPage } from './operations/operation-page.ts';
import { sendReceipt } from './operations/receipts.ts';
import { operatorsPage } from './operators/page.ts';
import { overviewPage } from './overview/page.ts';
import type { ConsoleSection } from './page-entry.ts';
import { projectionsPage } from './projections/page.ts';
import { providersPage } from './providers/page.ts';
import { bulkReviewPage, decideSeveral } from './review/bulk-review.ts';
import { reviewQueuePage } from './review/page.ts';
import { replaceRoutesAction } from './routes/action.ts';
import { tryRoutesPage } from './routes/try-routes-page.ts';
import { shopsPage } from './shops/list.ts';
import { shopPage } from './shops/shop-page.ts';
import { statementDayPage } from './statements/day.ts';
import { statementsPage } from './statements/page.ts';
import { providerStatementTexts } from './statements/texts.ts';
import { suspensePage } from './suspense/page.ts';
import { messagesPage } from './webhooks/messages.ts';
import { consoleWebhooksPage } from './webhooks/page.ts';

/** The pages and actions of the console, in the order of its navigation. */
export const consoleSections: readonly ConsoleSection[] = [
  {
    path: '/',
    key: 'h',
    name: { ru: 'Обзор', en: 'Overview' },
    route: 'GET /admin/v1/operations',
    render: overviewPage,
  },
  {
    path: '/operations',
    key: 'o',
    name: common.operations,
    route: 'GET /admin/v1/operations',
    discloses: ['operation'],
    render: consoleOperationsPage,
    csv: 'operations',
    below: [
      {
        path: '/operations/:operation_id',
        route: 'GET /admin/v1/operations/:operation_id',
        discloses: ['operation'],
        render: consoleOperationPage,
        actions: [closeOperation],
      },
      {
        path: '/operations/:operation_id/receipts/:receipt_id',
        route: 'GET /admin/v1/operations/:operation_id',
        discloses: ['receipt'],
        render: sendReceipt,
      },
    ],
  },
  {
    path: '/review',
    key: 'r',
    name: common.manualCheck,
    route: 'GET /admin/v1/operations',
    discloses: ['operation'],
    render: reviewQueuePage,
    actions: [reviewOperation],
    below: [
      {
        path: '/review/several',
        route: 'POST /admin/v1/operations/:operation_id/review',
        render: bulkReviewPage,
        post: decideSeveral,
      },
    ],
  },
  {
    path: '/shops',
    key: 's',
    name: common.shops,
    route: 'GET /admin/v1/shops',
    render: shopsPage,
    actions: [createMerchantAction, createShopAction],
    below: [
      {
        path: '/shops/:shop_id',
        route: 'GET /admin/v1/shops/:shop_id',
        render: shopPage,
        actions: [
          changeShopAction,
          issueKeyAction,
          revokeKeyAction,
          addMemberAction,
          issueMemberLink,
          removeMemberAction,
          replaceRoutesAction,
          setWebhook,
          rotateSecretAction,
          pingWebhook,
          eraseClient,
        ],
      },
      {
        path: '/shops/:shop_id/routes/try',
        route: 'GET /admin/v1/shops/:shop_id/route-candidates',
        render: tryRoutesPage,
      },
    ],
  },
  {
    path: '/providers',
    key: 'p',
    name: common.providers,
    route: 'GET /admin/v1/providers',
    render: providersPage,
    actions: [switchOff, switchOn],
    below: [
      {
        path: '/providers/:provider/accounts',
        route: 'GET /admin/v1/providers/:provider/accounts',
        render: providerAccountsPage,
        actions: [
          addAccountAction,
          replaceAccountCredentials,
          renameAccountAction,
          switchAccountOff,
          switchAccountOn,
          removeAccountAction,
        ],
      },
    ],
  },
  {
    path: '/webhooks',
    key: 'w',
    name: common.webhooks,
    route: 'GET /admin/v1/shops/:shop_id/webhook-messages',
    render: consoleWebhooksPage,
    below: [
      {
        path: '/shops/:shop_id/messages',
        route: 'GET /admin/v1/shops/:shop_id/webhook-messages',
        render: messagesPage,
        csv: 'webhook-deliveries',
        actions: [redeliverOne, redeliverManyAction],
      },
    ],
  },
  {
    path: '/balances',
    key: 'b',
    name: common.balances,
    route: 'GET /admin/v1/balances.csv',
    render: consoleBalancesPage,
    csv: 'balances',
    below: [
      {
        path: '/shops/:shop_id/ledger/:currency',
        route: 'GET /admin/v1/shops/:shop_id/ledger/:currency',
        render: ledgerPage,
        csv: 'journal',
        actions: [adjustBalance],
      },
    ],
  },
  {
    path: '/suspense',
    key: 'u',
    name: common.suspense,
    route: 'GET /admin/v1/suspense',
    render: suspensePage,
    actions: [resolveLate],
  },
  {
    path: '/statements',
    key: 't',
    name: { ru: 'Выписки', en: 'Statements' },
    title: providerStatementTexts.title,
    route: 'GET /admin/v1/statements',
    render: statementsPage,
    csv: 'statements',
    actions: [importStatementFile, fetchStatementAction, fetchMissingStatementsAction],
    below: [
      {
        path: '/statements/:provider/:account/:currency/:day',
        route: 'GET /admin/v1/statements/:provider/:account/:currency/:day',
        render: statementDayPage,
        csv: 'statement-findings',
        actions: [closeStatementFindingAction],
      },
    ],
  },
  {
    path: '/projections',
    key: 'm',
    name: common.readModels,
    route: 'GET /admin/v1/projections',
    render: projectionsPage,
  },
  {
    path: '/activity',
    key: 'a',
    name: { ru: 'Действия', en: 'Activity' },
    route: 'GET /admin/v1/activity',
    render: activityPage,
    csv: 'activity',
  },
  {
    path: '/audits',
    key: 'i',
    name: { ru: 'Аудит', en: 'Audits' },
    route: 'GET /admin/v1/audits',
    render: auditsPage,
    below: [{ path: '/audits/:audit', route: 'GET /admin/v1/audits', render: auditPage }],
  },
  {
    path: '/operators',
    key: 'k',
    name: common.access,
    route: 'GET /admin/v1/tokens',
    render: operatorsPage,
    actions: [issueTokenAction, revokeTokenAction],
  },
];
