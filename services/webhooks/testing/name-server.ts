import { createSocket } from 'node:dgram';

/** The addresses of a name; of several lists, each query gets the next, and the last repeats. */
type Zone = Readonly<Record<string, readonly string[] | readonly (readonly string[])[]>>;

type NameServer = {
  /** For a resolver: `address:port`. */
  address: string;
  /** The queried names, one for each question. */
  queries: string[];
  close(): Promise<void>;
};

const recordTypes = { A: 1, CNAME: 5, AAAA: 28 } as const;
const noSuchName = 3;

/**
 * A DNS server on loopback that answers from a zone: IPv4 and IPv6 addresses, and `=other.example`
 * for an alias, which is followed within the zone as a recursive server does. Every answer may be
 * cached for 0 seconds.
 */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const queries: string[] = [];
  const socket = createSocket('udp4');
  const answersOf = (name: string, turn: number): readonly string[] | undefined => {
    const entry = zone[name];
    if (entry === undefined) return undefined;
    const first = entry[0];
    if (typeof first === 'string' || first === undefined) return entry as readonly string[];
    return (entry as readonly (readonly string[])[])[Math.min(turn, entry.length - 1)];
  };
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    // Both queries of one lookup, A and AAAA, get the same list.
    const turn = queries.filter((each) => each === `${name} ${type}`).length;
    queries.push(`${name} ${type}`);
    const records: Buffer[] = [];
    let owner = name;
    let values = answersOf(owner, turn);
    const known = values !== undefined;
    for (let alias = values?.[0]; alias?.startsWith('='); alias = values?.[0]) {
      records.push(record(owner, recordTypes.CNAME, encodeName(alias.slice(1))));
      owner = alias.slice(1);
      values = answersOf(owner, turn);
    }
    for (const value of values ?? []) {
      const isIpv6 = value.includes(':');
      if (type === (isIpv6 ? recordTypes.AAAA : recordTypes.A)) {
        records.push(
          record(
            owner,
            type,
            isIpv6 ? ipv6Bytes(value) : Buffer.from(value.split('.').map(Number)),
          ),
        );
      }
    }
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (known ? 0 : noSuchName), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    socket.send(
      Buffer.concat([header, query.subarray(12, end), ...records]),
      from.port,
      from.address,
    );
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function record(owner: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(owner), fixed, data]);
}

function encodeName(name: string): Buffer {
  const labels = name
    .split('.')
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

/** The URL parser normalises an IPv6 address to eight groups, with at most one `::`. */
function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string | undefined) => (part ? part.split(':') : []);
  const [left, right] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const bytes = Buffer.alloc(16);
  for (const [at, group] of [...left, ...zeros, ...right].entries())
    bytes.writeUInt16BE(Number.parseInt(group, 16), at * 2);
  return bytes;
}
