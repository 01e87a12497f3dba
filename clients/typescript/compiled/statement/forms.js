export const within = (where, name) => where === '' ? name : `${where}: ${name}`;
/** A piece of that form, as it is written. */
const piece = (form, wanted) => (reader, where) => reader.take(form) ?? reader.fail(`${where} is not ${wanted}`);
/** The content of a piece in quotes, none of which may be escaped. */
const quoted = (form, wanted) => {
    const read = piece(form, wanted);
    return (reader, where) => read(reader, where).slice(1, -1);
};
// Ids of the gateway: with a slash or a line break the signed text could be read in two ways.
export const readName = quoted(/"[!#-.0-[\]-~]{1,200}"/y, 'a name');
export const readOrigin = quoted(/"[!#-[\]-~]{1,401}"/y, 'a name');
const ofLeapYear = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const day = [
    '[0-9]{4}-(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])',
    '[0-9]{4}-(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)',
    '[0-9]{4}-02-(?:0[1-9]|1[0-9]|2[0-8])',
    `${ofLeapYear}-02-29`,
].join('|');
const timeOfDay = String.raw `(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}\.[0-9]{3}`;
/** All of one form, so that their order is that of their texts. */
export const readTime = quoted(new RegExp(`"(?:${day})T${timeOfDay}Z"`, 'y'), 'a time in UTC with milliseconds');
export const readDecimal = quoted(/"(?!-[0.]+")-?(?:0|[1-9][0-9]{0,29})(?:\.[0-9]{1,18})?"/y, 'a decimal');
// One text stands for the bytes: the last character has no bits to spare.
const hashForm = /"[\w-]{42}[AEIMQUYcgkosw048]"/y;
export const readHash = quoted(hashForm, '32 bytes in base64url');
export const readSignatureText = quoted(/"[\w-]{85}[AQgw]"/y, '64 bytes in base64url');
const readDigits = piece(/(?:0|[1-9][0-9]{0,15})(?![\w.+-])/y, 'a whole number');
export function readCount(reader, where) {
    const count = Number(readDigits(reader, where));
    return Number.isSafeInteger(count) ? count : reader.fail(`${where} is too large`);
}
export const readConstant = (value) => piece(new RegExp(String.raw `${value}(?![\w.+-])`, 'y'), value);
const nullForm = /null(?![\w.+-])/y;
export const orNull = (read) => (reader, where) => reader.take(nullForm) === undefined ? read(reader, where) : null;
const textForm = /"[ !#-[\]-\xff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\xff]*)*"/y;
const readPiece = piece(textForm, 'a text');
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Any text, with its quotes, as RFC 8785 writes it: bytes of UTF-8 in latin1. */
export function readText(reader, where) {
    const text = readPiece(reader, where);
    // Nearly every text is written so already.
    if (/^[ -[\]-~]*$/.test(text))
        return text;
    const decoded = decode(text);
    if (decoded === undefined)
        return reader.fail(`${where} is not Unicode`);
    return Buffer.from(JSON.stringify(decoded)).toString('latin1');
}
/** @returns undefined for bytes that are no UTF-8, and for half of a surrogate pair */
function decode(text) {
    try {
        const decoded = String(JSON.parse(utf8.decode(Buffer.from(text, 'latin1'))));
        return decoded.isWellFormed() ? decoded : undefined;
    }
    catch {
        return undefined;
    }
}
/** Exactly these members, in any order, each once. */
export const readObject = (members) => (reader, where) => {
    const found = {};
    if (!reader.takeMark('{'))
        reader.fail(`${where || 'the file'} is no object`);
    if (!reader.takeMark('}')) {
        do
            readMember(reader, { where, members, found });
        while (reader.takeMark(','));
        if (!reader.takeMark('}'))
            reader.fail(`${where || 'the file'} does not end`);
    }
    for (const name of Object.keys(members))
        if (!Object.hasOwn(found, name))
            reader.fail(`${within(where, name)} is missing`);
    return found;
};
function readMember(reader, { where, members, found, }) {
    const name = readPiece(reader, within(where, 'the name of a member')).slice(1, -1);
    if (!isMember(members, name))
        return reader.fail(`${within(where, show(name))} is no member`);
    const path = within(where, name);
    if (Object.hasOwn(found, name))
        reader.fail(`${path} is there twice`);
    if (!reader.takeMark(':'))
        reader.fail(`${path} has no value`);
    found[name] = members[name](reader, path);
}
const isMember = (members, name) => Object.hasOwn(members, name);
/** A list of any length: each of its values is read by what is given its place, from 1 on. */
export function readList(reader, where, readNext) {
    if (!reader.takeMark('['))
        reader.fail(`${where} is no list`);
    if (reader.takeMark(']'))
        return;
    let place = 0;
    do
        readNext((place += 1));
    while (reader.takeMark(','));
    if (!reader.takeMark(']'))
        reader.fail(`${where} does not end`);
}
export function readEnd(reader) {
    if (reader.peek() !== '')
        reader.fail('the file goes on after its end');
}
/** More than any proof in a tree of 2^53 leaves has. */
const mostHashes = 64;
export function readHashes(reader, where) {
    const hashes = [];
    readList(reader, where, (place) => {
        if (place > mostHashes)
            reader.fail(`${where} has more than ${mostHashes} hashes`);
        const hash = reader.take(hashForm);
        if (hash === undefined)
            return reader.fail(`${where}: hash ${place} is not 32 bytes in base64url`);
        hashes.push(Buffer.from(hash.slice(1, -1), 'base64url'));
    });
    return hashes;
}
/** A text of the file, of any bytes, for a line on a terminal. */
export const show = (text) => text.slice(0, 80).replaceAll(/[^ -~]/g, '?');
