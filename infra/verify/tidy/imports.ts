import { posix } from 'node:path';
import type { TextFile } from './tree.ts';

/** What the audit uses of the projections: definitions of tables, and pure functions. */
const rowFunctions = [
  'projections/registry.ts',
  'projections/ledger/posted-entry.ts',
  'projections/ledger/project.ts',
  'projections/ledger/tables.ts',
  'projections/ledger/tree.ts',
  'projections/operations/decisions.ts',
  'projections/operations/evidence.ts',
  'projections/operations/legs.ts',
  'projections/operations/project.ts',
  'projections/operations/status-history.ts',
  'projections/operations/table.ts',
  'projections/operations/uploaded-receipts.ts',
  'projections/operators/project.ts',
  'projections/rows/row-per-stream.ts',
  'projections/shops/payout-batches.ts',
  'projections/shops/project.ts',
  'projections/shops/route-history.ts',
  'projections/shops/table.ts',
  'projections/statements/project.ts',
  'projections/suspense/project.ts',
  'projections/suspense/table.ts',
];

/**
 * The allowed imports of a folder besides itself and packages, as path prefixes; the longest
 * matching folder counts. Tests and their helpers may import what they test.
 */
const directions: Readonly<Record<string, readonly string[]>> = {
  'shared/domain': [],
  // Of the domain only the masking for logs and problems.
  'shared/platform': ['shared/domain/card-numbers.ts', 'shared/domain/decode.ts', 'package.json'],
  // The bank is the worked example of a connector, and is registered as every other one.
  'shared/application': [
    'shared/domain',
    'shared/platform',
    'examples/bank/connector',
    'package.json',
  ],
  'shared/api': ['shared'],
  projections: ['shared'],
  // Command-line tools start the stores of a stopped gateway; each is a program of its own.
  'projections/cli': ['shared', 'projections', 'infra/stores/borrow-stores.ts'],
  'projections/export': ['shared', 'projections', 'infra/stores/borrow-stores.ts'],
  'projections/psql': ['shared', 'projections', 'infra/stores/borrow-stores.ts'],
  clients: [],
  'examples/bank': [
    'shared',
    'services/sandbox-provider/attempt/requisites.ts',
    'services/sandbox-provider/store/database.ts',
  ],
  // The admin service: the API, and the console on it.
  'services/back-office': ['shared', 'projections'],
  'services/back-office/api': [
    'shared',
    'projections',
    'services/back-office/console/session/tables.ts',
    'services/back-office/frame/access-log.ts',
  ],
  'services/back-office/console': [
    'shared',
    'projections',
    'services/back-office/api',
    'services/back-office/frame',
  ],
  'services/back-office/frame': ['shared', 'projections'],
  'services/back-office/portal': ['shared', 'projections', 'services/back-office/frame'],
  'services/audit': ['shared'],
  // All but money and outcomes is as the projections' pure functions make it of the log.
  'services/audit/read-models/rows': ['shared', 'services/audit', ...rowFunctions],
  // What the views are made from is stated only there.
  'services/audit/read-models/compare': [
    'shared',
    'services/audit',
    'projections/runner/replaced-views.ts',
  ],
  'services/audit/cli': ['shared', 'services/audit', 'infra/stores'],
  'services/documentation': ['shared'],
  // Readers copy these programs, which use the client.
  'services/documentation/snippets': ['clients', 'services/documentation/markdown'],
  'services/merchant-api': ['shared', 'projections'],
  // It answers on the same port.
  'services/merchant-api/main.ts': ['shared', 'projections', 'services'],
  'services/payment-page': ['shared'],
  'services/processor': ['shared'],
  'services/sandbox-provider': ['shared', 'examples/bank/simulator'],
  'services/webhooks': ['shared'],
  'services/webhooks/dispatch/pace': ['shared', 'services/webhooks/claim.ts'],
  'services/webhooks/dispatch/queue': [
    'shared',
    'services/webhooks/claim.ts',
    'services/webhooks/message.ts',
    'services/webhooks/dispatch/pace',
  ],
  'services/webhooks/dispatch/send': [
    'shared',
    'services/webhooks/claim.ts',
    'services/webhooks/dispatch/guard',
    'services/webhooks/dispatch/pace',
    'services/webhooks/dispatch/queue',
  ],
  infra: ['shared', 'projections', 'services', 'clients', 'infra'],
  // Of the domain only whether the log is closed.
  'infra/event-store-node': ['shared/platform', 'shared/domain/log'],
  'infra/event-store-node/benchmark': ['shared/platform', 'infra'],
  'infra/event-store-node/conformance': ['infra'],
  'infra/move': ['shared', 'infra'],
  'infra/verify': ['shared', 'projections', 'services', 'clients', 'examples', 'infra'],
  // Runs share `load`, `targets`, `counterpart` and `report`, and import nothing of each other.
  'infra/lab': ['shared', 'projections', 'services', 'examples', 'infra'],
};

/** Tools that test or measure the product; nothing that ships imports them. */
const tools = ['infra/verify', 'infra/lab'];
const runs = ['infra/lab/bench', 'infra/lab/capacity', 'infra/verify/chaos'];

const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

const importer = /(?:from|import|import\()\s*'((?:\.{1,2}\/|#)[^']*)'/g;

function importTargets({ path, text }: TextFile): string[] {
  return [...text.matchAll(importer)].map(([, target = '']) =>
    target.startsWith('#')
      ? target.slice(1)
      : posix.normalize(posix.join(posix.dirname(path), target)),
  );
}

function mayImport(path: string, target: string): boolean {
  if (runs.some((run) => isBelow(target, run) && !isBelow(path, run))) return false;
  const folder = Object.keys(directions)
    .filter((each) => isBelow(path, each))
    .toSorted((a, b) => b.length - a.length)[0];
  if (folder === undefined) return true;
  const tool = tools.find((each) => isBelow(target, each));
  const isTool = [...tools, 'infra/event-store-node/'].some((each) => path.startsWith(each));
  if (tool === 'infra/lab' && isBelow(path, 'infra/verify')) return false;
  if (tool !== undefined && !isTool) return false;
  return (
    isBelow(target, folder) || (directions[folder] ?? []).some((each) => isBelow(target, each))
  );
}

/** Imports against the directions, as `path: what it imports`. */
export const importsAgainst = (files: readonly TextFile[]): string[] =>
  files
    .filter(({ path }) => !/\.test\.ts$|\/testing\//.test(path))
    .flatMap((file) =>
      importTargets(file)
        .filter((target) => !mayImport(file.path, target))
        .map((target) => `${file.path}: ${target}`),
    );
