import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { createStatementPlans } from '#projections/ledger/statement-plans.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { createExports } from '#shared/platform/csv/exports.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { createRefusedCredentials } from '#shared/platform/http/refused-credentials.ts';
import { createMemberList } from '#shared/application/members/members.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { createDirectoryStore } from '#shared/application/receipts/directory-store.ts';
import type { ErasableReceiptStore } from '#shared/application/receipts/receipt-store.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';
import { createReceiptLinks } from '#shared/application/receipts/links.ts';
import type { MemberRole } from '#shared/domain/member/events.ts';
import { startConsole, type TestConsole } from '../../console/testing/console.ts';
import {
  hidden,
  createVisitor,
  type Page,
  type Values,
  type Visitor,
} from '../../console/testing/visitor.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { createPortalAccessLog } from '../access-log.ts';
import { createPortal, type PortalOptions } from '../app.ts';
import { migratePortal } from '../database.ts';
import type { PortalDependencies } from '../dependencies.ts';

type Added = { member_id: string; sign_in_url: string };

/** A member's browser, without scripts. */
export type MemberVisitor = Visitor & {
  memberId: string;
  /**
   * Opens the page of an action, fills in its form and sends it.
   * @returns the page with the outcome
   */
  do(path: string, values?: Values): Promise<Page>;
};

type Instance = {
  visitor(): Visitor;
  /** Adds a member of the shop, and signs in. */
  member(shopId: string, role: MemberRole, name?: string): Promise<MemberVisitor>;
  /** The paths of all routes. */
  paths: string[];
};

export type TestPortal = Omit<TestConsole, 'visitor'> &
  Instance & {
    receiptStore: ErasableReceiptStore;
    /** Another instance of the portal, for example with its own clock. */
    instance(options?: PortalOptions, more?: Partial<PortalDependencies>): Instance;
    /** Adds a member of the shop through the admin API. */
    add(shopId: string, role: MemberRole, name?: string): Promise<Added>;
    accessLog: string[];
  };

export const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
};

export const linkOf = (url: string): string => new URL(url).searchParams.get('link') ?? '';

function createTestReceipts(): [ErasableReceiptStore, remove: () => void] {
  const folder = makeTempFolder();
  return [createDirectoryStore(folder), () => removeFolder(folder)];
}

const development = { production: false, allowPrivate: false, trustedProxies: 0 };

/** The portal alongside the admin service, on their own log and read models. */
export async function startPortal(): Promise<TestPortal> {
  const console = await startConsole();
  const applicationName = 'portal-test';
  const db = connectDatabase<WebhooksDatabase>(console.databaseUrl, { applicationName });
  await migratePortal(db);
  const accessLog: string[] = [];
  const [receiptStore, removeReceipts] = createTestReceipts();
  const { store, directory, ledgers } = console;
  const add: TestPortal['add'] = async (shopId, role, name = `A ${role}`) => {
    const answer = await console.call<Added>(`POST /admin/v1/shops/${shopId}/members`, {
      body: { name, role },
    });
    return answer.body;
  };
  const instance: TestPortal['instance'] = (options, more) => {
    const app = createPortal(
      {
        store,
        directory,
        ledgers,
        db,
        statements: createStatementPlans({ db, store, service: 'portal' }),
        exports: createExports(db, { logger }),
        members: createMemberList(store),
        personal: testPersonalData(store),
        receipts: receiptStore,
        receiptLinks: createReceiptLinks({
          baseUrl: 'http://gateway.test',
          secret: 'a-secret-of-tests',
        }),
        logger,
        metrics: createMetrics('portal'),
        accessLog: createPortalAccessLog({ write: (text) => void accessLog.push(text) }),
        refused: createRefusedCredentials({
          what: 'a sign-in link',
          logger,
          trustedProxies: 0,
          delayMs: 1,
        }),
        baseUrl: 'http://portal.test',
        ...development,
        ...more,
      },
      options,
    );
    const newVisitor = () => createVisitor((path, init) => app.request(path, init));
    return {
      visitor: newVisitor,
      member: async (shopId, role, name) => {
        const { member_id: memberId, sign_in_url: url } = await add(shopId, role, name);
        const visitor = newVisitor();
        const { status, text } = await visitor.post('/sign-in', { link: linkOf(url) });
        if (status !== 303) throw new Error(`${role}: ${status} ${text}`);
        return { ...visitor, memberId, do: (path, values) => act(visitor, path, values) };
      },
      paths: app.routes.map(({ path }) => path),
    };
  };
  const shared = { receiptStore, accessLog, instance, add };
  return {
    ...console,
    ...instance(),
    ...shared,
    stop: async () => {
      await db.destroy();
      await console.stop();
      removeReceipts();
    },
  };
}

async function act(visitor: Visitor, path: string, values: Values = {}): Promise<Page> {
  const opened = await visitor.get(path);
  if (opened.status !== 200) return opened;
  const own = { form_token: hidden(opened.text, 'form_token'), once: hidden(opened.text, 'once') };
  const done = await visitor.post(path, { ...values, ...own });
  return done.status === 303 ? visitor.get(done.location) : done;
}
