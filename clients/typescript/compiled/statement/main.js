#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { NotProved, verifyStatements } from './verify.js';
const usage = `usage: verify-statement FILE… [--previous FILE] --keys FILE

Verifies an answer of GET /v1/statements: its entries are in the signed tree of the shop, unchanged
and in order, and its sums are right. It needs nothing of the gateway but the files.

  FILE        the statement; with those of all currencies none can be missing between two entries
  --previous  the statement before it: nothing that it showed was changed or removed since
  --keys      the answer of GET /v1/keys or of GET /.well-known/checkpoint-keys

It prints one line. Exit code 0: all holds; 1: the first entry or proof that does not; 2: bad usage.
`;
function refuse(reason) {
    process.stderr.write(`${reason}\n\n${usage}`);
    process.exit(2);
}
function options() {
    try {
        return parseArgs({
            allowPositionals: true,
            options: {
                previous: { type: 'string' },
                keys: { type: 'string' },
                help: { type: 'boolean', short: 'h' },
            },
        });
    }
    catch (error) {
        return refuse(error.message.split('. ', 1)[0] ?? '');
    }
}
function read(file) {
    try {
        return readFileSync(file, 'utf8');
    }
    catch (error) {
        return refuse(`${file} can't be read: ${error.code ?? ''}`);
    }
}
/** A file that breaks off is no proof. */
function parse(text, file) {
    try {
        return JSON.parse(text);
    }
    catch {
        throw new NotProved(`${file} is no JSON`);
    }
}
const { values, positionals } = options();
if (values.help === true) {
    process.stdout.write(usage);
    process.exit(0);
}
const { keys, previous } = values;
if (positionals.length === 0)
    refuse('name the file of a statement');
if (keys === undefined)
    refuse('name the file of the keys: --keys FILE');
const texts = [...positionals, keys, ...(previous === undefined ? [] : [previous])].map((file) => [file, read(file)]);
const textOf = new Map(texts);
const parsed = (file) => parse(textOf.get(file) ?? '', file);
try {
    const verified = verifyStatements({
        statements: positionals.map(parsed),
        keys: parsed(keys),
        ...(previous !== undefined && { previous: parsed(previous) }),
    });
    process.stdout.write(`${verified}\n`);
}
catch (error) {
    if (!(error instanceof NotProved))
        throw error;
    process.stdout.write(`${error.message}\n`);
    process.exitCode = 1;
}
