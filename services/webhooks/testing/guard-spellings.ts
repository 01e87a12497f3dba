/**
 * Where a destination must be refused: when an operator saves it, or, for a plain name, when it is
 * resolved. What is refused at save is also refused at each attempt, and its address when a socket
 * connects.
 */
type Spelling = { url: string; at: 'save' | 'resolve' };
type SpellingGroup = { about: string; spellings: readonly Spelling[] };

/** What the names of the tests resolve to. */
export const zone = {
  'merchant.example': ['127.0.0.1'],
  '127.0.0.1.nip.example': ['127.0.0.1'],
  'loopback.example': ['127.0.0.2'],
  'loopback6.example': ['::1'],
  'zero.example': ['0.0.0.0'],
  'private.example': ['10.0.0.1'],
  'shared.example': ['100.64.0.1'],
  'metadata.example': ['169.254.169.254'],
  'metadata6.example': ['fd00:ec2::254'],
  'linklocal.example': ['fe80::1'],
  'multicast.example': ['224.0.0.1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'nat64.example': ['64:ff9b::127.0.0.1'],
  'nat64-local.example': ['64:ff9b:1::127.0.0.1'],
  'sixtofour.example': ['2002:7f00:1::'],
  'mixed.example': ['8.8.8.8', '127.0.0.1'],
  'mixed6.example': ['8.8.8.8', '::1'],
  'last-of-many.example': [...Array.from({ length: 20 }, (_, at) => `8.8.8.${at}`), '10.0.0.1'],
  'alias.example': ['=loopback.example'],
  'alias-of-alias.example': ['=alias.example'],
  'alias-of-mixed.example': ['=mixed.example'],
} as const;

const group = (about: string, at: Spelling['at'], urls: readonly string[]): SpellingGroup => ({
  about,
  spellings: urls.map((url) => ({ url, at })),
});
const hosts = (about: string, names: readonly string[]) =>
  group(
    about,
    'save',
    names.map((name) => `https://${name}/`),
  );

/** Every known way to write a destination that must not be reached. */
export const spellingGroups: readonly SpellingGroup[] = [
  hosts('IPv4 loopback', ['127.0.0.1', '127.255.255.254', '127.0.0.1.', '127.1.']),
  hosts('short IPv4', ['127.1', '127.0.1', '10.1', '192.168.257', '169.254.43518']),
  hosts('decimal', ['2130706433', '2130706433.', '167772161', '3232235521', '2852039166', '0']),
  hosts('hexadecimal', [
    '0x7f000001',
    '0x7F.1',
    '0x7f.0x0.0x0.0x1',
    '0xa000001',
    '0xA9FEA9FE',
    '0x0',
  ]),
  hosts('octal', [
    '017700000001',
    '0177.0.0.1',
    '0177.1',
    '012.0.0.1',
    '0251.0376.0251.0376',
    '00',
  ]),
  hosts('mixed bases', ['127.0x0.0.1', '0x7f.0.01', '000000177.0.0.0x1']),
  hosts('private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1']),
  hosts('shared (CGNAT)', ['100.64.0.1', '100.127.255.254']),
  hosts('this host, broadcast', ['0.0.0.0', '0.1.2.3', '255.255.255.255']),
  hosts('metadata', [
    '169.254.169.254',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    '[fd00:ec2::254]',
  ]),
  hosts('link-local', ['169.254.0.1', '[fe80::1]', '[febf::1]']),
  hosts('zone ids', ['[fe80::1%lo]', '[fe80::1%25lo]', '[::1%25lo]']),
  hosts('multicast', ['224.0.0.1', '239.255.255.250', '[ff02::1]', '[ff05::2]']),
  hosts('documentation, benchmarking, reserved', [
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '198.18.0.1',
    '192.88.99.1',
    '240.0.0.1',
    '[2001:db8::1]',
    '[3fff::1]',
    '[100::1]',
    '[5f00::1]',
    '[4000::1]',
  ]),
  hosts('IPv6 loopback, unspecified', ['[::1]', '[0:0:0:0:0:0:0:1]', '[0000:0000::0001]', '[::]']),
  hosts('mapped IPv6', [
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:FFFF:7F00:0001]',
    '[::ffff:10.0.0.1]',
    '[::ffff:169.254.169.254]',
  ]),
  hosts('compatible and translated IPv6', ['[::127.0.0.1]', '[::7f00:1]', '[::ffff:0:127.0.0.1]']),
  hosts('NAT64', [
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b:1::127.0.0.1]',
    '[64:ff9b:1:ffff::1]',
  ]),
  hosts('6to4, Teredo', ['[2002:7f00:1::]', '[2002:a00:1::1]', '[2001::1]', '[2001:0:7f00:1::]']),
  hosts('unique local, site-local', ['[fc00::1]', '[fd12:3456:789a::1]', '[fec0::1]']),
  hosts('IDNA digits and dots', [
    '１２７.0.0.1',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '127．0．0．1',
    '①⑥⑨。254。①⑥⑨。254',
    '0ｘ7f.1',
    '127.0.0.\u{AD}1',
  ]),
  hosts('percent-encoded', ['%31%32%37.0.0.1', '127%2e0%2e0%2e1', 'loc%61lhost']),
  hosts('localhost', [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'api.localhost',
    'ｌｏｃａｌｈｏｓｔ',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  ]),
  hosts('no host at all', [
    '256.256.256.256',
    '0x100000000',
    '1.2.3.4.5',
    'merchant.127.0.0.1',
    '[127.0.0.1]',
    '[::1',
  ]),
  group('user-info', 'save', [
    'https://merchant.example@127.0.0.1/',
    'https://127.0.0.1@merchant.example/',
    'https://user:password@merchant.example/',
    'https://:password@merchant.example/',
    'https://@127.0.0.1/',
    'https://merchant.example:443@127.0.0.1/',
    'https://merchant.example%40127.0.0.1/',
    'https://user@merchant.example@127.0.0.1/',
  ]),
  group('backslashes and missing slashes', 'save', [
    'https:\\\\127.0.0.1\\',
    'https:/\\127.0.0.1/',
    'https:/127.0.0.1/',
    'https:127.0.0.1',
    'https:///127.0.0.1/',
    'https://127.0.0.1\\@merchant.example/',
    'https://merchant.example\\@127.0.0.1/',
  ]),
  group('tabs, line breaks, blanks', 'save', [
    'ht\ttps://127.0.0.1/',
    'https://127.0.\n0.1/',
    'https://\r\n127.0.0.1/',
    ' https://127.0.0.1/ ',
    '\0https://127.0.0.1/',
    'https://merchant.example/\r\nhost: 127.0.0.1',
    'https://merchant\t.example/',
    'https://merchant.example /',
  ]),
  group('ports', 'save', [
    'https://127.0.0.1:443/',
    'https://127.0.0.1:8443/',
    'https://127.0.0.1:/',
    'https://[::1]:22/',
    'https://merchant.example:99999/',
  ]),
  group('other schemes', 'save', [
    'http://merchant.example/',
    'http://127.0.0.1/',
    'HTTP://127.0.0.1/',
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    'ws://127.0.0.1/',
    'wss://merchant.example/',
    'unix:/var/run/docker.sock',
    'data:text/plain,x',
    'blob:https://merchant.example/',
    'javascript:alert(1)',
    '//127.0.0.1/',
    'merchant.example',
  ]),
  group(
    'names',
    'resolve',
    Object.keys(zone).map((name) => `https://${name}/`),
  ),
  group('names, otherwise written', 'resolve', [
    'HTTPS://LOOPBACK.EXAMPLE/',
    'https://loopback.example./',
    'https://ｌｏｏｐｂａｃｋ。example/',
    'https://loopback%2eexample/',
    'https://merchant.example#@8.8.8.8/',
    'https://merchant.example?@8.8.8.8/',
    'https://merchant.example/@8.8.8.8/',
  ]),
];

export const spellings: readonly Spelling[] = spellingGroups.flatMap((each) => each.spellings);

/** The list for docs/developers/webhooks.md in Markdown, with the result of `refuse` for each. */
export function describeSpellings(refuse: (url: string) => string | undefined): string {
  const lines = spellingGroups.map(({ about, spellings: some }) => {
    const reasons = new Set(some.flatMap(({ url }) => refuse(url) ?? []));
    const verdict =
      some[0]?.at === 'save'
        ? `when it is saved (${[...reasons].join('; ')})`
        : 'once it is resolved (its address is not public)';
    return `- **${about}**, ${verdict}: ${some.map(({ url }) => show(url)).join(' · ')}`;
  });
  return `${lines.join('\n')}\n`;
}

/**
 * Only the host if the rest is trivial, and what a name resolves to; invisible characters as
 * numbers.
 */
function show(url: string): string {
  const text = JSON.stringify(url)
    .slice(1, -1)
    .replace(/^https:\/\/([^/]*)\/$/, '$1')
    .replaceAll('\u{AD}', '\\u00ad')
    .replaceAll(/^ | $/g, '\\u0020')
    .replaceAll('\\\\', '\\');
  const answers = Object.entries(zone).find(([name]) => url === `https://${name}/`)?.[1];
  if (!answers) return `\`${text}\``;
  const [first = '', last = ''] = [answers.at(0), answers.at(-1)];
  const rest = answers.length > 2 ? `${answers.length - 2} more, ` : '';
  return `\`${text}\` → ${answers.length > 1 ? `${first}, ${rest}${last}` : first.replace('=', 'alias of ')}`;
}
