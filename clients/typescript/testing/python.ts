import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export const hasPython = spawnSync('python3', ['-V']).error === undefined;

/** What the verifiers are given; `signed`: a key, a text and a signature, for `is_signed` alone. */
export type Input =
  | { statement: string | Uint8Array; previous?: string | Uint8Array; keys: string | Uint8Array }
  | { signed: readonly [key: Buffer, text: Buffer, signature: Buffer] };

// A signature costs milliseconds, and most files have the same one.
const program = `import functools, struct, sys
sys.path.insert(0, "clients/python")
sys.dont_write_bytecode = True
import verify_statement as verifier

verifier.is_signed = functools.lru_cache(None)(verifier.is_signed)
given, lines = sys.stdin.buffer, sys.stdout

def read_text():
    (size,) = struct.unpack("<i", given.read(4))
    return None if size < 0 else given.read(size)

while True:
    kind = given.read(1)
    if not kind:
        break
    parts = [read_text() for _ in range(3)]
    if kind == b"s":
        print(verifier.is_signed(*parts))
        continue
    sources = [None if part is None else verifier.source_from_bytes(part) for part in parts]
    try:
        print(verifier.verify_statement(*sources))
    except verifier.NotProved as error:
        print("not proved: %s" % error)
`;

/** The verdicts of the Python program, a line each, from one process. */
export function pythonVerdicts(inputs: readonly Input[]): string[] {
  const input = Buffer.concat(inputs.flatMap(frameParts));
  const options = { cwd: root, input, maxBuffer: 2 ** 30 };
  const { stdout, stderr, status } = spawnSync('python3', ['-c', program], options);
  if (status !== 0) throw new Error(stderr.toString('utf8'));
  return stdout.toString('utf8').trimEnd().split('\n');
}

function frameParts(input: Input): Buffer[] {
  if ('signed' in input) return [Buffer.from('s'), ...input.signed.flatMap(framed)];
  const { statement, keys, previous } = input;
  return [Buffer.from('f'), ...[statement, keys, previous].flatMap(framed)];
}

function framed(part: string | Uint8Array | undefined): Buffer[] {
  const size = Buffer.alloc(4);
  const content = Buffer.from(part ?? '');
  size.writeInt32LE(part === undefined ? -1 : content.length);
  return [size, content];
}
