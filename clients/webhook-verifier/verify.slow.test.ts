import { spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { signedHeaders } from '#shared/application/webhooks/sign.ts';
import { verifyWebhook } from './verify.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const otherSecret = 'whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH';
const timestampS = 1_769_860_800;
const body = '{"type":"payment.completed","data":{"name":"Пётр"}}';
const signed = signedHeaders({ id: 'message-1', timestampS, body }, [secret]);
const rotated = signedHeaders({ id: 'message-1', timestampS, body }, [otherSecret, secret]);
const without = (name: string) =>
  Object.fromEntries(Object.entries(signed).filter(([header]) => header !== name));

type Case = {
  name: string;
  headers: Record<string, string>;
  body: string;
  nowS: number;
  verdict: string;
};
const received = (name: string, verdict: string, change: Partial<Case> = {}): Case => ({
  name,
  headers: signed,
  body,
  nowS: timestampS,
  verdict,
  ...change,
});

/** The cases and verdicts that the verifiers of all languages share. */
const cases: Case[] = [
  received('that is unchanged', 'valid'),
  received('signed with a secret that was just rotated', 'valid', { headers: rotated }),
  received('received by a clock that is four minutes off', 'valid', { nowS: timestampS + 240 }),
  received('received five minutes later', 'timestamp_out_of_range', { nowS: timestampS + 301 }),
  received('received five minutes before it was sent', 'timestamp_out_of_range', {
    nowS: timestampS - 301,
  }),
  received('with an invalid time', 'timestamp_out_of_range', {
    headers: { ...signed, 'webhook-timestamp': '1e9' },
  }),
  received('without its id', 'headers_missing', { headers: without('webhook-id') }),
  received('without its signature', 'headers_missing', { headers: without('webhook-signature') }),
  received('with another body', 'content_changed', { body: body.replace('completed', 'declined') }),
  received('parsed and written again', 'content_changed', {
    body: JSON.stringify(JSON.parse(body), null, 1),
  }),
  received('with another id', 'content_changed', {
    headers: { ...signed, 'webhook-id': 'message-2' },
  }),
  received('with the signature of another version', 'content_changed', {
    headers: { ...signed, 'webhook-signature': 'v2,AAAA v1,' },
  }),
  received('signed with another secret', 'wrong_secret', {
    headers: signedHeaders({ id: 'message-1', timestampS, body }, [otherSecret]),
  }),
  received('with another body and no hint', 'signature_mismatch', {
    headers: without('webhook-secret-hint'),
    body: '{}',
  }),
];

/** No prefix, no key, invalid characters, a short key, a character that a decoder may skip. */
const badSecrets = [
  'MfKQ9r8GKYqr',
  'whsec_',
  `whsec_${'@'.repeat(40)}`,
  'whsec_MfKQ9r8GKYqrTwjUPD8=',
  secret.replace('T', '!T'),
];

describe('verifyWebhook', () => {
  it.each(cases)(
    'returns $verdict for a webhook $name',
    ({ headers, body: text, nowS, verdict }) => {
      for (const bytes of [text, Buffer.from(text)]) {
        const result = verifyWebhook({ header: (name) => headers[name], body: bytes }, secret, {
          nowMs: nowS * 1000,
        });
        expect(result.valid ? 'valid' : result.code).toBe(verdict);
      }
    },
  );

  it.each(badSecrets)('throws for an invalid secret without showing it: %s', (bad) => {
    const webhook = { header: (name: string) => signed[name], body };
    expect(() => verifyWebhook(webhook, bad, { nowMs: timestampS * 1000 })).toThrow(
      /whsec_(?!.*MfKQ)/,
    );
  });
});

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Runs the cases, as JSON on stdin, through a program that prints one verdict a line. */
function verdictsOf(command: string, args: string[], cwd: string): string[] {
  const input = JSON.stringify({ secret, cases });
  const { stdout, stderr, status } = spawnSync(command, args, { cwd, input, encoding: 'utf8' });
  expect([stderr, status]).toEqual(['', 0]);
  return stdout.trim().split('\n');
}

const has = (command: string) =>
  spawnSync(command, ['-v'], { stdio: 'ignore' }).error === undefined;
const expected = cases.map(({ verdict }) => verdict);

describe('examples in other languages', () => {
  it.skipIf(!has('return the same verdicts in Python'))('Python', () => {
    const program = `
import json, sys
sys.path.insert(0, ${JSON.stringify(folder)})
sys.dont_write_bytecode = True
from verify import verify_webhook
bytes = json.load(sys.stdin)
for case in bytes["cases"]:
    print(verify_webhook(case["headers"], case["body"].encode(), bytes["secret"], case["nowS"]) or "valid")
`;
    expect(verdictsOf('python3', ['-c', program], folder)).toEqual(expected);
  });

  it.skipIf(!has('reject an invalid secret in Python'))('Python, for an invalid secret', () => {
    const program = `
import json, sys
sys.path.insert(0, ${JSON.stringify(folder)})
sys.dont_write_bytecode = True
from verify import verify_webhook
bytes = json.load(sys.stdin)
case = bytes["cases"][0]
for bad in ${JSON.stringify(badSecrets)}:
    try:
        print(verify_webhook(case["headers"], case["body"].encode(), bad, case["nowS"]))
    except ValueError:
        print("refused")
`;
    expect(verdictsOf('python3', ['-c', program], folder)).toEqual(badSecrets.map(() => 'refused'));
  });

  it.skipIf(!has('return the same verdicts in PHP'))('PHP', () => {
    const program = `
require ${JSON.stringify(join(folder, 'verify.php'))};
$given = json_decode(file_get_contents('php://stdin'), true);
foreach ($given['cases'] as $case) {
  echo verify_webhook($case['headers'], $case['body'], $given['secret'], $case['nowS']) ?? 'valid', "\\n";
}`;
    expect(verdictsOf('php', ['-r', program], folder)).toEqual(expected);
  });

  it.skipIf(!has('return the same verdicts in Go'))('Go', () => {
    const module = useTempFolder();
    copyFileSync(join(folder, 'verify.go'), join(module, 'verify.go'));
    writeFileSync(join(module, 'go.mod'), 'module webhook\n\ngo 1.21\n');
    writeFileSync(join(module, 'verify_test.go'), goProgram);
    // `go test` gives its programs no stdin.
    writeFileSync(join(module, 'cases.json'), JSON.stringify({ secret, cases }));
    const verdicts = verdictsOf('go', ['test', '-v', '-count=1', './...'], module);
    expect(
      verdicts.filter((line) => line.startsWith('verdict ')).map((line) => line.slice(8)),
    ).toEqual(expected);
  });
});

const goProgram = `package webhook

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"
)

func TestCases(t *testing.T) {
	var bytes struct {
		Secret string
		Cases  []struct {
			Headers map[string]string
			Body    string
			NowS    int64
		}
	}
	text, err := os.ReadFile("cases.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &bytes); err != nil {
		t.Fatal(err)
	}
	for _, c := range bytes.Cases {
		header := http.Header{}
		for name, value := range c.Headers {
			header.Set(name, value)
		}
		verdict := Verify(header, []byte(c.Body), bytes.Secret, time.Unix(c.NowS, 0), 5*time.Minute)
		if verdict == "" {
			verdict = "valid"
		}
		fmt.Println("verdict " + verdict)
	}
}
`;
