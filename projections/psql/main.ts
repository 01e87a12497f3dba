import { spawn, spawnSync } from 'node:child_process';
import { Client } from 'pg';
import { borrowDatabase } from '#infra/stores/borrow-stores.ts';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { loadConfig } from '#shared/platform/config/load.ts';
import { analystUrl } from './login.ts';
import { promptForSql, runSql } from './prompt.ts';
import { readersZone } from './zone.ts';

const usage = `usage: npm run psql -- [-c '<sql>'] [other options of psql]

A shell on the read models, as an analyst: it may read them, and nothing else (docs/analysts/questions.md).
The database: DATABASE_URL, else that of the gateway that runs on DATA_DIR, else its data at rest.
`;
async function run(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) readCommandLine(usage, {});
  const withPsql = hasPsql();
  const onlySql = args.length === 0 || (args.length === 2 && args[0] === '-c');
  if (!withPsql && !onlySql)
    refuseCommandLine(usage, 'psql is not installed: without it there is -c alone');
  const { DATA_DIR } = loadConfig(['DATA_DIR']);
  const { databaseUrl, release } = await borrowDatabase(DATA_DIR);
  try {
    const url = await analystUrl(databaseUrl);
    return withPsql ? await runPsql(url, args) : await runPrompt(url, args);
  } finally {
    await release();
  }
}

const settings = () =>
  `-c search_path=gateway -c default_transaction_read_only=on -c TimeZone=${readersZone()}`;
const hasPsql = () => spawnSync('psql', ['--version']).status === 0;

async function runPsql(address: string, args: readonly string[]): Promise<number> {
  const url = new URL(address);
  const password = decodeURIComponent(url.password);
  url.password = '';
  const env = { ...process.env, PGPASSWORD: password, PGOPTIONS: settings(), PGTZ: readersZone() };
  // Ctrl-C ends a query in psql, not this process, which must stop the stores that it started.
  process.on('SIGINT', () => undefined);
  const shell = spawn('psql', [url.href, ...args], { stdio: 'inherit', env });
  return new Promise((resolve, reject) => {
    shell.once('error', reject);
    shell.once('exit', (code) => resolve(code ?? 1));
  });
}

async function runPrompt(connectionString: string, args: readonly string[]): Promise<number> {
  const client = new Client({
    connectionString,
    options: settings(),
    application_name: 'gateway-psql',
  });
  await client.connect();
  try {
    const [option, command] = args;
    if (option === '-c' && command !== undefined) return (await runSql(client, command)) ? 0 : 1;
    if (process.stdin.isTTY)
      process.stdout.write('psql is not installed: SQL, \\d, \\d <table> and \\q work here.\n');
    await promptForSql(client);
    return 0;
  } finally {
    await client.end();
  }
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
