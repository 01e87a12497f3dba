#!/usr/bin/env node
import { sourceFromFile } from './source.js';
import { NotProved, verifyStatement } from './verify.js';
const usage = `usage: verify-statement FILE [--previous FILE] --keys FILE

Verifies an answer of GET /v1/statements (version 2): it has every entry of its period, all that it
shows is hashed or signed, and its amounts follow from each other. It needs nothing of the gateway
but the files.

  FILE        the statement
  --previous  the statement before it: nothing that it showed was changed or removed since
  --keys      the answer of GET /v1/keys or of GET /.well-known/checkpoint-keys

It prints one line. Exit code 0: all holds; 1: the first entry or proof that does not; 2: bad usage.
`;
function refuse(reason) {
    process.stderr.write(`${reason}\n\n${usage}`);
    process.exit(2);
}
function readArguments(args) {
    const files = [];
    const named = new Map();
    const rest = args.values();
    for (const argument of rest) {
        const [name = '', ...values] = argument.split('=');
        if (name === '--keys' || name === '--previous') {
            const value = values.length > 0 ? values.join('=') : (rest.next().value ?? '');
            if (value === '' || value.startsWith('-'))
                refuse(`${name} needs a file`);
            if (named.has(name))
                refuse(`${name} is there twice`);
            named.set(name, value);
        }
        else if (argument.startsWith('-')) {
            refuse(`unknown option ${argument}`);
        }
        else {
            files.push(argument);
        }
    }
    const [statement, ...others] = files;
    const [keys, previous] = [named.get('--keys'), named.get('--previous')];
    if (statement === undefined || others.length > 0)
        refuse('name the file of one statement');
    if (keys === undefined)
        refuse('name the file of the keys: --keys FILE');
    return { statement, keys, ...(previous !== undefined && { previous }) };
}
function open(file) {
    try {
        return sourceFromFile(file);
    }
    catch (error) {
        return refuse(`${file} can't be read: ${error.code ?? ''}`);
    }
}
const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(usage);
    process.exit(0);
}
const { statement, keys, previous } = readArguments(args);
const sources = {
    statement: open(statement),
    keys: open(keys),
    ...(previous !== undefined && { previous: open(previous) }),
};
try {
    process.stdout.write(`${verifyStatement(sources)}\n`);
}
catch (error) {
    if (error instanceof NotProved) {
        process.stdout.write(`${error.message}\n`);
        process.exitCode = 1;
    }
    else if (error instanceof Error && 'syscall' in error) {
        refuse(`a file can't be read: ${error.message}`);
    }
    else {
        throw error;
    }
}
