import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { setUpMerchant } from '#infra/verify/harness/shops/merchant.ts';
import { signInToPortal } from '#infra/verify/harness/shops/sessions.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';
import { startTestStack, type TestStack } from '#infra/verify/harness/stacks/test-stack.ts';
import { measureCsv, type CsvSource } from './csv.ts';
import { fillOperations } from './fill.ts';
import { measurementTable, type Measurement } from './measured.ts';
import { measureParquet } from './parquet.ts';

/** `npm run lab -- exports`: measures memory and time of exports (docs/measurements/exports.md). */
const usage = `usage: npm run lab -- exports [rows]…

Measures the time and memory of exports as CSV and Parquet (docs/measurements/exports.md).
The numbers of rows must increase; default 100000 and 1000000.
`;
const rowCounts = readCommandLine(usage, { allowPositionals: true }).positionals.map(Number);
const counts = rowCounts.length > 0 ? rowCounts : [100_000, 1_000_000];
if (!counts.every((rows, at) => Number.isSafeInteger(rows) && rows > (counts[at - 1] ?? 0)))
  refuseCommandLine(usage, 'Each number of rows is whole, and more than the one before');
const print = (text: string) => void process.stdout.write(`${text}\n`);
const folder = makeTempFolder();
const stack = await startTestStack({ env: { PROCESSES: 'apart', LOG_LEVEL: 'warn' } });
try {
  const shop = await setUpMerchant(stack);
  const files: { name: string; measured: Measurement }[] = [];
  const measure = async (name: string, work: () => Promise<Measurement>) => {
    const measured = await work();
    files.push({ name, measured });
    print(measurementTable(files.slice(-1)));
  };
  const databaseUrl = stack.env['DATABASE_URL'] ?? '';
  for (const rows of counts) {
    await fillOperations(databaseUrl, shop.shopId, rows);
    // Memory of earlier exports must not count.
    const { admin = 0, portal = 0 } = stack.pids();
    for (const service of ['admin', 'portal']) stack.kill(service);
    await stack.waitReady([admin, portal]);
    const sources = await csvSources(stack, shop.shopId);
    for (const [name, source] of Object.entries(sources))
      await measure(name, () => measureCsv(source, rows));
    await measure('npm run export', () => measureParquet(databaseUrl, folder, rows));
  }
  await shop.close();
  print(`\n${measurementTable(files)}`);
} finally {
  await stack.stop();
  removeFolder(folder);
}

/** Each twice: the growth by the second one is retained memory. */
async function csvSources(from: TestStack, shopId: string): Promise<Record<string, CsvSource>> {
  const { urls, adminToken } = from;
  const pids = from.pids();
  const admin = {
    url: `${urls.admin}/admin/v1/operations.csv`,
    headers: { authorization: `Bearer ${adminToken}` },
    pid: pids['admin'] ?? 0,
  };
  const { cookie } = await signInToPortal(from, shopId);
  const portal = {
    url: `${urls.portal}/operations.csv`,
    headers: { cookie },
    pid: pids['portal'] ?? 0,
  };
  return { 'admin API': admin, 'admin API, again': admin, portal, 'portal, again': portal };
}
