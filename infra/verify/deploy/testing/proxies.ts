import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findProgram } from '#infra/process/find-program.ts';
import { listUsers } from '#infra/process/run-as.ts';
import { startProcess } from '#infra/process/start-process.ts';
import type { Watchdog } from '#infra/process/watchdog.ts';
import { root } from './manifests.ts';

export const proxyNames = ['haproxy', 'nginx', 'caddy'] as const;
type ProxyName = (typeof proxyNames)[number];

export type Proxy = ReturnType<typeof startProxy>;

/** The port of a service of an instance, 1 or 2. */
type PortOf = (service: string, instance: number) => number;

type Setting = { readonly folder: string; readonly ports: readonly number[]; portOf: PortOf };
type Kind = {
  /** Writes its configuration into the folder. @returns its arguments */
  readonly prepare: (setting: Setting) => readonly string[];
  /** The status in a line of its access log. */
  readonly status: RegExp;
  readonly allUp: (
    setting: Setting,
    output: readonly string[],
    fromLine: number,
  ) => Promise<boolean> | boolean;
};

const shipped = (name: string) => readFileSync(join(root, 'infra/deploy', name), 'utf8');
const local = (port: number | undefined) => `127.0.0.1:${port}`;
/** `merchant-api-1:8080`, as in files that name each instance. */
const withInstances = (config: string, { portOf }: Setting) =>
  config.replaceAll(/\b([a-z-]+)-([12]):\d+/g, (_, service: string, instance: string) =>
    local(portOf(service, Number(instance))),
  );

/** Routes to services by port, in the order of its file; the other proxies route by name. */
const haproxyPorts = { pay: 2, portal: 3, callbacks: 4 };

const haproxy: Kind = {
  prepare: ({ folder, ports, portOf }) => {
    let count = 0;
    const config = shipped('haproxy.cfg')
      .replaceAll(/bind :\d+/g, () => `bind ${local(ports[count++])}`)
      .replaceAll(
        /server-template (\w+) \d+ ([a-z-]+):\d+ (.*?) resolvers docker init-addr none/g,
        (_, name: string, service: string, checks: string) =>
          [1, 2]
            .map((each) => `server ${name}${each} ${local(portOf(service, each))} ${checks}`)
            .join('\n  '),
      )
      // Each connection needs two file descriptors, of which the process may have fewer here.
      .replace('maxconn 20000', `maxconn 500\n  stats socket ${join(folder, 'stats')}`)
      .replace('local0 notice', 'local0 info')
      .replace('log global', 'log global\n  option httplog');
    writeFileSync(join(folder, 'haproxy.cfg'), config);
    return ['-db', '-f', join(folder, 'haproxy.cfg')];
  },
  status: /(?:-?\d+\/){4}\+?\d+ (\d{3}) /,
  allUp: async ({ folder }) => {
    const socket = connect(join(folder, 'stats'));
    socket.end('show stat\n');
    const servers = (await text(socket))
      .split('\n')
      .map((line) => line.split(','))
      .filter(([proxy = '', name = '']) => proxy !== '' && /\d$/.test(name));
    return servers.length === 10 && servers.every((fields) => fields[17] === 'UP');
  },
};

/** A file, because nginx opens its log by name and the socket of its output has none. */
const accessLog = 'access.log';

const nginx: Kind = {
  prepare: (setting) => {
    const { folder, ports } = setting;
    const config = shipped('nginx.conf').replaceAll('listen 80;', `listen ${local(ports[0])};`);
    writeFileSync(join(folder, 'gateway.conf'), withInstances(config, setting));
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${join(folder, kind)};`,
    );
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${join(folder, 'pid')}; error_log stderr; events {}
http {
  ${temporary.join(' ')}
  log_format test 'request $status $upstream_addr $upstream_status $request';
  access_log ${join(folder, accessLog)} test;
  include ${join(folder, 'gateway.conf')};
}`,
    );
    return ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')];
  },
  status: /^request (\d{3}) /,
  allUp: ({ portOf }, output, fromLine) => {
    const lines = output.slice(fromLine);
    const answered = (address: string) =>
      lines.some((line) => line.startsWith(`request 200 ${address} 200 `));
    return [1, 2].every((instance) => answered(local(portOf('merchant-api', instance))));
  },
};

const caddy: Kind = {
  prepare: (setting) => {
    const { folder, ports } = setting;
    const config = shipped('Caddyfile').replaceAll(
      /^(\w+\.example\.com) \{/gm,
      `http://$1:${ports[0]} {\n\tbind 127.0.0.1\n\tlog`,
    );
    const ofItself = config.replace('{\n', '{\n\tadmin off\n');
    writeFileSync(join(folder, 'Caddyfile'), withInstances(ofItself, setting));
    return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
  },
  status: /"logger":"http\.log\.access.*"status":\s*(\d{3})/,
  allUp: ({ portOf }, lines) => {
    // Caddy considers each server up until a check fails.
    const last = new Map<string, string>();
    for (const line of lines) {
      if (!line.includes('health_checker')) continue;
      const { host, msg } = JSON.parse(line) as { host: string; msg: string };
      last.set(host, msg);
    }
    return ['merchant-api', 'payment-page', 'portal', 'processor'].every((service) =>
      [1, 2].every((each) => /^(host is up|)$/.test(last.get(local(portOf(service, each))) ?? '')),
    );
  },
};

const kinds: Readonly<Record<ProxyName, Kind>> = { haproxy, nginx, caddy };

/** An unprivileged user, if the tests run as root. */
const nobody =
  process.getuid?.() === 0 ? listUsers().find(({ name }) => name === 'nobody') : undefined;

/**
 * Starts the program with the shipped file, in which only addresses and logging are
 * changed. @param ports five free ports
 */
export function startProxy(
  name: ProxyName,
  options: { folder: string; ports: readonly number[]; portOf: PortOf; watchdog: Watchdog },
) {
  const { ports } = options;
  const command = findProgram(name);
  if (command === undefined) throw new Error(`no ${name} found: apt-get install ${name}`);
  const folder = join(options.folder, name);
  mkdirSync(folder);
  const kind = kinds[name];
  const setting = { ...options, folder };
  const args = kind.prepare(setting);
  if (nobody) for (const each of [options.folder, folder]) chownSync(each, nobody.uid, nobody.gid);
  const lines: string[] = [];
  const child = startProcess(
    {
      name,
      command,
      args,
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: folder },
      stopSignal: 'SIGTERM',
      ...(nobody && { uid: nobody.uid, gid: nobody.gid }),
    },
    { watchdog: options.watchdog, onLine: (line) => lines.push(line) },
  );
  const output = () => {
    const file = join(folder, accessLog);
    return [...lines, ...(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])];
  };
  return {
    name,
    /** The port for requests to the merchant API. */
    port: ports[0] ?? 0,
    /** The proxy's port for a service, by the service's name in the files. */
    portFor: (edge: keyof typeof haproxyPorts) =>
      ports[name === 'haproxy' ? haproxyPorts[edge] : 0] ?? 0,
    output,
    /** The status of each request that it logged. */
    statuses: () => output().flatMap((line) => Number(kind.status.exec(line)?.[1]) || []),
    /** Whether each server is up; without health checks, whether each has answered since. */
    allUp: async (fromLine: number) => kind.allUp(setting, output(), fromLine),
    stop: () => child.stop(5_000),
  };
}
